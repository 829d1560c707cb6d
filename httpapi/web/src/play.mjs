// Play and watch: a table that goes on.
import { h, t, Desk, Link, about, log } from "./core.mjs";
import { Component } from "./preact.mjs";
import { Table } from "./table.mjs";

/** A page that has a Worker of its own for as long as it is shown. */
export class WithDesk extends Component {
  constructor(props) {
    super(props);
    this.state = { starting: t("starting"), ...this.first?.() };
    this.desk = new Desk(e => this.onEvent(e));
  }

  async componentDidMount() {
    try {
      await this.desk.start(step => this.setState({ starting: t(step) }));
      this.setState({ starting: null });
      await this.begin();
    } catch (e) {
      this.setState({ starting: null, failed: e.none ? t("no.module", { why: about.none || e.message }) : e.message, kind: e.kind });
    }
  }

  componentWillUnmount() { this.desk.stop(); }
  onEvent() {}
  begin() {}

  /** What is shown while there is nothing else, or nothing. */
  aside() {
    const { starting, failed } = this.state;
    if (failed) return h("p", { class: "status alarm", role: "alert" }, failed);
    return starting && h("p", { class: "status", role: "status" }, starting);
  }
}

let number = 0;

/** What a table that goes on shows, with the tells of this page's life. */
class Live extends WithDesk {
  first() { return { view: null, ask: null, tells: [], faces: {}, status: null }; }

  onEvent(e) {
    switch (e.event) {
      case "table":
        this.setState({ view: e.view, ask: e.ask && { ...e.ask, taken: {} }, faces: e.faces || this.state.faces });
        document.title = (e.ask && !e.ask.alone ? "● " + t("your.turn") + " – " : "") + "pakli";
        if (e.ask && document.hidden && globalThis.Notification?.permission === "granted") new Notification(t("your.turn"), { body: e.ask.prompt });
        break;
      case "tell":
        this.setState({ tells: [...this.state.tells, ...e.tells.map(x => ({ ...x, key: number++ }))] });
        break;
      case "state":
        this.setState({ status: e.state === "playing" ? null : { kind: e.alarm ? "alarm" : "note", text: t("state." + e.state, { n: e.n ?? 0, of: e.of ?? 0, why: e.text ?? "" }) }, state: e.state });
        break;
    }
  }

  render(props, { view, ask, tells, faces, status, state }) {
    if (!view) return h("main", { class: "page" }, h("h1", null, t("table")), this.aside(),
      !this.state.starting && !this.state.failed && h("p", { class: "status " + (status?.kind ?? ""), role: status?.kind === "alarm" ? "alert" : "status" }, status?.text || t("state.checking")));
    return h("main", { class: "at-table" }, this.aside(),
      h(Table, { view, ask, tells, faces, status,
        onConsider: picks => this.desk.call("consider", { table: props.id, picks }),
        onAnswer: picks => { this.setState({ ask: null, status: { kind: "note", text: t("state.sending") } }); return this.give(picks, ask.at); },
        onPicked: async next => this.setState({ ask: next || { ...(await this.desk.call("consider", { table: props.id, picks: [] })), taken: {} } }),
        onWhy: why => this.setState({ status: { kind: "note", text: why } }),
        onHint: view.you === null ? null : async () => { const hint = await this.desk.call("hint", { table: props.id }); this.setState({ status: { kind: "note", text: hint ? t("hint.is", { text: hint }) : t("hint.none") } }); },
      },
      view.you !== null && ask && h(Typed, { onLine: line => this.typed(line) }),
      state === "elsewhere" && h("button", { class: "main", onClick: () => this.begin(true) }, t("play.here")),
      view.you !== null && this.canAsk() && h("button", { onClick: async () => { this.permission = await Notification.requestPermission(); this.setState({}); } }, t("notify")),
      h("p", { class: "after" },
        h(Link, { href: `/verify?table=${props.id}` }, t("verify.myself")), " ",
        h(Link, { href: `/r/${props.id}` }, t("replay")), " ",
        h("a", { href: `${log}/v1/tables/${props.id}/bundle`, download: `${props.id.slice(0, 12)}.pakli` }, t("take.home")))));
  }

  /** Whether the browser may be asked to tell of turns: on a click alone. To read the permission stops the page until another process answers, so it is read once. */
  canAsk() { return (this.permission ??= globalThis.Notification?.permission) === "default"; }

  /** Give an answer to the question that was asked after so many messages, and to no later one: a second click comes too late. */
  async give(picks, at) {
    try {
      await this.desk.call("answer", { table: this.props.id, picks, at });
    } catch (e) {
      this.setState({ status: { kind: "note", text: e.message } });
    }
  }

  async typed(line) {
    const answer = await this.desk.call("typed", { table: this.props.id, line, picks: this.state.ask?.picked || [] });
    if (answer.why) return this.setState({ status: { kind: "note", text: answer.why } });
    if (answer.ask.whole && !answer.ask.weighs) {
      this.setState({ ask: null });
      return this.give(answer.ask.picked, answer.ask.at);
    }
    this.setState({ ask: { ...answer.ask, taken: {} } });
  }
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
      await this.desk.call("sit", { url: log, key: about.key, table: this.props.id, here: Boolean(here), kept });
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
    return h("section", { class: "status alarm", role: "alert" }, h("p", null, t("kept.ask")),
      h("button", { class: "main", onClick: async () => { await backUp(this.desk, this.props.id); await this.begin(false, "backup"); } }, t("kept.backup")), " ",
      h("button", { onClick: () => this.begin(false, "trifling") }, t("kept.trifling")));
  }
}

/** Ask the browser to keep what is stored here; false if it may be evicted. */
export async function keeps() {
  return Boolean(navigator.storage && ((await navigator.storage.persisted?.()) || (await navigator.storage.persist?.())));
}

/** Let the player save the seat of a table as a file. */
export async function backUp(desk, table) {
  const { name, file } = await desk.call("seat.export", { url: log, key: about.key, table });
  save(`${name}.seat`, file, "application/json");
}

export function save(name, content, type) {
  const a = document.createElement("a");
  a.href = URL.createObjectURL(new Blob([content], { type }));
  a.download = name;
  a.click();
  setTimeout(() => URL.revokeObjectURL(a.href), 1000);
}

export class Watch extends Live {
  async begin() {
    await this.desk.call("watch", { url: log, key: about.key, table: this.props.id });
  }
}
