// Replay: a slider over a table's messages, as everybody saw it then or as one seat did.
import { h, t, about, Link, log, set, setting } from "./core.mjs";
import { WithDesk } from "./play.mjs";
import { Table } from "./table.mjs";

export class Replay extends WithDesk {
  first() {
    const hash = new URLSearchParams(location.hash.slice(1));
    return { info: null, shown: null, n: Number(hash.get("n") || 0), as: hash.has("as") ? hash.get("as").toUpperCase().charCodeAt(0) - 65 : null };
  }

  async begin() {
    this.setState({ starting: t("reading") });
    const info = await this.desk.call("replay.open", { url: log, key: about.key, table: this.props.id });
    this.info = info;
    this.setState({ info, starting: null });
    await this.to(this.state.n, this.state.as);
    this.key = e => this.onKey(e);
    addEventListener("keydown", this.key);
  }

  componentWillUnmount() {
    super.componentWillUnmount();
    removeEventListener("keydown", this.key);
  }

  onKey(e) {
    if (e.target.closest?.("input, select, textarea")) return;
    if (e.key === "t") this.inWords();
    if (!["ArrowLeft", "ArrowRight"].includes(e.key)) return;
    const { n, as, info } = this.state, back = e.key === "ArrowLeft";
    const stops = e.shiftKey ? info.marks.filter(m => m.kind !== "move").map(m => m.n) : null;
    e.preventDefault();
    if (!stops) return this.to(n + (back ? -1 : 1), as);
    this.to(back ? stops.findLast(x => x < n) ?? 0 : stops.find(x => x > n) ?? info.length - 1, as);
  }

  inWords() {
    set("text", !setting("text", false));
    this.setState({});
  }

  async to(n, as) {
    n = Math.max(0, Math.min(n, this.info.length - 1));
    this.at = `${n} ${as}`;
    this.setState({ n, as });
    history.replaceState(null, "", `#n=${n}${as === null ? "" : "&as=" + String.fromCharCode(65 + as)}`);
    const shown = await this.desk.call("replay.at", { id: this.props.id, n, as });
    if (this.at === `${n} ${as}`) this.setState({ shown });
  }

  render(props, { info, shown, n, as }) {
    if (!info || !shown) return h("main", { class: "page" }, h("h1", null, t("replay")), this.aside());
    return h("main", { class: "at-table" },
      h("div", { class: "player" },
        h("button", { onClick: () => this.to(n - 1, as), "aria-label": t("back"), disabled: n === 0 }, "◀"),
        h("input", { type: "range", min: 0, max: info.length - 1, value: n, list: "marks", "aria-label": t("entry"), onInput: e => this.to(Number(e.target.value), as) }),
        h("datalist", { id: "marks" }, info.marks.filter(m => m.kind !== "move").map(m => h("option", { key: m.n, value: m.n }))),
        h("button", { onClick: () => this.to(n + 1, as), "aria-label": t("forward"), disabled: n === info.length - 1 }, "▶"),
        h("output", null, t("entry.of", { n, of: info.length - 1 })),
        h("select", { "aria-label": t("as"), value: as ?? "", onChange: e => this.to(n, e.target.value === "" ? null : Number(e.target.value)) },
          h("option", { value: "" }, t("as.everybody")), info.names.map((name, i) => h("option", { key: i, value: i }, t("as.seat", { name })))),
        h("button", { onClick: () => this.inWords() }, setting("text", false) ? t("text.off") : t("text")),
        h(Link, { href: `/verify?table=${props.id}` }, t("verify.myself"))),
      setting("text", false) ? h("div", { class: "page in-words" }, h("h1", null, t("replay")),
        h("ul", { class: "tells", "aria-live": "polite" }, shown.tells.map((x, i) => h("li", { key: i }, x.seat !== null && h("b", null, h("bdi", null, info.names[x.seat]), " "), x.text))),
        h("pre", { class: "text-view", tabIndex: 0, "aria-label": t("text.now") }, shown.text)) : h(Table, { view: shown.view, resting: true, ask: null, faces: info.faces, tells: shown.tells.map((x, i) => ({ ...x, key: i })), status: null },
        as !== null && Object.keys(shown.later).length > 0 && h("p", { class: "hints" }, t("known.later"))));
  }
}
