// The lobby: one's own tables with whose turn it is, open ones, and those of the log, as they change.
import { h, t, codeOf, gameName, Link, log, serverSays, signed, There } from "./core.mjs";
import { isTurnOf, listedTables, owingSeats } from "./people.mjs";
import { WithDesk } from "./play.mjs";

/** Names in a row, each of which keeps its own direction. @param {string[]} list @param {number[]} [present] places of those who are connected */
const each = (list, present) => list.map((name, i) => [i > 0 && ", ", h("bdi", { key: i }, name), present?.includes(i) && [" ", h(There, { there: true })]]);

/** How often a server is asked whose stream is not heard, and how many own tables it is asked of. */
const every = 10000, most = 20;

export class Lobby extends WithDesk {
  first() { return { mine: null, wished: [], offers: null, rows: new Map(), filter: { game: "", stage: "", practice: false }, results: {} }; }

  async begin() {
    await this.readSeats();
    this.listen();
  }

  async componentDidMount() {
    const tick = () => this.tick().catch(() => {}); // a server that does not answer is asked again
    this.timer = setInterval(tick, every);
    document.addEventListener("visibilitychange", this.turned = () => (document.hidden ? this.stream?.close() : tick()));
    await super.componentDidMount();
  }

  componentWillUnmount() {
    super.componentWillUnmount();
    clearInterval(this.timer);
    document.removeEventListener("visibilitychange", this.turned);
    this.stream?.close();
  }

  async tick() {
    if (document.hidden || this.state.starting) return;
    await this.readSeats();
    if (this.stream?.readyState !== EventSource.OPEN) await this.look();
    this.listen();
  }

  /** The seats of this browser; with another table of theirs, the server is to tell of that too. */
  async readSeats() {
    const mine = new Map(), wished = [];
    for (const s of await this.desk.call("seats")) if (!s.bot) {
      for (const at of s.tables ?? []) if (at.url === log) mine.set(at.table, s);
      for (const w of s.offers ?? []) if (w.url === log && !w.table) wished.push(w.hash);
    }
    if (mine.size !== this.state.mine?.size) this.stream?.close();
    this.setState({ mine, wished });
  }

  /** Have the server tell what changes, as long as the page is seen. */
  listen() {
    if (document.hidden || (this.stream && this.stream.readyState !== EventSource.CLOSED)) return;
    const { mine, filter } = this.state;
    this.stream = new EventSource(`${log}/v1/lobby/events?people=${filter.practice ? 0 : 2}&named=${[...mine.keys()].slice(-most)}`);
    this.stream.addEventListener("offers", e => this.hearOffers(JSON.parse(e.data)));
    this.stream.addEventListener("tables", e => this.hearTables(JSON.parse(e.data)));
    this.stream.onerror = () => this.look().catch(() => {});
  }

  hearOffers({ offers }) { this.setState({ offers: offers ?? [], failed: null }); }

  hearTables({ tables }) {
    this.setState(({ rows }) => ({ rows: new Map([...rows, ...tables.map(x => [x.id, x])]) }), () => this.findResults().catch(() => {}));
  }

  /** Ask the server of whose stream nothing is heard. */
  async look() {
    const { mine, rows, filter } = this.state;
    this.hearTables(await serverSays(`tables?before=${Number.MAX_SAFE_INTEGER}&limit=64&people=${filter.practice ? 0 : 2}`));
    for (const id of [...mine.keys()].slice(-most)) if (rows.get(id)?.state !== "over") this.hearTables(await serverSays(`tables?id=${id}`));
    this.hearOffers(await serverSays("offers?limit=64"));
  }

  /** How the own tables that are over came out, each asked for once. */
  async findResults() {
    const { mine, rows, results } = this.state;
    const ended = [...mine.keys()].filter(id => rows.get(id)?.state === "over" && !(id in results)).slice(-most);
    for (const id of ended) results[id] = []; // which is under way
    for (const id of ended) results[id] = (await serverSays(`tables/${id}`)).result ?? [];
    if (ended.length) this.setState({ results: { ...results } });
  }

  choose(change) {
    if ("practice" in change) this.stream?.close();
    this.setState({ filter: { ...this.state.filter, ...change } }, () => this.listen());
  }

  /** Which tables are listed. @param {string[]} games */
  filters(games) {
    const { filter } = this.state;
    const choose = (name, label, list) => h("label", null, label, " ", h("select", { value: filter[name], onChange: e => this.choose({ [name]: e.target.value }) }, list.map(([value, text]) => h("option", { key: value, value }, text))));
    return h("p", { class: "filters" },
      choose("game", t("game"), [["", t("all")], ...games.map(g => [g, gameName(g)])]),
      choose("stage", t("stage"), [["", t("all")], ...["waiting", "playing", "over"].map(s => [s, t("stage." + s)])]),
      h("label", { class: "tick" }, h("input", { type: "checkbox", checked: filter.practice, onChange: e => this.choose({ practice: e.target.checked }) }), " ", t("lobby.practice")));
  }

  /** A table, and the seat that plays there if it is one's own. */
  row(x, seat) {
    const { results } = this.state, owing = owingSeats(x).map(s => s.name);
    const said = x.seats && [gameName(x.game), " · ", x.state === "over" ? t("over") : !x.deal ? t("deal.none") : x.deal > x.deals ? t("deal.nth", { n: x.deal }) : t("deal.of", { n: x.deal, of: x.deals }), owing.length > 0 && [" · ", h("bdi", null, t("waits.for", { names: owing.join(", ") }))], " · "];
    return h("li", { key: x.id }, h(Link, { href: `/t/${x.id}${seat ? "" : "?watch"}` }, x.seats ? h("span", null, each(x.seats.map(s => s.name))) : h("bdi", null, t("sits.as", { name: seat.name }))),
      seat && isTurnOf(x, seat.key) && h("b", { class: "badge" }, t("your.turn")),
      results[x.id]?.length > 0 && h("span", null, x.seats.map((s, i) => h("span", { key: i }, i > 0 && " · ", h("bdi", null, s.name), " ", signed(results[x.id][i])))),
      h("small", null, said, seat && x.state === "over" && [h(Link, { href: `/r/${x.id}` }, t("replay")), " · "], h("code", null, codeOf(x.id))));
  }

  /** An open table. */
  open(o) {
    return h("li", { key: o.id }, h(Link, { href: `/j/${o.code}` }, o.title ? h("bdi", null, o.title) : t("open.table")), this.state.wished.includes(o.id) && h("b", { class: "badge" }, t("yours")),
      h("small", null, gameName(o.game), " · ", o.players?.length > 0 ? each(o.players, o.present) : t("by", { name: o.organiser.split("+")[0] }), " · ", o.free ? t("free", { n: o.free }) : t("full"), " · ", h("code", null, o.code)));
  }

  render(props, { mine, wished, offers, rows, filter }) {
    const newest = [...rows.values()].sort((a, b) => b.index - a.index), others = newest.filter(x => !mine?.has(x.id)), shown = listedTables(others, filter);
    /** @type {(own: any[]) => number} */
    const waiting = ([x, seat]) => (isTurnOf(x, seat.key) ? 2 : x.state === "over" ? 0 : 1);
    const own = [...(mine ?? [])].reverse().map(([id, seat]) => [rows.get(id) ?? { id }, seat]).sort((a, b) => waiting(b) - waiting(a));
    return h("main", { class: "page" }, h("h1", null, t("lobby")), this.aside(),
      h("p", { class: "actions" }, h(Link, { href: "/new", class: "button main" }, t("new.go")), h(Link, { href: "/join", class: "button" }, t("join.code")), h(Link, { href: "/events", class: "button" }, t("events.go"))),
      h("h2", null, t("my.tables")),
      mine && (mine.size ? h("ul", { class: "rows" }, own.map(([x, seat]) => this.row(x, seat))) : h("p", { class: "empty" }, t("no.tables.mine"))),
      h("h2", null, t("open.tables"), " ", h("small", null, t("as.server.says"))),
      offers && (offers.length ? h("ul", { class: "rows" }, [...offers].sort((a, b) => Number(wished.includes(b.id)) - Number(wished.includes(a.id))).map(o => this.open(o))) : h("p", { class: "empty" }, t("no.tables.open"))),
      h("h2", null, t("live.tables"), " ", h("small", null, t("as.server.says"))),
      offers && this.filters([...new Set(others.filter(x => x.seats).map(x => x.game))]),
      offers && (shown.length ? h("ul", { class: "rows" }, shown.map(x => this.row(x))) : h("p", { class: "empty" }, t(others.length ? "no.tables.shown" : "no.tables.live"))));
  }
}
