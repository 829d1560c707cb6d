// Tamper: a game of this page's own, all keys of which are there for the taking. One chooses who
// cheats and how; the verifier judges what came of it.
import { h, t, failure } from "./core.mjs";
import { WithDesk } from "./play.mjs";
import { shapes } from "./verify.mjs";

/** The first and the last place in which two texts differ. */
function difference(a, b) {
  let from = 0, tail = 0;
  while (from < a.length && a[from] === b[from]) from++;
  while (tail < Math.min(a.length, b.length) - from && a.at(-1 - tail) === b.at(-1 - tail)) tail++;
  return [from, tail];
}

function Bytes({ label, text, other }) {
  const [from, tail] = difference(text, other), to = text.length - tail;
  return h("div", { class: "bytes" }, h("h3", null, label), h("pre", { tabIndex: 0 },
    from > 160 ? "… " : "", text.slice(Math.max(0, from - 160), from), h("mark", null, text.slice(from, Math.min(to, from + 800))), to - from > 800 ? " … " : "", text.slice(to, to + 160), tail > 160 ? " …" : ""));
}

export class Try extends WithDesk {
  first() { return { game: null, tried: null, n: 0, busy: false }; }

  onEvent(e) { if (e.event === "progress") this.setState({ starting: t("try.playing", { n: e.n }) }); }

  async begin() {
    this.setState({ starting: t("try.playing", { n: 0 }) });
    this.setState({ game: await this.desk.call("try.begin"), starting: null });
  }

  async attempt(change) {
    this.setState({ busy: true, failed: null });
    try {
      this.setState({ tried: { change, ...(await this.desk.call("try", { change })) }, busy: false });
      document.querySelector(".verdict")?.scrollIntoView({ block: "nearest" });
    } catch (e) {
      this.setState({ ...failure(e), busy: false });
    }
  }

  render(props, { game, tried, busy }) {
    const who = [...new Set(game?.changes.map(c => c.who))];
    return h("main", { class: "page wide" }, h("h1", null, t("try")), h("p", { class: "lead" }, t("try.lead")), this.aside(),
      game && h("div", { class: "cheaters" }, who.map(w => h("section", { key: w, class: "box" },
        h("h2", null, t("try.who." + w)), h("p", { class: "hints" }, t("try.has." + w)),
        h("div", { class: "group" }, game.changes.filter(c => c.who === w).map(c => h("button", {
          key: c.what, disabled: busy, "aria-pressed": tried?.change === c, onClick: () => this.attempt(c) }, t(`try.${w}.${c.what}`))))))),
      tried && h("section", { class: "verdict " + tried.verdict.replace(" ", "-"), "aria-live": "polite" },
        h("h2", null, h("span", { "aria-hidden": true }, shapes[tried.verdict] || "✗", " "), t(`try.${tried.change.who}.${tried.change.what}`), ": ", t("verdict." + tried.verdict.replace(" ", "-"))),
        h("p", { class: "headline" }, tried.headline),
        h(Bytes, { label: t("try.before", { n: tried.entry }), text: tried.before, other: tried.after }),
        tried.after ? h(Bytes, { label: t("try.after"), text: tried.after, other: tried.before }) : h("p", null, t("try.gone")),
        tried.text && h("details", null, h("summary", null, t("verify.report")), h("pre", { tabIndex: 0 }, tried.text))));
  }
}
