// Replay: a table's messages one after another, by tricks and by deals, as everybody saw it then, as one seat did, or
// with all hands that the log has opened since.
import { h, t, about, Link, log, set, setting } from "./core.mjs";
import { WithDesk } from "./play.mjs";
import { Table } from "./table.mjs";
import { dealAt, stopAt } from "./course.mjs";

/** For how long a move and a trick that is complete are shown while it plays by itself, in milliseconds. */
const rest = { move: 900, trick: 1800, deal: 1200, foul: 4000 };

/** What buttons show. */
const pictures = { first: "M6 5v14M19 5 9 12l10 7Z", back: "M17 5 7 12l10 7Z", play: "M7 4v16l13-8Z", pause: "M8 5v14M16 5v14", on: "M7 5l10 7-10 7Z", last: "M18 5v14M5 5l10 7-10 7Z" };
const picture = name => h("svg", { viewBox: "0 0 24 24", "aria-hidden": true }, h("path", { d: pictures[name] }));

const moves = ["move", "trick", "deal", "foul"];

export class Replay extends WithDesk {
  first() {
    const hash = new URLSearchParams(location.hash.slice(1)), as = hash.get("as") ?? "all";
    return { info: null, shown: null, n: Number(hash.get("n") || 0), deal: Number(hash.get("deal") || 0), as: as.length === 1 ? as.toUpperCase().charCodeAt(0) - 65 : as, plays: false };
  }

  async begin() {
    this.setState({ starting: t("reading") });
    const info = await this.desk.call("replay.open", { url: log, key: about.key, table: this.props.id });
    this.info = info;
    this.setState({ info, starting: null });
    const { n, deal, as } = this.state;
    await this.to(deal ? dealAt(info.marks, deal) : n, as);
    this.key = e => this.onKey(e);
    addEventListener("keydown", this.key);
  }

  componentWillUnmount() {
    super.componentWillUnmount();
    this.gone = true;
    clearTimeout(this.timer);
    removeEventListener("keydown", this.key);
  }

  onKey(e) {
    if (e.target.closest?.("input, select, textarea, button, dialog")) return;
    if (e.key === "t") this.inWords();
    else if (e.key === " ") this.play(!this.state.plays);
    else if (e.key.startsWith("Arrow")) {
      const { n, as } = this.state, kinds = e.shiftKey ? ["trick", "deal", "foul"] : null;
      const back = e.key === "ArrowLeft";
      if (!back && e.key !== "ArrowRight") return;
      kinds ? this.by(kinds, back) : this.to(n + (back ? -1 : 1), as);
    } else return;
    e.preventDefault();
  }

  inWords() {
    set("text", !setting("text", false));
    this.setState({});
  }

  /** Go on to what is of such a kind, or back. @param {string[]} kinds @param {boolean} back */
  by(kinds, back) { return this.to(stopAt(this.info.marks, this.state.n, back, kinds, this.info.length - 1), this.state.as); }

  /** Play by itself, or stop. */
  play(plays) {
    clearTimeout(this.timer);
    this.setState({ plays });
    if (!plays) return;
    const { n } = this.state, { marks, length } = this.info;
    if (n >= length - 1) return this.setState({ plays: false });
    const kind = marks.find(m => m.n === n)?.kind ?? "move";
    this.timer = setTimeout(async () => { await this.by(moves, false); if (this.state.plays && !this.gone) this.play(true); }, rest[kind]);
  }

  async to(n, as) {
    n = Math.max(0, Math.min(n, this.info.length - 1));
    this.at = `${n} ${as}`;
    this.setState({ n, as });
    history.replaceState(null, "", `#n=${n}${as === "all" ? "" : "&as=" + (typeof as === "number" ? String.fromCharCode(65 + as) : as)}`);
    const shown = await this.desk.call("replay.at", { id: this.props.id, n, all: as === "all", as: typeof as === "number" ? as : null });
    if (this.at === `${n} ${as}`) this.setState({ shown });
  }

  render(props, { info, shown, n, as, plays }) {
    if (!info || !shown) return h("main", { class: "page" }, h("h1", null, t("replay")), this.aside());
    const last = info.length - 1;
    const go = (sign, label, kinds, back) => h("button", { onClick: () => (kinds ? this.by(kinds, back) : this.to(n + (back ? -1 : 1), as)), "aria-label": t(label), title: t(label), disabled: back ? n === 0 : n === last }, picture(sign));
    const deals = [...new Set(info.marks.filter(m => m.kind !== "deal").map(m => m.deal))], deal = info.marks.filter(m => m.n <= n).at(-1)?.deal ?? 1;
    return h("main", { class: "at-table replay" },
      h("div", { class: "player" },
        go("first", "back.trick", ["trick", "deal", "foul"], true), go("back", "back", null, true),
        h("button", { class: "main", onClick: () => this.play(!plays), "aria-label": t(plays ? "pause" : "play"), title: t(plays ? "pause" : "play"), disabled: n === last }, picture(plays ? "pause" : "play")),
        go("on", "forward", null, false), go("last", "forward.trick", ["trick", "deal", "foul"], false),
        h("input", { type: "range", min: 0, max: last, value: n, list: "marks", "aria-label": t("entry"), onInput: e => this.to(Number(e.target.value), as) }),
        h("datalist", { id: "marks" }, info.marks.filter(m => m.kind === "deal" || m.kind === "foul").map(m => h("option", { key: m.n, value: m.n }))),
        h("output", null, t("entry.of", { n, of: last })),
        deals.length > 1 && h("select", { "aria-label": t("go.deal"), value: deal, onChange: e => this.to(dealAt(info.marks, Number(e.target.value)), as) }, deals.map(d => h("option", { key: d, value: d }, t("deal", { n: d })))),
        h("select", { "aria-label": t("as"), value: as, onChange: e => this.to(n, /^\d+$/.test(e.target.value) ? Number(e.target.value) : e.target.value) },
          h("option", { value: "all" }, t("as.all")), h("option", { value: "then" }, t("as.everybody")), info.names.map((name, i) => h("option", { key: i, value: i }, t("as.seat", { name })))),
        h("button", { onClick: () => this.inWords() }, setting("text", false) ? t("text.off") : t("text"))),
      setting("text", false) ? h("div", { class: "page in-words" }, h("h1", null, t("replay")),
        h("ul", { class: "tells", "aria-live": "polite" }, shown.tells.map((x, i) => h("li", { key: i }, x.seat !== null && h("b", null, h("bdi", null, info.names[x.seat]), " "), x.text))),
        h("pre", { class: "text-view", tabIndex: 0, "aria-label": t("text.now") }, shown.text)) : h(Table, { view: shown.view, resting: true, onReplay: deal => this.to(dealAt(info.marks, deal), as), links: h("p", { class: "after" }, h(Link, { href: `/verify?table=${props.id}` }, t("verify.myself"))), ask: null, faces: info.faces, tells: shown.tells.map((x, i) => ({ ...x, key: i })), status: null },
        Object.keys(shown.later).length > 0 && h("p", { class: "hints" }, t(as === "all" ? "known.all" : "known.later"))));
  }
}
