// Landing, lobby, seats, and how one comes to a table.
import { h, t, about, codeOf, failure, gameName, go, set, setting, Link, log } from "./core.mjs";
import { isTurnOf, listedTables, owingSeats } from "./people.mjs";
import { Component } from "./preact.mjs";
import { WithDesk, keeps } from "./play.mjs";
import { Copy, Restore } from "./copy.mjs";

const bots = ["bela", "csilla", "dezso", "elza"];

const signed = n => (n > 0 ? "+" : "") + String(n).replace("-", "−");

/** How many play a game as people mean it, where four could. @type {Record<string, number>} */
const usual = { "skat/v1": 3 };

/** A name as people write it, in the one way in which tables have it. */
export const written = name => name.normalize("NFC").trim().replace(/\s+/g, " ");

export class Landing extends WithDesk {
  first() { return { name: setting("name", ""), games: [], game: "", busy: false }; }

  async begin() {
    this.games = await this.desk.call("offer.games");
    this.setState({ games: this.games, game: this.games[0].game });
    if (this.props.query.has("play")) await this.play();
  }

  async play(e) {
    e?.preventDefault();
    const name = written(this.state.name || (e ? "" : t("guest")));
    if (!name) return this.setState({ failed: t("name.needed") });
    if (e) set("name", this.state.name.trim());
    this.setState({ busy: true, failed: null });
    try {
      await keeps(); // a game of no consequence: bots are not kept waiting
      const game = this.games.find(g => g.game === this.state.game) ?? this.games[0];
      const players = usual[game.game] ?? (game.places.includes(4) ? 4 : game.places.at(-1));
      const table = await this.desk.call("practice", { url: log, key: about.key, name, bots: bots.filter(b => b !== name).slice(0, players - 1), game: game.game, deals: 3 });
      go(`/t/${table}`);
    } catch (e) {
      this.setState({ ...failure(e), busy: false });
    }
  }

  render(props, { name, game, games, busy, starting }) {
    const pack = setting("pack", "fr");
    return h("main", { class: "page wide landing" },
      h("div", { class: "hero" },
      h("h1", null, t("landing.title")),
      h("p", { class: "lead" }, t("landing.lead")),
      h("p", { class: "spread", "aria-hidden": true }, ["TI", "TXXI", "T", "HK", "SQ"].map(id => h("svg", { key: id, class: "card", viewBox: "0 0 60 96" }, h("use", { href: `#${id[0] === "T" ? "fr" : pack}-${id}` })))),
      h("form", { class: "ways box", onSubmit: e => this.play(e) },
        h("label", null, t("your.name"), " ", h("input", { value: name, maxLength: 40, required: true, autocomplete: "nickname", onInput: e => this.setState({ name: e.target.value }) })),
        h("label", null, t("game"), " ", h("select", { value: game, onChange: e => this.setState({ game: e.target.value }) },
          games.map(g => h("option", { key: g.game, value: g.game }, gameName(g.game))))),
        h("button", { class: "main", disabled: busy || Boolean(starting) || !games.length }, busy ? t("busy") : t("play.bots")),
        h("p", { class: "hints" }, t("play.bots.hint")), this.aside())),
      h("ul", { class: "tiles" }, [["/new", "new.go", "♠"], ["/join", "join.code", "♥"], ["/lobby", "lobby.go", "♦"], ["/verify", "verify.go", "✓"], ["/try", "try.go", "✗"], ["/club", "club.go", "♣"]]
        .map(([href, text, sign]) => h("li", { key: href }, h(Link, { href }, h("span", { class: "sign", "aria-hidden": true }, sign), t(text))))),
      h("section", { class: "trust" }, h("h2", null, t("about.go")), h("p", null, t("trust")), h("p", null, h(Link, { href: "/about" }, t("about.more")))),
      h("footer", null, h("p", null, h(Link, { href: "/seats" }, t("seats"))),
        h("p", null, h("small", null, t("log.key"), " ", h("code", null, about.key), this.desk.hash && [" · ", t("module"), " ", h("code", null, this.desk.hash.slice(0, 16))]))));
  }
}

/** What the server says of tables. @param {string} path */
async function answered(path) {
  const answer = await fetch(`${log}/v1/tables${path}`, { headers: { Accept: "application/json" } });
  if (!answer.ok) throw new Error(t("server.away"));
  return answer.json();
}

/** Tables as it lists them. @param {string} query */
const listed = async query => (await answered("?" + query)).tables;

/** Names in a row, each of which keeps its own direction. @param {string[]} list */
const each = list => list.map((name, i) => [i > 0 && ", ", h("bdi", { key: i }, name)]);

export class Lobby extends WithDesk {
  first() { return { mine: null, offers: null, tables: null, filter: { game: "", stage: "" }, results: {} }; }

  begin() { return this.look(); }

  async componentDidMount() {
    this.again = setInterval(() => document.hidden || this.state.starting || this.look().catch(() => {}), 10000); // a server that does not answer is asked again
    await super.componentDidMount();
  }

  componentWillUnmount() {
    super.componentWillUnmount();
    clearInterval(this.again);
  }

  async look() {
    const seats = await this.desk.call("seats");
    const mine = new Map(), wished = [];
    for (const s of seats) if (!s.bot) {
      for (const at of s.tables ?? []) if (at.url === log) mine.set(at.table, s);
      for (const w of s.offers ?? []) if (w.url === log && !w.table) wished.push(w.hash);
    }
    this.setState({ mine });
    const { offers } = await this.desk.call("offer.list", { url: log, key: about.key });
    this.setState({ offers: offers.map(o => ({ ...o, mine: wished.includes(o.id) })).sort((a, b) => Number(b.mine) - Number(a.mine)) });
    const newest = await listed(`before=${Number.MAX_SAFE_INTEGER}&limit=64`);
    const over = (this.state.ours ?? []).filter(x => x.state === "over" && !newest.some(y => y.id === x.id));
    const older = [...mine.keys()].filter(id => ![...newest, ...over].some(x => x.id === id)).slice(-20);
    const ours = [...newest, ...over, ...(await Promise.all(older.map(id => listed("id=" + id)))).flat()].filter(x => mine.has(x.id));
    this.setState({ tables: newest, ours, failed: null });
    await this.findResults(ours);
  }

  /** How the own tables that are over came out, each asked for once. */
  async findResults(ours) {
    const { results } = this.state;
    const found = await Promise.all(ours.filter(x => x.state === "over" && !(x.id in results)).slice(0, 20).map(async x => [x.id, (await answered(`/${x.id}`)).result ?? []]));
    this.setState({ results: { ...results, ...Object.fromEntries(found) } });
  }

  /** Which tables are listed. @param {string[]} games */
  filters(games) {
    const { filter } = this.state;
    const choose = (name, label, list) => h("label", null, label, " ", h("select", { value: filter[name], onChange: e => this.setState({ filter: { ...filter, [name]: e.target.value } }) }, list.map(([value, text]) => h("option", { key: value, value }, text))));
    return h("p", { class: "filters" },
      choose("game", t("game"), [["", t("all")], ...games.map(g => [g, gameName(g)])]),
      choose("stage", t("stage"), [["", t("all")], ...["waiting", "playing", "over"].map(s => [s, t("stage." + s)])]));
  }

  render(props, { mine, offers, tables, ours, filter, results }) {
    const owing = x => owingSeats(x).map(s => s.name);
    const said = x => [gameName(x.game), " · ", x.state === "over" ? t("over") : !x.deal ? t("deal.none") : x.deal > x.deals ? t("deal.nth", { n: x.deal }) : t("deal.of", { n: x.deal, of: x.deals }), owing(x).length > 0 && [" · ", h("bdi", null, t("waits.for", { names: owing(x).join(", ") }))]];
    const row = (x, seat) => h("li", { key: x.id }, h(Link, { href: `/t/${x.id}${seat ? "" : "?watch"}` }, x.seats ? h("span", null, each(x.seats.map(s => s.name))) : h("bdi", null, t("sits.as", { name: seat.name }))),
      seat && isTurnOf(x, seat.key) && h("b", { class: "badge" }, t("your.turn")),
      results[x.id]?.length > 0 && h("span", null, x.seats.map((s, i) => h("span", { key: i }, i > 0 && " · ", h("bdi", null, s.name), " ", signed(results[x.id][i])))),
      h("small", null, x.seats && [said(x), " · "], seat && x.state === "over" && [h(Link, { href: `/r/${x.id}` }, t("replay")), " · "], h("code", null, codeOf(x.id))));
    const others = (tables ?? []).filter(x => !mine?.has(x.id)), shown = listedTables(others, filter);
    const known = new Map((ours ?? []).map(x => [x.id, x]));
    /** @type {(own: any[]) => number} */
    const waiting = ([x, seat]) => (isTurnOf(x, seat.key) ? 2 : x.state === "over" ? 0 : 1);
    const own = [...(mine ?? [])].map(([id, seat]) => [known.get(id) ?? { id }, seat]).sort((a, b) => waiting(b) - waiting(a));
    return h("main", { class: "page" }, h("h1", null, t("lobby")), this.aside(),
      h("p", { class: "actions" }, h(Link, { href: "/new", class: "button main" }, t("new.go")), h(Link, { href: "/join", class: "button" }, t("join.code")), h(Link, { href: "/events", class: "button" }, t("events.go"))),
      h("h2", null, t("my.tables")),
      mine && (mine.size ? h("ul", { class: "rows" }, own.map(([x, seat]) => row(x, seat))) : h("p", { class: "empty" }, t("no.tables.mine"))),
      h("h2", null, t("open.tables"), " ", h("small", null, t("as.server.says"))),
      offers && (offers.length ? h("ul", { class: "rows" }, offers.map(o => h("li", { key: o.id },
        h(Link, { href: `/j/${o.code}` }, o.title ? h("bdi", null, o.title) : t("open.table")), o.mine && h("b", { class: "badge" }, t("yours")),
        h("small", null, gameName(o.game), " · ", o.players?.length > 0 ? each(o.players) : t("by", { name: o.organiser.split("+")[0] }), " · ", o.free ? t("free", { n: o.free }) : t("full"), " · ", h("code", null, o.code))))) : h("p", { class: "empty" }, t("no.tables.open"))),
      h("h2", null, t("live.tables"), " ", h("small", null, t("as.server.says"))),
      tables && this.filters([...new Set(others.map(x => x.game))]),
      tables && (shown.length ? h("ul", { class: "rows" }, shown.map(x => row(x))) : h("p", { class: "empty" }, t(others.length ? "no.tables.shown" : "no.tables.live"))));
  }
}

export class Seats extends WithDesk {
  first() { return { seats: null }; }
  async begin() { this.setState({ seats: await this.desk.call("seats") }); }

  async remove(s) {
    if (!confirm(t("seat.remove.sure", { name: s.name }))) return;
    await this.desk.call("seat.remove", { id: s.id });
    await this.begin();
  }

  render(props, { seats }) {
    return h("main", { class: "page" }, h("h1", null, t("seats")), this.aside(), h("p", null, t("seats.lead")),
      seats && !seats.length && h("p", { class: "empty" }, t("no.seats")),
      seats && h("ul", { class: "rows" }, seats.map(s => h("li", { key: s.id }, h("b", null, h("bdi", null, s.name), " ", s.bot && t("bot")), h("small", null, h("code", null, s.key)),
        h("span", { class: "actions" }, h("button", { onClick: async () => { await navigator.clipboard?.writeText(s.key); this.setState({ copied: s.id }); } }, this.state.copied === s.id ? t("copied") : t("seat.copy")),
          h("button", { onClick: () => this.remove(s) }, t("seat.remove"))),
        !s.bot && h("details", null, h("summary", null, t("seat.back.up")), h(Copy, { desk: this.desk, of: { id: s.id } }))))),
      seats && h(Restore, { desk: this.desk, onDone: () => this.begin() }));
  }
}

export class About extends Component {
  render() {
    return h("main", { class: "page" }, h("h1", null, t("about.go")), ["trust", "trust.server", "trust.log", "trust.keys"].map(k => h("p", { key: k }, t(k))),
      h("p", null, h("a", { href: `${log}/docs` }, t("about.docs"))));
  }
}
