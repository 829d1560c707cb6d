// Open tables: to offer one, to join one, and to see that it became what was offered.
import { h, t, about, failure, gameName, go, set, setting, within, Invitation, Link, log, serverSays, There } from "./core.mjs";
import { Component } from "./preact.mjs";
import { WithDesk } from "./play.mjs";
import { written } from "./pages.mjs";

const botNames = ["bela-bot", "csilla-bot", "dezso-bot", "elza-bot", "feri-bot", "gizi-bot"];
const at = () => ({ url: log, key: about.key });

/** A title as documents spell it: printable ASCII without quotation marks and backslashes. */
const titled = text => text.normalize("NFD").replace(/\p{M}/gu, "").replace(/ß/g, "ss").replace(/["\\]/g, "'").replace(/[^\x20-\x7e]/g, "-").trim().slice(0, 80);

/** What a preset changes, or an offer: options with their meaning. */
export const Changes = ({ options }) => h("dl", { class: "changes" }, options.map(o => [
  h("dt", { key: o.name }, h("code", null, o.name), ": ", h("b", null, o.value || "–"), " ", h("small", null, t("instead.of", { usual: o.usual || "–" }))),
  h("dd", { key: o.name + "?" }, h("small", null, o.meaning))]));

/** How the table of an offer ends, what leaving costs, and what time and fouls come to. */
function Endings({ offer: { ends, clock, fouls } }) {
  return h("details", { class: "endings", open: true }, h("summary", null, t("terms")), h("ul", null,
    (ends.selfruled ? [t("terms.selfruled"), ends.forfeit > 0 ? t("terms.who.pays", { n: ends.forfeit }) : t("terms.who.free")] : [t("terms.none")]).concat(
      clock.keepers?.length ? [t("terms.clock", clock), t("terms.keepers", { names: clock.keepers.map(k => k.split("+")[0]).join(", "), n: clock.quorum }), t("terms.late")] : [t("terms.clock.none")],
      [t("terms.fouls." + fouls)]).map(text => h("li", { key: text }, text))));
}

/** The form of a new table. */
export class Terms extends Component {
  constructor(props) {
    super(props);
    const [first] = props.games, o = props.terms;
    this.state = { game: first.game, preset: first.presets[0]?.name ?? "", places: first.places.includes(4) ? 4 : first.places[0], deals: 4, title: "", name: setting("name", ""), bots: 0, forfeit: first.forfeit, clock: null, ...(o && { ...o, preset: o.options.preset ?? "" }) };
  }

  choose(name) {
    const g = this.props.games.find(g => g.game === name);
    this.setState({ game: name, preset: g.presets[0]?.name ?? "", places: g.places.includes(4) ? 4 : g.places[0], bots: 0, forfeit: g.forfeit });
  }

  /** The name of the clock: the usual one among people, and none against bots alone. */
  clock() {
    const { clocks, alone } = this.props, { clock, bots, places } = this.state;
    return !clocks.length || !alone && bots >= places - 1 ? "" : clock ?? clocks[0].name;
  }

  render({ games, clocks, busy, alone, children, size, action, onDone }, s) {
    const g = games.find(g => g.game === s.game);
    const preset = g.presets.find(p => p.name === s.preset);
    const pick = (label, value, list, onChange) => h("label", null, label, " ", h("select", { value, onChange: e => onChange(e.target.value) }, list.map(([v, text]) => h("option", { key: v, value: v }, text))));
    const done = e => {
      e.preventDefault();
      const name = written(s.name);
      if (!name) return this.setState({ wrong: t("name.needed") });
      set("name", s.name.trim());
      onDone({ name, game: s.game, options: s.preset ? { preset: s.preset } : {}, places: Number(s.places), deals: Number(s.deals), title: titled(s.title), forfeit: Number(s.forfeit), clock: this.clock(), bots: alone ? [] : botNames.slice(0, s.bots) });
    };
    return h("form", { class: "ways", onSubmit: done },
      h("label", null, t("your.name"), " ", h("input", { value: s.name, maxLength: 40, required: true, autocomplete: "nickname", onInput: e => this.setState({ name: e.target.value }) })),
      h("label", null, t("title"), " ", h("input", { value: s.title, maxLength: 80, onInput: e => this.setState({ title: e.target.value }) })),
      pick(t("game"), s.game, games.map(g => [g.game, gameName(g.game)]), v => this.choose(v)),
      g.presets.length > 0 && pick(t("rules"), s.preset, g.presets.map(p => [p.name, t("preset." + p.name)]), v => this.setState({ preset: v })),
      preset?.options.length > 0 && h("details", null, h("summary", null, t("rules.change", { n: preset.options.length })), h(Changes, preset)),
      pick(size ?? t("places"), s.places, g.places.map(n => [n, n]), v => this.setState({ places: Number(v), bots: Math.min(s.bots, v - 1) })),
      h("label", null, t("deals"), " ", h("input", { type: "number", min: 1, max: 1000, required: true, value: s.deals, onInput: e => this.setState({ deals: e.target.value }) })),
      h("label", null, t("forfeit"), " ", h("input", { type: "number", min: 0, max: 1000000, required: true, value: s.forfeit, onInput: e => this.setState({ forfeit: e.target.value }) })),
      clocks.length > 0 ? pick(t("event.clock"), this.clock(), [...clocks.map(c => c.name), ""].map(c => [c, t("event.clock." + (c || "none"))]), v => this.setState({ clock: v }))
        : h("p", { class: "hints" }, t("offer.clock.none")),
      !alone && pick(t("bots.here"), s.bots, [...Array(Math.max(1, s.places)).keys()].map(n => [n, n]), v => this.setState({ bots: Number(v) })),
      children,
      s.wrong && h("p", { class: "status alarm", role: "alert" }, s.wrong),
      h("button", { class: "main", disabled: busy }, busy ? t("busy") : action ?? t("offer.do")));
  }
}

/** What a new table can be: its games, and the clocks that the log can keep. @param {import("./core.mjs").Desk} desk */
export async function choices(desk) {
  return { games: await desk.call("offer.games"), clocks: await desk.call("offer.clocks", { ...at(), policy: about.policy }) };
}

export class New extends WithDesk {
  first() { return { games: null, clocks: [], busy: false }; }
  async begin() { this.setState(await choices(this.desk)); }

  async make(terms) {
    this.setState({ busy: true, failed: null });
    try {
      const made = await this.desk.call("offer.make", { ...at(), policy: about.policy, ...terms });
      go(within(made.link));
    } catch (e) {
      this.setState({ ...failure(e), busy: false });
    }
  }

  render(props, { games, clocks, busy }) {
    return h("main", { class: "page" }, h("h1", null, t("new")), h("p", null, t("new.lead")), this.aside(),
      games && h(Terms, { games, clocks, busy, onDone: terms => this.make(terms) }),
      h("p", null, h(Link, { href: "/club" }, t("club.go"))));
  }
}

/** To a table by what somebody told: a code, or a link. */
export class Enter extends Component {
  render(props, { wrong }) {
    const follow = e => {
      e.preventDefault();
      const text = e.target.elements.code.value.trim();
      const link = /\/j\/([^#/?]+)(#.*)?$/.exec(text);
      const code = (link ? link[1] : text).replace(/[\s-]/g, "");
      if (!/^[0-9a-z]{5,52}$/i.test(code)) return this.setState({ wrong: t("code.wrong") });
      if (link && /^https?:/.test(text) && !text.startsWith(location.origin + "/")) return this.setState({ wrong: t("link.elsewhere", { host: new URL(text).host }) });
      go(`/j/${code}${link?.[2] ?? ""}`);
    };
    return h("main", { class: "page" }, h("h1", null, t("join")), h("p", null, t("join.lead")),
      h("form", { class: "ways", onSubmit: follow },
        h("label", null, t("code"), " ", h("input", { name: "code", required: true, autocomplete: "off", autocapitalize: "characters", spellcheck: false })),
        wrong && h("p", { class: "status alarm", role: "alert" }, wrong),
        h("button", { class: "main" }, t("go"))),
      h("p", null, h(Link, { href: "/lobby" }, t("lobby.go"))));
  }
}

/** How long one waits for those who were to play again before one can go on without them. */
const patience = 60000;

/** An open table: its terms, who joined, and the way to sit down. */
export class Join extends WithDesk {
  first() { return { offer: null, joins: null, name: setting("name", ""), free: null }; }

  async begin() {
    const offer = await this.desk.call("offer.find", { ...at(), code: this.props.code, fragment: location.hash.slice(1) })
      .catch(e => { if (e.kind !== "nocode") throw e; });
    if (!offer) return this.begun();
    this.id = offer.offer;
    this.setState({ offer });
    if (offer.table) return this.setState({ table: offer.table });
    if (offer.again) this.patient = setTimeout(() => this.setState({ waited: true }), patience);
    await this.watch();
  }

  componentWillUnmount() {
    super.componentWillUnmount();
    clearTimeout(this.patient);
  }

  /** No offer has the code: perhaps a table has it. A link means an offer, and nothing else. */
  async begun() {
    const code = this.props.code;
    if (code.length >= 8 && !location.hash) {
      const { found } = await serverSays(`find/${code}`).catch(() => ({ found: [] }));
      if (found.length === 1) return go(`/t/${found[0].id}`);
    }
    throw new Error(t("code.unknown"));
  }

  call(name, args = {}) { return this.desk.call(name, { ...at(), offer: this.id, ...args }); }
  async watch() { await this.call("offer.watch"); }

  async attempt(f) {
    this.setState({ failed: null, busy: true });
    try {
      await f();
    } catch (e) {
      this.setState(failure(e));
    }
    this.setState({ busy: false });
  }

  onEvent(e) {
    if (e.event === "present") return this.setState({ present: e.keys });
    if (e.event !== "offer") return;
    if (e.lost) return this.setState({ failed: e.lost, joins: null, offer: { ...this.state.offer, gone: true } });
    this.setState({ joins: e.joins ?? this.state.joins, away: e.away ?? 0, server: e.server, next: e.next, field: e.field, why: e.why, table: e.table, begun: e.begun, names: e.names });
    if (e.table) document.title = `● ${t("sit.down")} – pakli`;
  }

  join(e) {
    e.preventDefault();
    return this.attempt(async () => {
      const name = written(this.state.name);
      if (!name) throw new Error(t("name.needed"));
      set("name", this.state.name.trim());
      const { free } = await this.call("offer.join", { name });
      if (free) return this.setState({ name: free, free: t("name.taken", { name, free }) });
      this.setState({ offer: { ...this.state.offer, mine: name }, free: null });
      await this.watch();
    });
  }

  render(props, s) {
    const o = s.offer;
    if (!o) return h("main", { class: "page" }, h("h1", null, t("join")), this.aside() || h("p", { class: "status", role: "status" }, t("offer.finding")), s.failed && h("p", { class: "actions" }, h(Link, { href: "/join", class: "button" }, t("join.code")), h(Link, { href: "/lobby", class: "button" }, t("lobby.go"))));
    return h("main", { class: "page" },
      h("h1", null, o.title ? h("bdi", null, o.title) : t("open.table")),
      h("p", { class: "code" }, t("code"), ": ", h("code", { class: "big" }, o.code)),
      this.aside(), this.terms(s, o), this.seated(s, o) || this.players(s, o));
  }

  terms(s, o) {
    const organiser = s.joins?.find(j => j.organiser)?.name ?? o.organiser;
    return h("section", null,
      h("p", null, gameName(o.game), o.preset && [", ", t("preset." + o.preset)], " · ", t("places.are", { n: o.places }), " · ", t("deals.are", { n: o.deals })),
      o.options.length > 0 && [h("p", null, t("options.differ")), h(Changes, o)],
      h("p", { class: o.pinned ? "status good" : "status" },
        o.pinned ? "✓ " + t("pinned") : t("not.pinned"), " ", t("organiser.is"), " ", h("bdi", null, organiser), " ", h("b", null, o.words), "."),
      h(Endings, { offer: o }));
  }

  players(s, o) {
    const here = o.mine || o.own, joined = s.joins?.filter(j => !j.awaited).length, full = joined >= o.places;
    if (s.begun && !here) return h("section", null, h("p", { role: "status" }, t("begun")), h("p", null, h(Link, { href: `/t/${s.begun}?watch`, class: "button main" }, t("watch.it"))));
    return h("section", null,
      s.field && h("p", { class: "status alarm", role: "alert" }, t("not.offered", { field: t("field." + s.field) }), " ", h("small", { lang: "en" }, s.why)),
      !s.field && s.why && h("p", { class: "status alarm", role: "alert" }, s.why),
      s.server && (s.next ? h("p", { class: "status", role: "status" }, t("again.opened"), " ", h(Link, { href: within(s.next), class: "button main" }, t("to.table"))) : h("p", { class: "status", role: "status" }, t("server.wait"))),
      s.joins && [h("h2", null, t("joined", { n: joined, of: o.places })), o.again && h("p", null, t("again.offer")),
        h("ul", { class: "rows", "aria-live": "polite" }, s.joins.map(j => h("li", { key: j.join + j.name, class: j.awaited ? "quiet" : undefined }, h("bdi", null, j.name), " ", s.present?.includes(j.key) && [h(There, { there: true }), " "], h("small", null, j.bot ? t("bot") : j.mine ? t("you") : j.awaited ? t("awaited") : j.added ? `${t("added")} ${j.words}` : ""),
          o.own && !j.mine && !j.added && !o.again && [" ", h("button", { disabled: s.busy, onClick: () => this.attempt(() => this.call("offer.away", { join: j.join })) }, t("send.away"))]))),
        joined < o.places && h("p", { role: "status" }, t("wait.players", { n: o.places - joined })),
        o.again && o.mine && s.waited && joined < o.places && (o.own || s.away > 60) && h("p", null, h("button", { disabled: s.busy, onClick: () => this.attempt(async () => go(within((await this.call("offer.open")).link))) }, t("again.open")), " ", h("small", null, t("again.open.means"))),
        s.away > 60 && !o.own && h("p", { class: "status" }, t("away", { name: o.organiser }))],
      o.own && s.joins && this.organise(s, o),
      !here && full && h("p", { role: "status" }, t("full.wait")),
      !here && !o.gone && !full && !o.again && h("form", { class: "ways", onSubmit: e => this.join(e) },
        h("label", null, t("your.name"), " ", h("input", { value: s.name, maxLength: 40, required: true, autocomplete: "nickname", onInput: e => this.setState({ name: e.target.value }) })),
        s.free && h("p", { class: "status", role: "alert" }, s.free),
        h("button", { class: "main", disabled: s.busy }, t("join.do")),
        h("p", { class: "hints" }, t("join.hint"))),
      here && !o.gone && (o.own || !o.again) && h("p", null, h("button", { disabled: s.busy, onClick: () => this.attempt(async () => { await this.call("offer.leave"); go("/lobby"); }) }, o.own ? t("offer.undo") : t("leave"))));
  }

  organise(s, o) {
    if (o.again) return null;
    const free = o.places - s.joins.length;
    const bots = botNames.filter(b => !s.joins.some(j => j.name === b)).slice(0, free);
    return h("section", null,
      h("h2", null, t("invite")),
      h("p", null, t("invite.lead")),
      h("p", { class: "invite" }, h("input", { readOnly: true, value: o.link, "aria-label": t("invite"), onFocus: e => e.target.select() }), " ",
        h("button", { onClick: async () => { await navigator.clipboard?.writeText(o.link); this.setState({ copied: true }); } }, s.copied ? t("copied") : t("copy"))),
      h(Invitation, o),
      free > 0 && bots.length > 0 && o.mine && h("p", { class: "actions" }, h("button", { disabled: s.busy, onClick: () => this.attempt(async () => { await this.call("offer.fill", { names: bots.slice(0, 1) }); }) }, t("bot.one")), " ",
        free > 1 && h("button", { disabled: s.busy, onClick: () => this.attempt(async () => { await this.call("offer.fill", { names: bots }); }) }, t("bot.all"))),
      free > 0 && h("details", null, h("summary", null, t("key.add")),
        h("form", { class: "ways", onSubmit: e => { e.preventDefault(); const input = e.target.elements.key; this.attempt(async () => { await this.call("offer.add", { seat: input.value }); input.value = ""; }); } },
          h("p", null, t("key.add.lead")), h("input", { name: "key", required: true, autocomplete: "off", "aria-label": t("key.add") }), h("button", null, t("go")))));
  }

  seated({ table, names, busy }, o) {
    if (!table) return null;
    if (o.sat) return h("section", null, h("p", { role: "status" }, t("play.already")), h("p", null, h(Link, { href: `/t/${table}`, class: "button main" }, t("to.table"))));
    return h("section", null, h("h2", null, t("table.ready")),
      names && [h("p", null, t("who.sits")), h("ol", { class: "rows" }, names.map(n => h("li", { key: n.name }, h("bdi", null, n.name), " ", h("small", null, n.joined ? t("saw.join") : t("added")))))],
      o.mine ? [h("p", null, t("consent")), h("p", null, h("button", { class: "main", disabled: busy, onClick: () => go(`/t/${table}`) }, t("sit.down")))]
        : h("p", null, h(Link, { href: `/t/${table}?watch` }, t("watch.it"))));
  }
}
