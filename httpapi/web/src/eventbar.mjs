// What the pages of events share with that of a table: an event is followed, and its player says something, at
// either of them. The module says who is who; what is here asks and shows.
import { h, t, about, failure, gameName, go, Invitation, Link, log, serverSays, signed } from "./core.mjs";
import { Component } from "./preact.mjs";
import { keeps } from "./play.mjs";
import { isTime } from "./schedule.mjs";

export const at = () => ({ url: log, key: about.key });

/** A term in words. */
export const Terms = ({ game, preset, terms }) => h("ul", { class: "terms" }, h("li", null, gameName(game), preset && ", " + t("preset." + preset)), terms.map((x, i) => h("li", { key: i }, x)));

/** What a page shows of an error of an event: what to do first, where a decision came too early. */
export const eventFailure = e => (e.kind?.startsWith("departs ") ? { failed: t("remedy." + e.kind.slice(8)), english: false } : failure(e));

/** How often an event is looked at while nothing is heard of it, and how soon when something is. */
const every = 10000, soon = 250;

/** Keeps an event as it stands for whoever shows it. */
export class Follower {
  /** @param {any} desk @param {string} event its id or its code @param {(view: any) => void} onView @param {(e: any) => void} onError */
  constructor(desk, event, onView, onError) {
    this.desk = desk;
    this.event = event;
    this.onView = onView;
    this.onError = onError;
    this.how = {};
    this.busy = false; // the own seat plays at a table
    this.timer = setInterval(() => this.look(), every);
  }

  /** Look now; while a look is under way, once more after it. */
  look(how = {}) {
    Object.assign(this.how, how);
    this.again = true;
    return (this.looking ??= this.lookUntilNew().finally(() => { this.looking = null; }));
  }

  async lookUntilNew() {
    while (this.again && !this.stopped) {
      this.again = false;
      await this.lookOnce();
    }
  }

  async lookOnce() {
    try {
      const view = await this.desk.call("event.look", { ...at(), event: this.event, ...this.how });
      if (this.stopped) return;
      this.listen(view);
      this.onView(view);
      this.draw(view);
    } catch (e) {
      if (!this.stopped) this.onError(e);
    }
  }

  /** The server rings when something has come, and is believed in nothing. */
  listen({ id, stage }) {
    if (this.bell || stage === "over" || stage === "cancelled") return;
    this.bell = new EventSource(`${log}/v1/events/${id}/stream`);
    const ring = () => { clearTimeout(this.rung); this.rung = setTimeout(() => this.look(), soon); };
    this.bell.onmessage = ring;
    this.bell.addEventListener("table", ring);
  }

  /** The own seats shuffle at the table of the draw: nobody chooses anything there. */
  async draw({ id, own }) {
    if (!own.draw || this.drawing === own.draw || this.busy) return;
    this.drawing = own.draw;
    try {
      await this.desk.call("event.draw", { ...at(), event: id, table: own.draw });
    } catch (e) {
      this.drawing = null;
      this.onError(e);
    }
    this.look();
  }

  stop() {
    this.stopped = true;
    clearInterval(this.timer);
    clearTimeout(this.rung);
    this.bell?.close();
  }
}

/** Something that is said with a reason, behind a summary. */
export class Say extends Component {
  async send(form) {
    this.setState({ busy: true, failed: null });
    try {
      await this.props.onSay(form.elements);
      this.setState({ busy: false, said: true });
    } catch (e) {
      this.setState({ busy: false, ...eventFailure(e) });
    }
  }

  render({ label, lead, action, children, reason = true, open }, { busy, failed, english, said }) {
    return h("details", { class: "say", open, ref: e => { if (e && said) { e.open = false; this.setState({ said: false }); } } }, h("summary", null, label),
      h("form", { class: "ways", onSubmit: e => { e.preventDefault(); this.send(e.target); } },
        lead && h("p", null, lead), children,
        reason && h("label", null, t("event.reason"), h("textarea", { name: "reason", rows: 2, required: true, maxLength: 500 })),
        failed && h("p", { class: "status alarm", role: "alert", lang: english ? "en" : undefined }, failed),
        h("button", { class: "main", disabled: busy }, busy ? t("busy.event") : action ?? label)));
  }
}

/** The tables of the last round that are in play. */
export const tablesInPlay = view => (view.rounds[0]?.tables ?? []).filter(x => x.id && !["sound", "adjudicated", "foul"].includes(x.state));

/** Who sits out takes the seat of a player who has gone: this browser accepts, and who rules has that from the link. */
class Substitute extends Component {
  async accept(value) {
    const [table, seat] = value.split(" "), kept = (await keeps()) ? "persisted" : "trifling";
    this.setState({ made: await this.props.desk.call("event.accept", { ...at(), event: this.props.view.id, table, seat: Number(seat), kept }) });
  }

  render({ view }, { made }) {
    if (made) return h("div", { class: "status", role: "status" }, h("p", null, t("event.sub.show")), h(Invitation, made), h("p", null, h("input", { class: "key", readOnly: true, value: made.link, "aria-label": t("event.reseat.link"), onFocus: e => e.target.select() }), " ",
      h("button", { onClick: async () => { await navigator.clipboard?.writeText(made.link); this.setState({ copied: true }); } }, t(this.state.copied ? "copied" : "copy"))));
    return h(Say, { label: t("event.sub"), lead: t("event.sub.lead"), reason: false, onSay: f => this.accept(f.place.value) }, h("label", null, t("event.sub.seat"), " ",
      h("select", { name: "place" }, tablesInPlay(view).flatMap(x => x.players.map((name, i) => h("option", { key: `${x.id} ${i}`, value: `${x.id} ${i}` }, `${x.round}/${x.number}: ${name}`))))));
  }
}

/** What a player does: call, appeal, stay away, leave. Shown on the event's page and at the table. */
export function PlayerWays({ desk, view, table, onDone }) {
  const { own } = view, tell = (kind, args) => desk.call("event.say", { ...at(), event: view.id, kind, ...args }).then(onDone);
  if (!["accepted", "out"].includes(own.state) || view.stage === "over" || view.stage === "cancelled") return null;
  const here = table ?? (own.table?.id && !["sound", "adjudicated", "foul"].includes(own.table.state) ? own.table.id : null);
  const rulings = view.rulings.filter(r => !["uphold", "overturn"].includes(r.do) && !r.state);
  const left = [...Array(view.of).keys()].map(n => n + 1).filter(n => n > view.round);
  const busy = own.table && tablesInPlay(view).some(x => x.id === own.table.id);
  return h("section", { class: "player-ways" },
    !table && !busy && own.state === "accepted" && tablesInPlay(view).length > 0 && h(Substitute, { desk, view }),
    here && h(Say, { label: t("event.call"), lead: t("event.call.lead"), onSay: f => tell("call", { about: here, reason: f.reason.value }) }),
    rulings.length > 0 && h(Say, { label: t("event.appeal"), lead: t("event.appeal.lead"), onSay: f => tell("appeal", { about: f.ruling.value, reason: f.reason.value }) },
      h("label", null, t("event.ruling"), " ", h("select", { name: "ruling" }, rulings.map(r => h("option", { key: r.hash, value: r.hash }, rulingText(r)))))),
    left.length > 0 && own.state === "accepted" && [
      h(Say, { key: "skip", label: t("event.skip"), lead: t("event.skip.lead"), reason: false, onSay: f => tell("skip", { round: Number(f.round.value) }) },
        h("label", null, t("event.which.round"), " ", h("select", { name: "round" }, left.map(n => h("option", { key: n, value: n }, n))))),
      h(Say, { key: "withdraw", label: t("event.withdraw"), lead: t("event.withdraw.lead"), reason: false, onSay: () => tell("withdraw", { round: left[0] }) })]);
}

/** What a ruling does, in words. */
export const rulingText = r => [t("rule." + r.do, { on: r.on }), !r.points.length && r.player, r.table && t("event.table.nth", { n: r.table }), r.deal > 0 && t("deal.nth", { n: r.deal }), r.round > 0 && t("club.round", { n: r.round }), r.points.map(p => `${p.name} ${signed(p.points)}`).join(", ")].filter(Boolean).join(" · ");

/** On a table's page: whose event it is of, and what a player can do without leaving. */
export class EventBar extends Component {
  async componentDidMount() {
    const row = (await serverSays(`tables?id=${this.props.table}&limit=1`).catch(() => null))?.tables[0];
    if (!row?.event || this.gone) return;
    this.follower = new Follower(this.props.desk, row.event, view => this.setState({ view }), e => this.setState(failure(e)));
    this.follower.busy = !this.props.over;
    this.setState({ row });
    this.follower.look();
  }

  /** The own table that is in play, if it is another one. */
  next() {
    const own = this.state.view?.own.table;
    return this.props.over && own?.id && own.id !== this.props.table && own.stands && !["over", "foul"].includes(own.stands) ? own.id : null;
  }

  lead() { return lead(this.props.desk, this.state.view, () => this.gone).catch(e => this.setState(failure(e))); }

  /** When this table is over, the one that begins next is where the player goes. */
  componentDidUpdate() {
    if (!this.follower || !this.state.view) return;
    this.follower.busy = !this.props.over;
    this.had ??= this.state.view.own.table?.id ?? ""; // when this page came
    const next = this.next();
    if (!next || next === this.had) return;
    this.had = next;
    this.lead();
  }

  componentWillUnmount() {
    this.gone = true;
    this.follower?.stop();
  }

  render({ desk, table, over }, { view, row, failed }) {
    if (!row) return null;
    return h("section", { class: "event-bar" }, h("p", { class: "after" }, h(Link, { href: `/events/${view?.code ?? row.event}` }, view ? h("bdi", null, view.name) : t("event")),
      row.round > 0 && h("small", null, t("event.place", { round: row.round, n: row.number }))),
      failed && h("p", { class: "hints" }, failed),
      view?.remarks.filter(r => !isTime(r.text)).slice(0, 3).map(r => h("p", { key: r.index, class: "remark" }, h("bdi", null, r.text), " ", h("small", null, h("bdi", null, r.by)))),
      this.next() ? h("p", null, h("button", { class: "main", onClick: () => this.lead() }, t("to.table")))
        : over && view?.own.state === "accepted" && view.stage === "running" && view.round < view.of && h("p", { role: "status" }, t("event.wait.next")),
      view && h(PlayerWays, { desk, view, table: view.own.table?.id === table && !over ? table : null, onDone: () => this.follower.look() }));
  }
}

/** Sit down where the round seats the own player, and go there. */
export async function lead(desk, view, isGone) {
  await keeps();
  const table = view.own.table.id;
  await desk.call("event.sit", { ...at(), event: view.id, table });
  if (!isGone()) go(`/t/${table}`);
}
