// Play and watch: a table that goes on.
import { h, t, Desk, Link, about, codeOf, failure, go, log, set, setting } from "./core.mjs";
import { Component } from "./preact.mjs";
import { Table, Tells } from "./table.mjs";
import { Copy } from "./copy.mjs";
import { Director } from "./director.mjs";
import { sound } from "./sound.mjs";
import { drawnCards } from "./course.mjs";
import { Leaving } from "./leaving.mjs";
import { readClock } from "./clock.mjs";
import { EventBar } from "./eventbar.mjs";

/** A page that has a Worker of its own for as long as it is shown. */
export class WithDesk extends Component {
  constructor(props) {
    super(props);
    this.state = /** @type {any} */ ({ starting: t("starting"), ...this.first() }); // each page has its own
    this.desk = new Desk(e => this.onEvent(e));
  }

  /** What is there before anything was asked. @returns {object} */
  first() { return {}; }

  async componentDidMount() {
    if (!isSecureContext) return this.setState({ starting: null, failed: t("needs.https") }); // no Worker of ours starts there
    try {
      await this.desk.start(step => this.setState({ starting: t(step) }));
      this.setState({ starting: null });
      await this.begin();
    } catch (e) {
      this.setState({ starting: null, ...failure(e), ...(e.none && { failed: t("no.module", { why: about.none || e.message }) }) });
    }
  }

  componentWillUnmount() { this.desk.stop(); }

  /** @param {any} e */
  onEvent(e) {}

  /** What the page does once its Worker has started. @param {...any} how @returns {any} */
  begin(...how) {}

  /** What is shown while there is nothing else, or nothing. */
  aside() {
    const { starting, failed, english } = this.state;
    if (failed) return h("p", { class: "status alarm", role: "alert", lang: english ? "en" : undefined }, failed);
    return starting && h("p", { class: "status", role: "status" }, starting);
  }
}

let number = 0;

/** After so many minutes without a message of a seat, the others are told that play stops. */
const patient = 3;

/** How many times as fast as usual a table is shown, as the player or the system wants it. Text, and a page that nobody sees, keep nobody waiting. */
const speed = () => setting("text", false) || document.hidden ? Infinity : setting("pace", "usual") === "fast" || matchMedia("(prefers-reduced-motion: reduce)").matches ? 3 : 1;

/** Say in the tab whose turn it is, and mark it where it is one's own. @param {string} who @param {boolean} own */
export function named(who, own) {
  document.title = (own ? "● " : "") + (who ? who + " – " : "") + "pakli";
  const picture = document.createElement("canvas"), brush = picture.getContext("2d");
  picture.width = picture.height = 32;
  brush.fillStyle = "#1f5c46";
  brush.fillRect(5, 1, 22, 30);
  brush.fillStyle = own ? "#d9a520" : "#f4f6f0";
  brush.arc(own ? 21 : 16, own ? 11 : 16, own ? 11 : 5, 0, 2 * Math.PI);
  brush.fill();
  /** @type {HTMLLinkElement} */ (document.querySelector("link[rel=icon]")).href = picture.toDataURL();
}

/** What a table that goes on shows, with the tells of this page's life: as cards, or as text. */
class Live extends WithDesk {
  first() {
    this.told = [];
    this.tells = [];
    this.director = new Director(scene => this.showScene(scene), { speed });
    return { view: null, ask: null, tells: [], drawn: [], faces: {}, status: null, words: setting("text", false), text: "" };
  }

  async componentDidMount() {
    this.pressed = e => this.onKey(e);
    addEventListener("keydown", this.pressed);
    this.ticking = setInterval(() => this.state.clock && this.lookAtClock(), 10000); // marks may have come
    await super.componentDidMount();
  }

  /** How much time those have for whom the table waits, as the server counts it by marks. The table as it is then may be shown only later. */
  async lookAtClock() {
    if (this.clockless) return;
    const { entries } = this, left = await readClock(this.props.id);
    this.clockless = left === null;
    if (left) this.setState({ clock: { entries, left, at: Date.now() } });
  }

  componentWillUnmount() {
    super.componentWillUnmount();
    clearInterval(this.ticking);
    removeEventListener("keydown", this.pressed);
    clearInterval(this.still);
    this.director.stop();
    named("", false);
  }

  onKey(e) {
    if (e.target.closest?.("input, textarea, select, dialog") || e.altKey || e.ctrlKey || e.metaKey || !this.state.view) return;
    if (e.key === "m") this.note(t("sound." + (set("sound", setting("sound", "off") === "off" ? "on" : "off"), setting("sound", "off"))));
    else if (e.key === "t") this.inWords(!this.state.words);
    else if (e.key === "/") /** @type {HTMLElement} */ (document.querySelector(".typed input"))?.focus();
    else return;
    e.preventDefault();
  }

  /** Show the table as text from now on, or as cards; this browser remembers it. */
  inWords(words) {
    set("text", words);
    this.setState({ words });
  }

  /** The text is the module's, as a terminal shows it: asked for when anything in it may be another. */
  async componentDidUpdate(props, before) {
    const { view, ask, words } = this.state;
    if (!words || !view || before.words === words && before.view === view && before.ask === ask) return;
    const text = await this.desk.call("text", { table: this.props.id, picks: ask?.picked ?? [] }).catch(() => null);
    if (text !== null && this.state.view === view && this.state.ask === ask) this.setState({ text });
  }

  onEvent(e) {
    switch (e.event) {
      case "table":
        this.stirs(e.view);
        this.entries = e.view.entries;
        this.lookAtClock();
        this.given = false;
        this.setState({ status: null });
        this.director.push({ view: e.view, ask: e.ask, faces: e.faces, tells: this.told.splice(0) });
        break;
      case "tell":
        this.told.push(...e.tells.map(x => ({ ...x, key: number++ }))); // shown with the table as it is after them
        break;
      case "present":
        this.setState({ present: e.seats });
        break;
      case "state":
        if (e.alarm) this.director.skip(); // it is about what the log has said last
        this.setState({ status: e.state === "playing" ? null : { kind: e.alarm ? "alarm" : "note", text: t("state." + (e.state === "away" && !this.given ? "asked" : e.state), { n: e.n ?? 0, of: e.of ?? 0, why: e.text ?? "" }) }, state: e.state });
        break;
    }
  }

  /** Show a frame, and say to who looks elsewhere what it asks. @param {import("./director.mjs").Scene} scene */
  showScene(scene) {
    const { view, ask, faces, tells, winner, result, hold } = scene;
    if (tells?.length) this.tells = [...this.tells, ...tells];
    const drawn = drawnCards(this.state.view, view, this.state.drawn);
    this.setState({ view, drawn, ask: this.asked(ask), tells: this.tells, winner, result, hold, sent: null, ...(faces && { faces }) });
    const wanted = ask && !ask.may, turn = wanted && !ask.alone;
    named(turn ? t("your.turn") : view.waits.filter(w => w.move).flatMap(w => w.seats).filter(s => s !== view.you).map(s => view.chairs[s].name).join(", "), turn);
    if (wanted && document.hidden && globalThis.Notification?.permission === "granted") new Notification(t("your.turn"), { body: ask.prompt });
    if (turn && navigator.userActivation?.hasBeenActive) navigator.vibrate?.(40);
    sound(result ? "result" : turn ? "turn" : winner !== undefined ? "trick" : hold ? "card" : null);
  }

  /** What is asked, with nothing picked; what was picked when the same question was withdrawn is picked again. */
  asked(ask) {
    const half = this.state.ask?.picked.length ? { ...this.state.ask, prompt: this.prompt } : this.half;
    this.half = ask ? null : half;
    if (!ask) return null;
    const fresh = { ...ask, taken: {} };
    if (half?.prompt === ask.prompt) this.pickHalf(fresh, half);
    this.prompt = ask.prompt;
    return fresh;
  }

  async pickHalf(fresh, { picked, taken }) {
    const next = await this.desk.call("consider", { table: this.props.id, picks: picked }).catch(() => null);
    if (next && this.state.ask === fresh) this.setState({ ask: { ...next, taken } });
  }

  /** Say something of the moment. */
  note(text) { this.setState({ status: { kind: "note", text } }); }

  answer(picks, at) {
    this.setState({ ask: null, sent: this.cardOf(picks), status: { kind: "note", text: t("state.sending") } });
    this.given = true;
    return this.give(picks, at);
  }

  /** The card of the own hand that an answer plays: it lies on the table at once, marked until the log has it. */
  cardOf(picks) {
    const { view, ask } = this.state;
    if (picks.length !== 1 || !view.zones.some(z => z.layout === "trick")) return null;
    const place = ask?.parts.find(p => p.pick === picks[0])?.place ?? null;
    return place === null ? null : view.zones.find(z => z.layout === "hand" && z.seat === view.you)?.cards.find(c => c.place === place) ?? null;
  }

  async pickAgain(next) {
    this.setState({ ask: next || { ...(await this.desk.call("consider", { table: this.props.id, picks: [] })), taken: {} } });
  }

  async advise() {
    const hint = await this.desk.call("hint.picks", { table: this.props.id }).catch(() => null);
    this.note(hint ? t("hint.is", { text: hint.text }) + (hint.why.length ? " " + t("hint.why", { why: hint.why.join("; ") }) : "") : t("hint.none"));
  }

  render(props, { view, ask, tells, faces, status, state, words, text, winner, result, hold, sent, drawn, present, clock }) {
    if (!view) return h("main", { class: "page" }, h("h1", null, t("table")), this.aside(),
      !this.state.starting && !this.state.failed && h("p", { class: "status " + (status?.kind ?? ""), role: status?.kind === "alarm" ? "alert" : "status" }, status?.text || t("state.checking")));
    const links = [
      (state === "elsewhere" || state === "copy") && h("button", { key: "here", class: "main", onClick: () => this.begin(true) }, t("play.here")),
      h("p", { key: "links", class: "after" }, h(Link, { href: `/r/${props.id}` }, t("replay")), h(Link, { href: `/verify?table=${props.id}` }, t("verify.myself"))),
      h(EventBar, { key: "event", desk: this.desk, table: props.id, over: view.over })];
    const foot = [
      h(Leaving, { key: "leaving", view, desk: this.desk }),
      (words || view.you !== null) && h(Typed, { key: "typed", onLine: line => this.typed(line) }),
      h("p", { key: "after", class: "after" },
        h("button", { onClick: () => this.inWords(!words) }, words ? t("text.off") : t("text")),
        view.you !== null && !view.over && this.canAsk() && h("button", { onClick: async () => { this.permission = await Notification.requestPermission(); this.setState({}); } }, t("notify")),
        h("a", { href: `${log}/v1/tables/${props.id}/bundle`, download: `${props.id.slice(0, 12)}.pakli` }, t("take.home")),
        h("small", null, t("code"), " ", h("code", null, codeOf(props.id))))];
    if (words) return h("main", { class: "page" }, this.aside(), h(Words, { view, ask, tells, status, text }), links, foot);
    return h("main", { class: "at-table" }, this.aside(),
      h(Table, { view, ask, tells, faces, status, winner, result, hold, sent, drawn, links, clock: clock?.entries === view.entries ? clock : null, present: view.over ? null : present,
        onSeen: () => this.director.next(),
        onConsider: picks => this.desk.call("consider", { table: props.id, picks }),
        onAnswer: picks => this.answer(picks, ask.at),
        onPicked: next => this.pickAgain(next),
        onWhy: why => this.note(why),
        onHint: view.you === null ? null : () => this.advise(),
      }, foot));
  }

  /** The table has moved. If it stands still from now on, the player is told why. */
  stirs(view) {
    clearInterval(this.still);
    const since = Date.now(), others = [...new Set(view.waits.flatMap(w => w.seats))].filter(s => s !== view.you);
    const names = others.map(s => view.chairs.find(c => c.seat === s)?.name).join(", ");
    if (names) this.still = setInterval(() => {
      const n = Math.floor((Date.now() - since) / 60000);
      if (n >= patient) this.setState({ status: { kind: "note", text: t("state.quiet", { names, minutes: n }) } });
    }, 15000);
  }

  /** Whether the browser may be asked to tell of turns: on a click alone. To read the permission stops the page until another process answers, so it is read once. */
  canAsk() { return (this.permission ??= globalThis.Notification?.permission) === "default"; }

  /** Give an answer to the question that was asked after so many messages, and to no later one: a second click comes too late. */
  async give(picks, at) {
    try {
      await this.desk.call("answer", { table: this.props.id, picks, at });
    } catch (e) {
      this.setState({ sent: null, status: { kind: "note", text: e.message } });
    }
  }

  /** What a terminal does with a line: an empty one does what was weighed, or takes picks back. */
  async typed(line) {
    if (this.director.isBehind()) return this.director.skip(); // nobody answers a question that is not shown yet
    const { ask } = this.state;
    if (!line.trim()) return ask?.whole ? this.answer(ask.picked, ask.at) : ask?.picked.length ? this.pickAgain() : undefined;
    const came = await this.desk.call("typed", { table: this.props.id, line, picks: ask?.whole ? [] : ask?.picked ?? [] });
    if (came.command === "quit") return go("/lobby");
    if (came.said || came.why) return this.note(came.said || came.why);
    if (came.ask.whole && !came.ask.weighs) return this.answer(came.ask.picked, came.ask.at);
    this.setState({ ask: { ...came.ask, taken: {} }, status: null });
  }
}

/** A table as text: what happened, what lies there, and what is asked, in the order in which it is read. */
function Words({ view, ask, tells, status, text }) {
  return h("div", { class: "in-words" },
    h("h1", null, t("table")),
    h("h2", null, t("told")), h("div", { class: "log", role: "log", "aria-label": t("told"), tabIndex: 0, ref: e => { if (e) e.scrollTop = e.scrollHeight; } }, h(Tells, { view, tells, forward: true })),
    h("h2", null, t("text.now")), h("pre", { class: "text-view", tabIndex: 0, "aria-label": t("text.now") }, text),
    h("p", { class: "prompt", "aria-live": ask?.may ? "off" : "assertive" }, ask?.whole ? t("confirm.type", { says: ask.says }) : ask?.prompt ?? ""),
    h("p", { class: "status " + (status?.kind ?? ""), role: status?.kind === "alarm" ? "alert" : "status", hidden: !status }, status?.text));
}

/** A line that takes what the terminal takes. */
function Typed({ onLine }) {
  return h("form", { class: "typed", onSubmit: e => {
    e.preventDefault();
    const input = e.target.elements.line;
    onLine(input.value);
    input.value = "";
  } }, h("label", null, h("span", { class: "hidden" }, t("typed")), h("input", { name: "line", autocomplete: "off", placeholder: t("typed") })));
}

// Tabs of this browser speak of tables here: { ask: table } asks the tab that plays there to let
// go, and it answers { left: table } when its last write is done.
/** @type {() => any} */
const tabs = "BroadcastChannel" in globalThis ? () => new BroadcastChannel("pakli") : () => ({ postMessage() {}, close() {} });

/** How long another tab has to let go of a seat. Tabs in the background are slow. */
const patience = 5000;

export class Play extends Live {
  async componentDidMount() {
    this.tabs = tabs();
    this.tabs.onmessage = ({ data }) => this.onTab(data);
    this.awake = () => this.stayAwake();
    document.addEventListener("visibilitychange", this.awake);
    await super.componentDidMount();
  }

  componentWillUnmount() {
    super.componentWillUnmount();
    this.tabs.close();
    document.removeEventListener("visibilitychange", this.awake);
    this.lock?.release();
  }

  async onTab(data) {
    if (data.left === this.props.id) this.onLeft?.();
    if (data.ask !== this.props.id || this.seated !== true) return;
    this.seated = false;
    this.lock?.release();
    await this.desk.call("leave", { table: this.props.id });
    this.tabs.postMessage({ left: this.props.id });
    await this.look();
  }

  async begin(here, kept) {
    this.setState({ failed: null, kind: null, status: null });
    kept ||= (await keeps()) ? "persisted" : "";
    try {
      await this.desk.call("sit", { url: log, key: about.key, table: this.props.id, policy: about.policy, here: Boolean(here), kept });
      this.seated = true;
      this.setState({ held: null });
      await this.stayAwake();
    } catch (e) {
      if (e.kind === "held") return this.look();
      if (e.kind === "noseat") return this.onlook();
      this.setState({ failed: e.kind === "damaged" ? t("state.damaged") : e.message, kind: e.kind });
    }
  }

  /** Nobody of this browser sits here: watch, and sit down if the table names a seat of this browser and its owner says so. */
  async onlook() {
    const named = await this.desk.call("seat.named", { url: log, key: about.key, table: this.props.id });
    this.setState({ named });
    await this.desk.call("watch", { url: log, key: about.key, table: this.props.id });
  }

  /** Another tab of this browser has the seat: watch, until it is asked for. */
  async look(held = t("held")) {
    this.setState({ held, view: null, ask: null, status: null });
    await this.desk.call("watch", { url: log, key: about.key, table: this.props.id });
  }

  /** Ask the tab that has the seat to let go, and sit down. */
  async takeOver() {
    this.setState({ held: t("held.asked") });
    const left = new Promise(done => { this.onLeft = () => done(true); setTimeout(done, patience, false); });
    this.tabs.postMessage({ ask: this.props.id });
    const free = await left;
    await this.begin();
    if (!free && this.state.held) this.setState({ held: t("held.stays") });
  }

  /** A phone that sleeps keeps the others waiting. Browsers let go when the page is hidden. */
  async stayAwake() {
    if (!this.seated || document.hidden) return;
    this.lock = await navigator.wakeLock?.request("screen").catch(() => null); // a battery that is low, or a browser's own rule
  }

  /** Nothing is signed before the seat is kept: a lost seat would stop the table for all. */
  aside() {
    if (this.state.held) return h("section", { class: "status", role: "status" }, h("p", null, this.state.held), h("button", { class: "main", onClick: () => this.takeOver() }, t("play.here")));
    if (this.state.named) return h("section", { class: "status", role: "status" }, h("p", null, t("named.here", { name: this.state.named.name })),
      h("button", { class: "main", onClick: async () => { await this.desk.call("seat.adopt", { url: log, key: about.key, table: this.props.id }); this.setState({ named: null }); await this.begin(); } }, t("sit.down")));
    if (this.state.kind !== "kept") return super.aside();
    return h("section", { class: "status", role: "status" }, h("p", null, t("kept.ask")),
      h(Copy, { desk: this.desk, of: { url: log, key: about.key, table: this.props.id }, onDone: () => this.begin(false, "backup") }),
      h("button", { onClick: () => this.begin(false, "trifling") }, t("kept.trifling")));
  }
}

/** Ask the browser to keep what is stored here; false if it may be evicted. */
export async function keeps() {
  return Boolean(navigator.storage && ((await navigator.storage.persisted?.()) || (await navigator.storage.persist?.())));
}

export function save(name, content, type) {
  const a = document.createElement("a");
  a.href = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  a.download = name;
  a.click();
  setTimeout(() => URL.revokeObjectURL(a.href), 1000);
}

export class Watch extends Live {
  async begin() {
    await this.desk.call("watch", { url: log, key: about.key, table: this.props.id });
  }
}
