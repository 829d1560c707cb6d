// Events: the list of them, and the page of one, from its announcement to its standings. The module says who is
// who and what is next; what is here asks and shows.
import { h, t, about, failure, gameName, Invitation, lang, Link, log, pushAddress, set, setting, signed } from "./core.mjs";
import { Component } from "./preact.mjs";
import { Waits } from "./clock.mjs";
import { WithDesk, keeps, named, save } from "./play.mjs";
import { at, Follower, lead, PlayerWays, rulingText, Terms } from "./eventbar.mjs";
import { Changes } from "./open.mjs";
import { Official, Organise } from "./organise.mjs";
import { calendarOf, roundTimes } from "./schedule.mjs";
import { sound } from "./sound.mjs";

/** A date in the reader's language. */
const dated = text => (text ? new Date(text + "T12:00").toLocaleDateString(lang(), { dateStyle: "long" }) : "");
const days = e => (e.from && e.to && e.to !== e.from ? `${dated(e.from)} – ${dated(e.to)}` : dated(e.from));

/** A time in the reader's language and time zone, with its name. */
const timed = time => time.toLocaleString(lang(), { weekday: "long", day: "numeric", month: "long", year: "numeric", hour: "2-digit", minute: "2-digit", timeZoneName: "long" });

/** So many minutes before a round begins, the page of the event reminds. */
const soon = 10;

/** What the seats of this browser are in an event: for that it has asked to be told. */
const seatsIn = v => [v.id, v.own.number, ...v.own.roles].join(" ");

/** Points, of which so many are one. */
const points = (n, unit) => (n === null ? "–" : unit === 1 ? signed(n) : (n / unit).toFixed(2).replace("-", "−"));

export class Events extends WithDesk {
  first() { return { list: null }; }
  async begin() { this.setState({ list: await this.desk.call("event.list", at()) }); }

  render(props, { list }) {
    const of = stage => list.filter(e => e.stage === stage);
    return h("main", { class: "page" }, h("h1", null, t("events")), h("p", null, t("events.lead")), this.aside(),
      h("p", { class: "actions" }, h(Link, { href: "/events/new", class: "button main" }, t("event.new"))),
      list && ["running", "upcoming", "over"].map(stage => h("section", { key: stage }, h("h2", null, t("events." + stage), " ", h("small", null, t("as.server.says"))),
        of(stage).length ? h("ul", { class: "rows" }, of(stage).map(e => h("li", { key: e.id }, h(Link, { href: `/events/${e.code}` }, h("bdi", null, e.name)),
          h("small", null, [gameName(e.game), days(e), t("event.players", { n: e.players }), stage === "running" && t("event.round", { n: e.rounds, of: e.of })].filter(Boolean).join(" · "))))) : h("p", { class: "empty" }, t("events.none")))));
  }
}

export class Event extends WithDesk {
  first() { return { view: null, name: setting("name", ""), club: setting("event.club", ""), without: "" }; }

  async begin() {
    const asked = new URLSearchParams(location.hash.slice(1));
    if (asked.get("name")) this.setState({ name: asked.get("name"), club: asked.get("club") ?? "" });
    if (asked.get("accept")) this.setState({ given: location.href });
    this.persists = Boolean(await navigator.storage?.persisted?.());
    this.follower = new Follower(this.desk, this.props.code, view => this.show(view), e => this.setState(e.kind === "nocode" ? { failed: t("event.unknown"), english: false } : failure(e)));
    await this.follower.look();
  }

  async componentDidMount() {
    this.seen = () => document.hidden || named(this.state.view?.name ?? "", false);
    document.addEventListener("visibilitychange", this.seen);
    this.clock = setInterval(() => this.state.view && this.alert(this.state.view), 15000);
    await super.componentDidMount();
  }

  componentWillUnmount() {
    super.componentWillUnmount();
    this.gone = true;
    this.follower?.stop();
    clearInterval(this.clock);
    document.removeEventListener("visibilitychange", this.seen);
    named("", false);
  }

  /** Rounds that are to come, of which it is known when. */
  coming(v) { return ["upcoming", "running"].includes(v.stage) ? roundTimes(v).filter(x => x.round > v.round) : []; }

  /** Tell who looks elsewhere what is new for them: a table, a call, an appeal, a round that begins soon. What was there when the page came is not new. */
  alert(v) {
    const near = this.coming(v).filter(x => x.time.getTime() - Date.now() < soon * 60000 && x.time.getTime() > Date.now() - soon * 60000);
    const is = role => v.own.roles.includes(role), { table } = v.own;
    const news = new Map([...near.map(x => [`round ${x.round} ${x.time}`, t("event.begins", { round: x.round, time: timed(x.time) })]),
      ...(table?.stands && !["over", "foul"].includes(table.stands) ? [[table.id, t("event.your.table")]] : []),
      ...(is("arbiter") ? v.calls.map(c => [`call ${c.index}`, t("event.called", { n: `${c.table.round}/${c.table.number}` })]) : []),
      ...(is("jury") ? v.rulings.filter(r => r.state === "open").flatMap(r => r.appeals.map(a => [`appeal ${a.index}`, t("event.appeals", { name: a.name })])) : [])]);
    const fresh = this.told && [...news].filter(([key]) => !this.told.has(key)).map(([, text]) => text);
    this.told = new Set([...(this.told ?? []), ...news.keys()]);
    this.setState({ near });
    if (!fresh?.length) return;
    sound("turn");
    if (!document.hidden) return;
    named(v.name, true);
    if (globalThis.Notification?.permission === "granted") new Notification(v.name, { body: fresh.join("\n") });
  }

  onEvent(e) { if (e.event === "event" && !this.state.view?.verified) this.setState({ read: e.read }); }

  async show(view) {
    this.setState({ view, since: Date.now(), failed: null, read: view.verified ? null : this.state.read });
    if (!this.told) named(view.name, false);
    this.alert(view);
    if (!this.renewed && this.pushes() && globalThis.Notification?.permission === "granted" && setting("event.push", "") === seatsIn(view)) {
      this.renewed = true; // the server may have forgotten where, or have another key
      this.notify(view);
    }
    const { table } = view.own, begun = table?.stands && !["over", "foul"].includes(table.stands);
    if (!begun || this.led === table.id || setting("event.led", "") === table.id) return;
    this.led = table.id;
    set("event.led", table.id); // who comes back to this page wanted to
    await lead(this.desk, view, () => this.gone).catch(e => this.setState(failure(e)));
  }

  look = () => this.follower.look();

  /** Whether the browser may be asked to show what is new: read once, as on the page of a table. With a server that has keys for it that goes on when the page is closed. */
  mayAsk(v) {
    this.permission ??= globalThis.Notification?.permission;
    return this.permission === "default" || this.permission === "granted" && this.pushes() && setting("event.push", "") !== seatsIn(v);
  }

  pushes() { return Boolean(about.push) && "PushManager" in globalThis; }

  async notify(v) {
    this.permission = await Notification.requestPermission();
    this.setState({});
    if (this.permission !== "granted" || !this.pushes()) return;
    try {
      await this.desk.call("event.push", { ...at(), event: v.id, ...await pushAddress() });
      set("event.push", seatsIn(v));
      this.setState({});
    } catch (e) {
      this.setState(failure(e));
    }
  }

  async register(e) {
    e.preventDefault();
    const f = e.target.elements, name = this.state.name.trim();
    this.setState({ busy: true, failed: null });
    try {
      set("name", name);
      set("event.club", this.state.club.trim());
      const kept = (await keeps()) ? "persisted" : "trifling";
      await this.desk.call("event.say", { ...at(), event: this.state.view.id, kind: "register", name, club: this.state.club.trim(), draw: f.draw?.checked ?? false, kept });
      await this.look();
    } catch (e) {
      this.setState(failure(e));
    }
    this.setState({ busy: false });
  }

  /** The part of the player of this browser. */
  own(v) {
    const { own } = v, now = own.table?.id && own.table.stands && !["over", "foul"].includes(own.table.stands);
    if (!own.state) return null;
    return h("section", { class: "box own-part" },
      h("p", { role: "status", class: own.state === "accepted" ? "status good" : "status" }, t("event.own." + own.state, { name: own.name, n: own.number, why: own.why })),
      v.own.draw && h("p", { role: "status" }, t("event.drawing")),
      now && h("p", null, h("button", { class: "main", onClick: () => lead(this.desk, v, () => this.gone) }, t("to.table"))),
      own.bye && h("p", null, t("event.bye")),
      own.state === "accepted" && !now && ["upcoming", "running"].includes(v.stage) && h("p", null, t("event.led.by.itself")),
      h(PlayerWays, { desk: this.desk, view: v, onDone: this.look }));
  }

  form(v, s) {
    if (!v.enter || !["", "refused"].includes(v.own.state)) return null;
    return h("section", null, h("h2", null, t("event.register")), h("form", { class: "ways", onSubmit: e => this.register(e) },
      h("label", null, t("your.name"), " ", h("input", { name: "name", value: s.name, maxLength: 60, required: true, autocomplete: "name", onInput: e => this.setState({ name: e.target.value }) })),
      h("label", null, t("event.club"), " ", h("input", { name: "club", value: s.club, maxLength: 60, autocomplete: "organization", onInput: e => this.setState({ club: e.target.value }) })),
      v.drawn && h("label", { class: "tick" }, h("input", { type: "checkbox", name: "draw", defaultChecked: true }), " ", t("event.draws")),
      !this.persists && h("label", { class: "tick" }, h("input", { type: "checkbox", name: "kept", required: true }), " ", t("event.kept")),
      h("button", { class: "main", disabled: s.busy }, s.busy ? t("busy.event") : t("event.register")), h("p", { class: "hints" }, t("event.register.hint"))));
  }

  table(x, since) {
    const name = x.stands === "stopped" || x.stands === "paused" ? "event.state." + x.stands : x.state === "unfinished" || !x.state ? x.id ? "event.state.playing" : "event.state.none" : "event.state." + x.state.replaceAll(" ", "-");
    return h("li", { key: `${x.round}/${x.number}` }, x.id ? h(Link, { href: `/t/${x.id}?watch` }, t("event.table.nth", { n: x.number })) : h("b", null, t("event.table.nth", { n: x.number })),
      h("span", null, x.players.map((p, i) => [i > 0 && ", ", h("bdi", { key: p }, p)])),
      h("small", null, t(name), x.id && x.deal > 0 && x.waits.length > 0 && ` · ${t("deal.of", { n: Math.min(x.deal, x.deals), of: x.deals })}`, x.waits.length > 0 && [" · ", h(Waits, { waits: x.waits, since })], x.company.length > 0 && ` · ${t("event.company", { names: x.company.join(", ") })}`));
  }

  standings(v, s) {
    if (!v.ranks.length || !v.round) return null;
    return h("section", null, h("h2", null, t("standings"), " ", h("small", null, v.verified ? t("as.verified") : t("as.server.says"))),
      v.layers.length > 0 && h("p", { class: "filters" }, h("label", null, t("event.layer"), " ", h("select", { value: s.without, onChange: e => { this.setState({ without: e.target.value }); this.follower.look({ without: e.target.value }); } },
        h("option", { value: "" }, t("event.layer.all")), v.layers.map(l => h("option", { key: l, value: l }, t("event.without." + l)))))),
      h("div", { class: "scrolled", tabIndex: 0, role: "region", "aria-label": t("standings") }, h("table", { class: "standings" },
        h("thead", null, h("tr", null, h("th", { scope: "col" }, t("standings.rank")), h("th", { scope: "col" }, t("standings.player")), v.ranks[0].rounds.map((_, i) => h("th", { key: i, scope: "col", class: "points" }, i + 1)), h("th", { scope: "col", class: "points" }, t("standings.total")), v.layers.length > 0 && h("th", { scope: "col" }, t("event.rests")))),
        h("tbody", null, v.ranks.map(r => h("tr", { key: r.number }, h("td", null, r.rank || t("event.out")), h("th", { scope: "row" }, h("bdi", null, r.name), r.club && h("small", null, " ", h("bdi", null, r.club))),
          r.rounds.map((n, i) => h("td", { key: i, class: "points" }, points(n, v.unit))), h("td", { class: "points" }, h("b", null, points(r.total, v.unit))), v.layers.length > 0 && h("td", null, h("small", null, r.layers.map(l => t("event.layer." + l)).join(", ")))))))));
  }

  said(v) {
    if (!v.rulings.length && !v.remarks.length && !v.calls.length) return null;
    return h("section", null, h("h2", null, t("event.rulings")),
      h("ul", { class: "rows" },
        v.calls.map(c => h("li", { key: c.index }, h("b", null, t("event.called", { n: `${c.table.round}/${c.table.number}` })), h("span", null, h("bdi", null, c.name), ": ", h("bdi", null, c.reason)))),
        v.rulings.map(r => h("li", { key: r.index }, h("b", null, rulingText(r)), r.state && h("span", { class: "badge" }, t("event.ruling." + r.state)), h("span", null, h("bdi", null, r.reason)),
          r.appeals.map(a => h("span", { key: a.index }, t("event.appeals", { name: a.name }), " ", h("bdi", null, a.reason))), h("small", null, h("bdi", null, r.by), " · ", t("event.entry", { n: r.index })))),
        v.remarks.map(r => h("li", { key: r.index }, h("span", null, h("bdi", null, r.text)), h("small", null, t("event.remark"), " · ", h("bdi", null, r.by), " · ", t("event.entry", { n: r.index }))))));
  }

  join(v) {
    return h("details", { open: v.enter && !v.own.state }, h("summary", null, t("event.join")), h("p", null, t("event.join.lead", { host: location.host, code: v.code })), h(Invitation, v),
      h("p", null, h("code", null, v.link)), h("p", { class: "hints" }, t("event.join.shell"), " ", h("code", null, `pakli event register ${v.code} --server ${log} --seat NAME.seat --name "…"`)));
  }

  check(v, s) {
    return h("details", null, h("summary", null, t("event.check")), h("p", null, t("event.check.lead")),
      v.verified ? h("p", { class: "status good", role: "status" }, t("event.checked", { n: v.verified }), " ", t("event.verdict." + v.verdict.replaceAll(" ", "-")))
        : h("p", null, h("button", { disabled: Boolean(s.read), onClick: () => { this.setState({ read: 1 }); this.follower.look({ verify: true }); } }, s.read ? t("event.reading", { n: s.read }) : t("event.verify"))),
      v.departs.length > 0 && h("ul", null, v.departs.map((d, i) => h("li", { key: i }, d))),
      h("p", { class: "hints" }, h("code", null, `pakli event results ${v.code} --server ${log}`)), h("p", null, h("a", { href: `${log}/v1/events/${v.id}/bundle`, download: `${v.code}.pakli` }, t("event.take"))));
  }

  render(props, s) {
    const v = s.view;
    if (!v) return h("main", { class: "page" }, h("h1", null, t("event")), this.aside() || h("p", { class: "status", role: "status" }, t("reading")), s.failed && h("p", null, h(Link, { href: "/events" }, t("events"))));
    const decides = v.own.roles.length > 0;
    return h("main", { class: "page event" }, h("h1", null, h("bdi", null, v.name)),
      h("p", { class: "lead" }, [v.venue, days(v), gameName(v.game)].filter(Boolean).map((x, i) => [i > 0 && " · ", h("bdi", { key: i }, x)]), v.page && [" · ", h("bdi", null, v.page)],
        (v.from && v.stage === "upcoming" || this.coming(v).length > 0) && [" ", h("button", { onClick: () => save(`${v.code}.ics`, calendarOf(v, n => t("club.round", { n }), new Date()), "text/calendar") }, t("event.calendar"))]),
      this.coming(v).map(x => h("p", { key: x.round, class: s.near?.some(y => y.round === x.round) ? "status" : "", role: "status" }, t("event.begins", { round: x.round, time: timed(x.time) }))),
      h("p", { class: v.stage === "cancelled" ? "status alarm" : "status", role: "status" }, t("event.stage." + v.stage, { why: v.cancelled }), " ", v.stage === "running" && v.round > 0 && `${t("event.round", { n: v.round, of: v.of })} · `, t("event.players", { n: v.players.length }), v.waiting.length > 0 && ` · ${t("event.waiting", { n: v.waiting.length })}`),
      this.aside(), this.own(v),
      (decides || v.own.state === "accepted") && ["upcoming", "running"].includes(v.stage) && this.mayAsk(v) && h("div", null, h("button", { onClick: () => this.notify(v) }, t("event.notify")), this.pushes() && h("p", { class: "hints" }, t("event.notify.closed"))),
      !decides && this.form(v, s),
      decides && v.own.roles.includes("organiser") && h(Organise, { desk: this.desk, view: v, onDone: this.look }),
      decides && h(Official, { desk: this.desk, view: v, given: s.given, onDone: this.look }),
      decides && this.form(v, s),
      s.given && !["organiser", "arbiter"].some(role => v.own.roles.includes(role)) && h("p", { class: "status" }, t("event.reseat.not")),
      v.draw && h("section", null, h("h2", null, t("event.draw")), h("p", { role: "status" }, t("event.draw.on"), " ", h(Waits, { waits: v.draw.waits, since: s.since }))),
      v.stage === "over" && this.standings(v, s),
      v.rounds.map((r, i) => h(i ? "details" : "section", { key: r.number }, h(i ? "summary" : "h2", null, t("club.round", { n: r.number })),
        h("ul", { class: "rows" }, r.tables.map(x => this.table(x, s.since))), r.byes.length > 0 && h("p", null, t("club.bye", { names: r.byes.join(", ") })))),
      v.stage !== "over" && this.standings(v, s), this.said(v),
      h("section", null, h("h2", null, t("event.roster")), v.alike.length > 0 && h("p", { class: "status" }, t("event.alike"), " ", h("bdi", null, v.alike.join(", "))), v.players.length + v.waiting.length ? h("ol", { class: "roster" },
        v.players.map(p => h("li", { key: p.number, value: p.number }, h("bdi", null, p.name), " ", h("small", null, [p.club, p.out ? t("event.out") : p.left > 0 && t("event.left.from", { n: p.left }), p.skips.length > 0 && t("event.skips", { n: p.skips.join(", ") })].filter(Boolean).join(" · ")))),
        v.waiting.map(p => h("li", { key: p.key, class: "waits" }, h("bdi", null, p.name), " ", h("small", null, [p.club, t("event.unanswered")].filter(Boolean).join(" · "))))) : h("p", { class: "empty" }, t("event.nobody"))),
      v.groups.length > 0 && h("section", null, h("h2", null, t("event.groups")), h("ul", null, v.groups.map(g => h("li", { key: g.join() }, h("bdi", null, g.map(n => v.players.find(p => p.number === n).name).join(", ")))))),
      this.join(v), this.check(v, s),
      h("details", null, h("summary", null, t("event.terms")), h("p", null, t("event.terms.lead")), h(Terms, v), v.options.length > 0 && h(Changes, v),
        h("ul", null, v.officials.map(o => h("li", { key: o.role + o.key }, t("event.role." + o.role), ": ", h("bdi", null, o.name), " ", h("b", null, o.words))))),
      !decides && !v.own.state && h(Offer, { desk: this.desk, view: v, onDone: this.look }));
  }
}

/** Who is to rule makes a seat here and gives the organiser its key. */
class Offer extends Component {
  async make(form) {
    const seat = await this.props.desk.call("seat.make", { name: form.elements.name.value.trim() });
    this.setState({ key: seat.key });
  }

  render({ view }, { key }) {
    if (view.stage === "over" || view.stage === "cancelled") return null;
    return h("details", null, h("summary", null, t("event.rule.here")), h("p", null, t("event.rule.here.lead")),
      key ? h("p", null, h("input", { class: "key", readOnly: true, value: key, "aria-label": t("event.key"), onFocus: e => e.target.select() }), " ", h("button", { onClick: async () => { await navigator.clipboard?.writeText(key); this.setState({ copied: true }); } }, this.state.copied ? t("copied") : t("copy")))
        : h("form", { class: "ways", onSubmit: e => { e.preventDefault(); this.make(e.target); } }, h("label", null, t("your.name"), " ", h("input", { name: "name", required: true, maxLength: 40 })), h("button", null, t("event.key.make"))));
  }
}
