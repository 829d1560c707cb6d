// A game's rules in short, in a drawer beside the table that opens at the rule which a refusal, a hint or a score names; and
// what a beginner is told at the first question of each kind.
import { h, t, about, lang, set, setting } from "./core.mjs";
import { Component } from "./preact.mjs";

/** @typedef {[string, string, string, string]} Row a rule's number or a kind of question, and what is said of it in three languages */
/** @typedef {{guide: Row[], rules: Row[]}} Rulebook */

/** @type {Map<string, Promise<?Rulebook>>} */
const books = new Map();

/** The rulebook of a game; of one that has none, null. @param {string} game */
export function rulebookOf(game) {
  const name = game.split("/")[0].replaceAll("-", "") + ".rules.json";
  if (!books.has(name)) books.set(name, fetch(about.base + name).then(answer => (answer.ok ? answer.json() : null)).catch(() => null));
  return books.get(name);
}

/** @param {Row} row */
const said = row => row[{ en: 1, de: 2, hu: 3 }[lang()]];

const numbers = /\b((?:R|SK-R|FD-[RA]|SP|OPT|BGA|PAK)-[A-Z0-9-]*[A-Z0-9])\b/;

/** A text in which each rule's number leads to that rule: {@link Rules} sees the click. @param {{text: string}} props */
export const Ruled = ({ text }) => text.split(numbers).map((part, i) => (i % 2 ? h("a", { key: i, class: "ruled", href: "#" + part, "data-rule": part }, part) : part));

/**
 * The kind of a question that the player has not been told of yet, and what there is to say.
 * @param {?Rulebook} book @param {string} game @param {?import("./table.mjs").Ask} ask
 */
export function guideTo(book, game, ask) {
  if (!book || !ask || ask.may || ask.alone || setting("guide", "on") === "off") return null;
  const asked = ask.parts.filter(p => !p.why).map(p => p.group), known = setting("guided", {})[game] ?? [];
  const row = book.guide.find(([kind]) => asked.includes(kind) && !known.includes(kind));
  return row ? { kind: row[0], text: said(row) } : null;
}

/** The player knows this kind of question from now on. @param {string} game @param {string} kind */
export function guided(game, kind) {
  const known = setting("guided", {});
  set("guided", { ...known, [game]: [...(known[game] ?? []), kind] });
}

/** @extends {Component<{book: Rulebook, at: string, onClose: () => void}, {}>} at: the number of a rule, or "" */
export class Rules extends Component {
  componentDidMount() {
    this.before = /** @type {HTMLElement} */ (document.activeElement);
    this.turn();
  }

  componentDidUpdate(old) { if (old.at !== this.props.at) this.turn(); }

  componentWillUnmount() { if (this.before?.isConnected) this.before.focus(); }

  /** Turn to the rule that was named. */
  turn() {
    const rule = this.dialog.querySelector(".named") ?? this.dialog;
    rule.scrollIntoView({ block: "center" });
    rule.focus({ preventScroll: true });
  }

  render({ book, at, onClose }) {
    return h("dialog", { class: "rules", open: true, tabIndex: -1, "aria-label": t("rules"), ref: e => { this.dialog = e; }, onKeyDown: e => { if (e.key === "Escape") onClose(); } },
      h("header", null, h("h2", null, t("rules")), h("button", { onClick: onClose }, t("close"))),
      h("dl", null, book.rules.map((row, i) => (row[0]
        ? h("div", { key: i, class: row[0] === at ? "named" : "", tabIndex: row[0] === at ? -1 : undefined }, h("dt", null, row[0]), h("dd", null, h(Ruled, { text: said(row) })))
        : h("div", { key: i, class: "heading" }, h("dt", null, said(row)))))),
      h("label", null, h("input", { type: "checkbox", checked: setting("guide", "on") === "on", onChange: e => { set("guide", e.target.checked ? "on" : "off"); if (e.target.checked) set("guided", {}); } }), " ", t("guide.on")));
  }
}
