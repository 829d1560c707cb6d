// A table as somebody sees it: others around, the trick in the middle, what is asked below it, and the own hand; beside
// them how it came to that. Play, watch and replay show it; only play has picks.
import { h, t, Card, Fragment, Link, set, signed, There } from "./core.mjs";
import { guided, guideTo, rulebookOf, Ruled, Rules } from "./rulebook.mjs";
import { handOf, linesOf, sumsAfter, tricksOf, worksOf } from "./course.mjs";
import { Component } from "./preact.mjs";

/** Where a seat is shown, seen from the viewer: 0 below, then to the left around. */
const around = (view, seat) => (view.chairs[seat].place - view.chairs[view.you ?? 0].place + view.chairs.length) % view.chairs.length;
const places = { 2: ["s", "n"], 3: ["s", "w", "e"], 4: ["s", "w", "n", "e"] };
const placeOf = (view, seat) => (places[view.chairs.length] || [])[around(view, seat)] || (around(view, seat) ? "n" : "s");

/** @typedef {import("../sdk/index").View} View */
/** @typedef {import("../sdk/index").Face} Face */
/** @typedef {import("../sdk/index").Part} Part */
/** @typedef {import("../sdk/index").Shown} Shown */
/** @typedef {import("../sdk/index").Ask & {taken: Record<string, string>}} Ask what is asked, and which card was picked by which pick */
/** @typedef {import("../sdk/index").Tell & {key: number}} Tell */

/** @param {View} view @param {number} seat */
const name = (view, seat) => view.chairs[seat].name;

/**
 * What is done at a table: only play has it.
 * @typedef {{onConsider?: (picks: string[]) => Promise<any>, onAnswer?: (picks: string[]) => void, onPicked?: (ask: any) => void, onWhy?: (why: string) => void, onHint?: (() => void) | null, onSeen?: () => void, drawn?: string[]}} Hands
 */

/**
 * How a table that goes on is shown: who takes the trick that lies there, how the deal ended, for how long, and the own
 * card that the log does not have yet.
 * @typedef {{winner?: number, result?: import("../sdk/index").Sheet, hold?: number, sent?: Shown | null}} Staging
 */

/** @typedef {{left: Record<number, number>, at: number}} Clock seconds that seats have left, and when they had them */
/** @typedef {{view: View, ask: Ask | null, faces: Record<string, Face>, tells: Tell[], status: {kind: string, text: string} | null, present?: number[] | null, clock?: Clock | null, resting?: boolean, links?: any, onReplay?: (deal: number) => void, children?: any} & Hands & Staging} Props */
/** @typedef {{raised: string | null, ahead: number | null, open: string, keys: boolean, deal: number | null, rule: string | null, book: ?import("./rulebook.mjs").Rulebook}} State rule: at which the rules are open */

/** How long a card lies there before it is played because there is no other, or because it was chosen ahead, in milliseconds. */
const moment = 1200, ready = 350;

/** Within so many milliseconds a second click is of the same mind as the first, and answers no other question. */
const double = 400;

/** @extends {Component<Props, State>} */
export class Table extends Component {
  constructor(props) {
    super(props);
    this.state = { raised: null, ahead: null, open: "course", keys: false, deal: null, rule: null, book: null, ...(props.view.over && this.lastResult(props)) };
    this.clicked = { at: -1, when: 0 };
    this.key = e => this.onKey(e);
  }

  async componentDidMount() {
    addEventListener("keydown", this.key);
    this.setState({ book: await rulebookOf(this.props.view.game) });
  }

  componentWillUnmount() {
    removeEventListener("keydown", this.key);
    this.keepDue();
  }

  componentDidUpdate(old) {
    if (this.props.view.over && !old.view.over) this.setState(this.lastResult(this.props));
    const { ask } = this.props;
    if (old.ask === ask) return;
    const told = guideTo(this.state.book, old.view.game, old.ask);
    if (told && !ask?.parts.some(p => p.group === told.kind)) guided(old.view.game, told.kind);
    this.keepDue();
    if (!ask) return;
    if (this.state.raised && !this.part(this.state.raised)) this.setState({ raised: null });
    if (ask.may) return;
    const ahead = ask.parts.find(p => !p.why && p.place !== null && p.place === this.state.ahead && this.inHand(p));
    const next = ahead ?? this.onlyCard();
    if (next) this.playSoon(next, ahead ? ready : moment);
    this.setState({ ahead: null, deal: null });
    // What is asked comes into view. With the next frame, which lays the page out anyway.
    requestAnimationFrame(() => document.querySelector(".asks")?.scrollIntoView({ block: "nearest" }));
  }

  /**
   * What all of it came to, with the result of the last deal, but in a replay.
   * @param {Props} props @returns {Partial<State>}
   */
  lastResult({ view, resting }) { return resting ? {} : { open: "sheet", deal: view.sheets.at(-1)?.deal ?? null }; }

  /** Plays a card in a moment, unless it is taken back. @param {Part} part @param {number} delay */
  playSoon(part, delay) {
    this.due = part.place;
    this.last = setTimeout(() => { this.setState({ raised: part.pick }); this.pick(part, part.pick); }, delay);
  }

  /** Keeps the card that would be played by itself. @returns its place, or null */
  keepDue() {
    const { due } = this;
    clearTimeout(this.last);
    this.due = null;
    return due;
  }

  part(pick) { return this.props.ask?.parts.find(p => p.pick === pick && !p.why); }

  /** Whether a part is a card of the own hand. */
  inHand(part) { return part.place !== null && Boolean(handOf(this.props.view)?.cards.some(c => c.place === part.place)); }

  /** The one card that can be played, if nothing else is asked but to end the deal early. */
  onlyCard() {
    const { ask } = this.props, free = ask.parts.filter(p => !p.why);
    const cards = free.filter(p => this.inHand(p));
    if (!ask.picked.length && cards.length === 1 && free.every(p => p === cards[0] || p.group === "end")) return cards[0];
  }

  /** Whether a card can be chosen for the next turn: cards are played, and another has the turn. */
  plansAhead() {
    const { view, ask, onConsider } = this.props;
    return Boolean(onConsider) && !view.over && (!ask || ask.may) && (view.past.length > 0 || view.zones.some(z => z.layout === "trick" && z.cards.length > 0));
  }

  /** @returns {Part | undefined} */
  partOf(place) { return this.props.ask?.parts.find(p => p.place === place); }

  /** @param {Part} part @param {?string} raised the card that is played when it is picked again */
  async pick(part, raised = this.state.raised) {
    this.keepDue();
    const { ask, onConsider, onAnswer } = this.props, { at, when } = this.clicked;
    this.clicked = { at: ask.at, when: performance.now() };
    if (at !== ask.at && this.clicked.when - when < double) return;
    const picked = [...ask.picked, part.pick];
    const next = await onConsider(picked);
    if (!next) return;
    next.taken = part.place === null ? ask.taken : { ...ask.taken, [part.place]: part.pick };
    const alone = ask.picked.length === 0 && this.inHand(part);
    if (next.whole && !next.weighs && (!alone || raised === part.pick)) {
      this.setState({ raised: null });
      return onAnswer(picked);
    }
    if (next.whole && !next.weighs) return this.setState({ raised: part.pick });
    this.props.onPicked(next);
  }

  async unpick(pick) {
    this.keepDue();
    const { ask } = this.props;
    const next = await this.props.onConsider(ask.picked.filter(p => p !== pick));
    if (next) next.taken = Object.fromEntries(Object.entries(ask.taken).filter(([, p]) => p !== pick));
    this.props.onPicked(next);
  }

  onKey(e) {
    if (e.target.closest?.("input, textarea, select, dialog") || e.altKey || e.ctrlKey || e.metaKey) return;
    const { ask, view } = this.props;
    const free = ask ? ask.parts.filter(p => !p.why && !this.inHand(p)) : [];
    const cards = /** @type {HTMLElement[]} */ ([...document.querySelectorAll(document.querySelector(".draws") ? ".draws .card-button" : ".own .card-button")]);
    const at = cards.findIndex(c => c === document.activeElement);
    if (/^[1-9]$/.test(e.key) && free[e.key - 1]) this.pick(free[e.key - 1]);
    else if (e.key === "ArrowRight" && cards.length) cards[(at + 1) % cards.length].focus();
    else if (e.key === "ArrowLeft" && cards.length) cards[(at - 1 + cards.length) % cards.length].focus();
    else if (e.key === "l" && view.past.length) this.toggle("past");
    else if (e.key === "s") this.toggle("sheet");
    else if (e.key === "r" && view.sheets.length) this.setState({ deal: this.state.deal === null ? view.sheets.at(-1).deal : null });
    else if (e.key === "g" && this.state.book) this.setState({ rule: this.state.rule === null ? "" : null });
    else if (e.key === "?") this.setState({ keys: !this.state.keys });
    else if (e.key === "h" && ask) this.props.onHint?.();
    else if (e.key === "Escape") {
      this.keepDue();
      this.setState({ open: "course", raised: null, ahead: null, keys: false, deal: null, rule: null });
      if (this.props.result) this.props.onSeen();
    }
    else return;
    e.preventDefault();
  }

  toggle(open) { this.setState({ open: this.state.open === open ? "course" : open }); }

  /** @param {Props} props @param {State} state */
  render({ view, ask, faces, tells, status, links, children, onHint, onSeen, onReplay, winner, result, hold, sent, resting, present, clock }, { open, keys, deal, rule, book }) {
    const others = view.chairs.filter(c => c.seat !== view.you).sort((a, b) => around(view, a.seat) - around(view, b.seat));
    const guide = guideTo(book, view.game, ask);
    const own = handOf(view), again = view.sheets.find(s => s.deal === deal), list = open === "sheet" && view.sums.length > 0;
    const turnTo = e => {
      const named = e.target.closest("[data-rule]");
      if (!named) return;
      e.preventDefault();
      this.setState({ rule: named.dataset.rule });
    };
    return h("div", { class: "table" + (view.you === null ? " onlooker" : "") + (list ? " listed" : ""), onClick: turnTo },
      h("h1", { class: "hidden" }, t("table")),
      h("div", { class: "felt" + (view.chairs.length > 4 ? " many" : view.chairs.length === 3 ? " three" : "") },
        h("ul", { class: "others", role: "list", "aria-label": t("players") },
          others.map(c => h(Chair, { key: c.seat, chair: c, view, faces, place: placeOf(view, c.seat), there: present && present.includes(c.seat), clock }))),
        result || again ? h(Result, { view, result: result ?? again, onSeen: () => (result ? onSeen() : this.setState({ deal: null })) })
          : h(Middle, { view, faces, winner, hold, sent, resting, draws: this.draws() }),
        h("div", { class: "asks" }, h("div", null,
          status && h("p", { class: "status " + status.kind, role: status.kind === "alarm" ? "alert" : "status" }, h(Ruled, { text: status.text })),
          guide && h("p", { class: "guide" }, h(Ruled, { text: guide.text }), " ", h("button", { onClick: () => { set("guide", "off"); this.setState({}); } }, t("guide.off"))),
          h(Waiting, { view, ask }),
          ask && h(Panel, { ask, table: this, onHint }))),
        own && h("section", { class: "own", "aria-label": own.label },
          h(Chair, { chair: view.chairs[view.you], view, faces, own: true, clock }),
          h("ul", { class: "cards" }, own.cards.filter(c => c.place !== sent?.place).map((c, i) => this.card(c, i))))),
      book && rule !== null && h(Rules, { book, at: rule, onClose: () => this.setState({ rule: null }) }),
      h("aside", { class: "side" }, links,
        book && h("p", { class: "after" }, h("button", { onClick: () => this.setState({ rule: "" }) }, t("rules"))),
        h("div", { class: "tabs", role: "tablist" }, ["course", ...(view.past.length ? ["past"] : []), "sheet"].map(kind =>
          h("button", { key: kind, role: "tab", id: "tab-" + kind, "aria-selected": open === kind, "aria-controls": "tabpanel", onClick: () => this.setState({ open: kind }) }, t("tab." + kind)))),
        keys && h("p", { class: "hints" }, t("keys.list")),
        h("div", { role: "tabpanel", id: "tabpanel", "aria-labelledby": "tab-" + open },
          open === "past" ? h(Past, { view, faces }) : open === "sheet" ? h(Sheets, { view, onReplay, onShow: n => this.setState({ deal: n }) }) : [
            h("ul", { class: "facts", key: "facts" }, view.facts.filter(f => !view.heads.includes(f)).map((f, i) => h("li", { key: i }, f))),
            h(Tells, { tells, view, key: "tells" })]),
        children));
  }

  /** Cards of others that can be picked, as somebody's who draws one: they are chosen where they lie. */
  draws() {
    const parts = this.props.ask?.parts.filter(p => p.place !== null && !p.why && !this.inHand(p)) ?? [];
    return parts.length > 0 && h("ul", { class: "cards draws", role: "list" }, parts.map((p, i) => h("li", { key: p.place },
      h("button", { class: "card-button free", tabIndex: i === 0 ? 0 : -1, onClick: () => this.pick(p) }, h(Card, { words: p.label })))));
  }

  /** @param {Shown} c @param {number} i */
  card(c, i) {
    const { ask, faces, onWhy, drawn } = this.props;
    const part = this.partOf(c.place), ahead = this.state.ahead === c.place;
    const picked = ask?.taken?.[c.place];
    const raised = part && this.state.raised === part.pick;
    const click = () => {
      if (this.keepDue() === c.place) return;
      if (picked) return this.unpick(picked);
      if (!part) return this.plansAhead() && this.setState({ ahead: ahead ? null : c.place });
      part.why ? onWhy(part.why) : this.pick(part);
    };
    return h("li", { key: c.place },
      h("button", {
        class: "card-button" + (part && !part.why ? " free" : "") + (part && part.why ? " barred" : "") + (raised ? " raised" : "") + (picked ? " picked" : "") + (ahead ? " ahead" : "") + (drawn?.includes(c.face) ? " drawn" : ""),
        "aria-pressed": Boolean(raised || picked || ahead), "aria-disabled": !(part && !part.why) && !picked && !this.plansAhead(),
        title: part?.why || (ahead ? t("ahead") : undefined), tabIndex: i === 0 ? 0 : -1, onClick: click,
      }, h(Card, { face: c.face, faces }), part?.why && h("span", { class: "hidden" }, part.why), ahead && h("span", { class: "hidden" }, t("ahead")), drawn?.includes(c.face) && h("span", { class: "hidden" }, t("drawn"))));
  }
}

/** The time that a seat has left, which runs on the screen between two words of the server. */
class TimeLeft extends Component {
  componentDidMount() { this.timer = setInterval(() => this.setState({}), 1000); }
  componentWillUnmount() { clearInterval(this.timer); }

  render({ left, at }) {
    const n = Math.max(0, left - Math.floor((Date.now() - at) / 1000)), two = n => String(n).padStart(2, "0");
    return h("span", { class: "role time" + (n < 30 ? " short" : ""), role: "timer", "aria-label": t("time.left") }, n < 3600 ? `${Math.floor(n / 60)}:${two(n % 60)}` : `${Math.floor(n / 3600)}:${two(Math.floor(n / 60) % 60)}:${two(n % 60)}`);
  }
}

/** @param {{chair: import("../sdk/index").Chair, view: View, faces: Record<string, Face>, place?: string, own?: boolean, there?: boolean, clock?: Clock | null}} props there: its program is connected, as the server says; not said of oneself, nor where nothing is known */
function Chair({ chair, view, faces, place, own, there, clock }) {
  const hand = view.zones.find(z => z.layout === "hand" && z.seat === chair.seat);
  const known = hand ? hand.cards.filter(c => c.face) : [];
  const backs = hand ? hand.cards.length - known.length + hand.hidden : 0;
  const tricks = tricksOf(view, chair.seat);
  return h(own ? "div" : "li", { class: `chair ${place || ""}` + (chair.turn ? " turn" : "") },
    h("span", { class: "name" }, h("bdi", null, chair.name)), typeof there === "boolean" && h(There, { there }), clock?.left[chair.seat] !== undefined && h(TimeLeft, { key: "left", left: clock.left[chair.seat], at: clock.at }),
    chair.turn && h("span", { class: "mark", role: "img", "aria-label": t("turn") }, "●"),
    chair.roles.map(r => h("span", { class: "role", key: r }, r)),
    chair.side && h("span", { class: "role party" }, chair.side),
    view.past.length > 0 && h("span", { class: "role" }, t("tricks.of", { n: tricks })),
    h("span", { class: "score" }, signed(chair.score)),
    chair.says.length > 0 && h("span", { class: "says" }, chair.says.join(", ")),
    !own && h("span", { class: "backs", role: known.length ? "group" : "img", "aria-label": t("cards", { n: backs + known.length }) },
      known.map(c => h(Card, { key: c.place, face: c.face, faces, small: true })),
      backs > 0 && h("span", { class: "fan", "aria-hidden": true }, [...Array(Math.min(backs, 10)).keys()].map(i => h(Card, { key: i, small: true, words: " " })), h("b", null, backs))),
    view.zones.filter(z => z.layout !== "hand" && z.seat === chair.seat && (z.cards.length || z.hidden)).map(z => h(Pile, { key: z.id, zone: z, faces })));
}

/** Cards that lie together, small. @param {{zone: import("../sdk/index").Zone, faces: Record<string, Face>}} props */
function Pile({ zone, faces }) {
  return h("section", { class: "zone " + zone.layout, "aria-label": zone.label, title: zone.label },
    zone.seat === null && h("h2", null, zone.label),
    h("ul", { class: "cards", role: "list" }, zone.cards.map((c, i) => h("li", { key: i }, h(Card, { face: c.face, faces, small: true }))),
      zone.hidden > 0 && h("li", { key: "hidden" }, h(Card, { small: true }), h("b", null, zone.hidden))));
}

/**
 * The middle of the table: what is played for, the trick, cards that are nobody's, and those that one draws of another's.
 * Where it rests, as in a replay, the last trick lies there until the next one is begun.
 * @param {{view: View, faces: Record<string, Face>, resting?: boolean, draws?: any} & Staging} props
 */
function Middle({ view, faces, winner, hold, sent, resting, draws }) {
  const trick = view.zones.find(z => z.layout === "trick");
  const over = resting && !trick?.cards.length && view.past.length ? view.past.at(-1) : winner !== undefined && { cards: trick.cards, taken: winner };
  return h("div", { class: "middle" },
    view.heads.length > 0 && h("p", { class: "heads" }, view.heads.map((text, i) => h("span", { key: i }, text, " "))),
    view.zones.filter(z => z.layout !== "hand" && z !== trick && z.seat === null && (z.cards.length || z.hidden)).map(z => h(Pile, { key: z.id, zone: z, faces })),
    draws, trick && h(Lying, { zone: trick, view, faces, hold, sent, ...(over && { trick: over }) }));
}

/**
 * The cards that lie in the middle; of a trick that is complete, whose they are: they go there at its end.
 * @param {{zone: import("../sdk/index").Zone, view: View, faces: Record<string, Face>, trick?: import("../sdk/index").Trick} & Staging} props
 */
function Lying({ zone, view, faces, hold, sent, trick }) {
  const cards = trick?.cards ?? zone.cards;
  const own = sent && !cards.some(c => c.by === view.you) ? [{ ...sent, by: view.you }] : [];
  return h("section", { class: "zone trick" + (trick && hold ? " to-" + placeOf(view, trick.taken) : ""), style: { "--hold": `${hold ?? 0}ms` }, "aria-label": trick ? t("taken", { name: name(view, trick.taken) }) : zone.label },
    h("ul", { class: "cards", role: "list" }, [...cards, ...own].map((c, i) => h("li", { key: i, class: (c.by !== null ? placeOf(view, c.by) : "") + (trick?.taken === c.by ? " takes" : "") + (i >= cards.length ? " sent" : "") },
      h(Card, { face: c.face, faces }),
      c.by !== null && h("span", { class: "by" }, i === 0 && h("span", { role: "img", "aria-label": t("leads"), title: t("leads") }, "▸ "), h("bdi", null, name(view, c.by)))))));
}

/** How a deal ended, and what everybody had then. It stands until it was read. @param {{view: View, result: import("../sdk/index").Sheet, onSeen: () => void}} props */
function Result({ view, result, onSeen }) {
  return h("section", { class: "middle result", role: "status", "aria-label": t("result") },
    h(Sheet, { sheet: result, view, sums: sumsAfter(view, result.deal) }),
    h("button", { class: "main", onClick: onSeen }, t("go")));
}

/** @param {{view: View, ask: Ask | null}} props */
function Waiting({ view, ask }) {
  if (view.foul) return null;
  if (view.over) return h("p", { class: "waiting" }, t("over"));
  if (ask && !ask.may) return null;
  return h("div", { class: "waiting" }, view.waits.map((w, i) => {
    const own = !w.move && w.seats.includes(view.you);
    const names = w.seats.filter(s => s !== view.you).map(s => name(view, s)).join(", ");
    return h("p", { key: i }, own && [t("wait.own", { what: w.text }), " "],
      names && t(w.move ? "wait.move" : "wait.work", { names, what: w.text }));
  }));
}

/** How many answers of a kind stand side by side; more can be opened. */
const most = 12;

/** @param {{ask: Ask, table: Table, onHint?: (() => void) | null}} props */
function Panel({ ask, table, onHint }) {
  const groups = new Map();
  const barred = ask.parts.filter(p => p.why && p.place === null);
  for (const p of ask.parts) if (!p.why && p.place === null) groups.set(p.group, [...(groups.get(p.group) || []), p]);
  let n = 0;
  return h("section", { class: "panel" + (ask.may ? " may" : ""), "aria-live": ask.may ? "off" : "assertive", "aria-label": ask.may ? ask.prompt : t("your.turn") },
    h("header", null, h("h2", null, ask.prompt), onHint && !ask.may && h("button", { class: "hint", onClick: onHint }, t("hint"))),
    ask.says && h("p", { class: "says" }, ask.says),
    ask.proves?.length > 0 && h("details", { class: "proves" }, h("summary", null, t("will.prove")), h("ul", null, ask.proves.map((p, i) => h("li", { key: i }, p)))),
    ask.whole && h("p", { class: "confirm" },
      h("button", { class: "main", onClick: () => table.props.onAnswer(ask.picked) }, t("confirm")),
      h("button", { onClick: () => table.props.onPicked(null) }, t("undo"))),
    !ask.whole && ask.picked.length > 0 && h("button", { onClick: () => table.props.onPicked(null) }, t("undo")),
    [...groups].map(([group, parts]) => {
      const buttons = h("div", { class: "group " + group, key: group },
        parts.map(p => h("button", { key: p.pick, onClick: () => table.pick(p) },
          ++n < 10 && h("kbd", { "aria-hidden": true }, n), p.label,
          p.means?.length > 0 && h("small", null, p.means.join("; ")))),
        parts.filter(p => p.range).map(p => h(Amount, { key: "amount", part: p, table })));
      if (group === "end") return h("details", { class: "many", key: group }, h("summary", null, t("end.early")), buttons);
      return groups.size === 1 || parts.length <= most ? buttons : h("details", { class: "many", key: group },
        h("summary", null, t("many", { n: parts.length, first: parts[0].label, last: parts.at(-1).label })), buttons);
    }),
    barred.length > 0 && h("details", { class: "not-now" }, h("summary", null, t("barred"), ` (${barred.length})`),
      h("dl", null, barred.map(p => [h("dt", { key: p.pick }, p.label), h("dd", { key: p.pick + "?" }, h(Ruled, { text: p.why }))]))));
}

/** A number to be named in place of that at the end of a pick. @param {{part: Part, table: Table}} props */
function Amount({ part, table }) {
  const { least, greatest } = part.range;
  const name = event => {
    event.preventDefault();
    const n = event.target.elements.amount.valueAsNumber;
    if (Number.isInteger(n)) table.pick({ ...part, pick: part.pick.replace(/:\d+$/, ":" + n) });
  };
  return h("form", { class: "amount", onSubmit: name },
    h("label", null, t("amount", { least, greatest }), " ",
      h("input", { name: "amount", type: "number", inputMode: "numeric", min: least, max: greatest, step: 1, required: true })),
    h("button", { type: "submit" }, t("amount.go")));
}

/** What happened, the last first; or forward, in a log that speaks for itself. @param {{tells: Tell[], view: View, forward?: boolean}} props */
export class Tells extends Component {
  /** Most of what is drawn anew at a table tells nothing new. */
  shouldComponentUpdate(next) { return next.tells !== this.props.tells || next.forward !== this.props.forward; }

  render({ tells, view, forward }) {
    const shown = tells.slice(forward ? -40 : -200);
    const lines = linesOf(shown);
    return h("ol", { class: "tells", "aria-live": forward ? undefined : "polite", "aria-label": t("told"), reversed: !forward }, (forward ? lines : lines.reverse()).map(e =>
      "steps" in e ? h(Phase, { key: e.key, steps: e.steps, view }) : h(Told, { key: e.key, tell: e, view })));
  }
}

/** @param {{tell: Tell, view: View}} props */
function Told({ tell, view }) {
  return h("li", { class: tell.quiet ? "quiet" : "" },
    tell.seat !== null && h("b", null, tell.work && tell.seat === view.you ? t("your.browser") : h("bdi", null, name(view, tell.seat)), " "), h(Ruled, { text: tell.text }),
    tell.proofs?.length > 0 && h(Ticks, { proofs: tell.proofs }));
}

/** The kinds of work that have a line of their own in the words of pages. */
const works = ["key", "shuffle", "show", "give", "permute"];

/** What machines did one after another, in a line that unfolds. @extends {Component<{steps: Tell[], view: View}, {open: boolean}>} */
class Phase extends Component {
  render({ steps, view }, { open }) {
    const by = seats => (seats.length === view.chairs.length ? t("work.all") : seats.map(s => name(view, s)).join(", "));
    const n = steps.reduce((sum, s) => sum + (s.proofs?.length ?? 0), 0);
    return h("li", { class: "quiet" }, h("details", { class: "phase", onToggle: e => this.setState({ open: e.target.open }) },
      h("summary", null, worksOf(steps).map(w => t("work." + (works.includes(w.work) ? w.work : "other"), { who: by(w.seats) })).join(" · "),
        n > 0 && h("span", { class: "good", role: "img", "aria-label": t("verified", { n }) }, " ✓", n)),
      open && h("ol", { class: "tells" }, steps.map(s => h(Told, { key: s.key, tell: s, view })))));
  }
}

/** The proofs of a message, which are written out when somebody asks. @extends {Component<{proofs: import("../sdk/index").Proof[]}, {open: boolean}>} */
class Ticks extends Component {
  shouldComponentUpdate(next, state) { return state !== this.state; }

  render({ proofs }, { open }) {
    return h("details", { class: "ticks", onToggle: e => this.setState({ open: e.target.open }) },
      h("summary", { "aria-label": t("verified", { n: proofs.length }) }, "✓", proofs.length > 1 ? proofs.length : ""),
      open && h("ul", null, proofs.map((p, i) => h("li", { key: i }, p.text || t("relation." + p.relation), p.why && h("i", null, " ", p.why), h("small", null, " ", t("bytes", { n: p.bytes }))))));
  }
}

/** @param {{view: View, faces: Record<string, Face>}} props */
function Past({ view, faces }) {
  return h("ol", { class: "past" }, view.past.map((trick, i) => h("li", { key: i },
    h("span", { class: "cards" }, trick.cards.map((c, j) => h("span", { key: j }, h(Card, { face: c.face, faces, small: true }), h("small", null, c.by !== null && name(view, c.by))))),
    h("span", { class: "taken" }, t("taken", { name: name(view, trick.taken) })))));
}

/**
 * The list of the deals, as clubs keep it: the game, what it won or lost, and in the column of each seat what it has after a
 * deal that paid it anything; the sums are below.
 * @param {{view: View}} props
 */
function List({ view }) {
  const has = view.chairs.map(() => 0), minus = n => String(n).replace("-", "−");
  const row = s => s.payments.map(p => p.total ? has[p.seat] += p.total : null);
  const cell = (n, key) => h("td", { key, class: "points" }, n);
  return h("table", { class: "list" },
    h("thead", null, h("tr", null, h("th", { scope: "col" }, t("list.number")), h("th", { scope: "col" }, t("list.game")), h("th", { scope: "col" }, "+"), h("th", { scope: "col" }, "−"),
      view.chairs.map(c => h("th", { key: c.seat, scope: "col" }, h("bdi", null, c.name))))),
    h("tbody", null, view.sheets.map(s => {
      const paid = s.payments.map(p => p.total), won = Math.max(...paid), lost = Math.min(...paid);
      return h("tr", { key: s.deal }, h("th", { scope: "row" }, s.deal), h("td", null, s.text), cell(won > 0 && won, "+"), cell(lost < 0 && minus(lost), "-"),
        row(s).map((n, i) => cell(n !== null && minus(n), i)));
    })),
    h("tfoot", null, view.sums.map((s, i) => h("tr", { key: i }, h("th", { scope: "row", colSpan: 4 }, s.text),
      s.amounts.map((n, j) => cell(s.count ? n : signed(n), j))))));
}

/** @param {{view: View, onShow?: (deal: number) => void, onReplay?: (deal: number) => void}} props onReplay: of the page that replays the table already */
export function Sheets({ view, onShow, onReplay }) {
  if (!view.sheets.length) return h("p", { class: "hints" }, t("no.sheet"));
  return h("div", { class: "sheets" }, view.sums.length > 0 && h("div", { class: "scrolled", role: "region", tabIndex: 0, "aria-label": t("tab.sheet") }, h(List, { view })),
    [...view.sheets].reverse().map(s => h(Fragment, { key: s.deal }, h(Sheet, { sheet: s, view }), onShow && h("p", { class: "after" },
      h("button", { onClick: () => onShow(s.deal) }, t("result.again")), h(Link, { href: `/r/${view.table}#deal=${s.deal}`, ...onReplay && { onClick: e => { e.preventDefault(); onReplay(s.deal); } } }, t("replay.deal"))))));
}

/**
 * How a deal ended: what everybody got, and perhaps has now, and what that consists of.
 * @param {{sheet: import("../sdk/index").Sheet, view: View, sums?: import("../sdk/index").Sum[]}} props
 */
function Sheet({ sheet, view, sums = [] }) {
  const amounts = view.chairs.map(c => sheet.payments.find(p => p.seat === c.seat)?.total ?? 0);
  return h("section", { class: "deal" },
    h("h2", null, t("deal", { n: sheet.deal }), " ", h(Ruled, { text: sheet.text })),
    h("table", { class: "payments" },
      h("thead", null, h("tr", null, h("td", null), view.chairs.map(c => h("th", { key: c.seat, scope: "col" }, h("bdi", null, c.name))))),
      h("tbody", null, [{ text: t("this.deal"), amounts, count: false }, ...sums].map((s, i) => h("tr", { key: i }, h("th", { scope: "row" }, s.text || t("sum")),
        s.amounts.map((n, j) => h("td", { key: j, class: "points" }, h(i === 0 ? "b" : "span", null, s.count ? n : signed(n)))))))),
    sheet.lines.length > 0 && h("table", null, h("tbody", null, sheet.lines.map((l, i) => h("tr", { key: i },
      h("td", null, l.text, l.for && h("small", null, " → ", l.for), " ", h(Ruled, { text: l.rule })), h("td", { class: "points" }, signed(l.points)))))));
}
