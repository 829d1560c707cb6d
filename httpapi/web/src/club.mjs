// A club's evening: several open tables at once, their codes on a printed page, standings, and evidence.
import { h, t, about, Link, log } from "./core.mjs";
import { WithDesk, save } from "./play.mjs";
import { Terms, game } from "./open.mjs";

const at = () => ({ url: log, key: about.key });

/** Points by name, most first. */
const ranked = points => Object.entries(points).sort((a, b) => b[1] - a[1]);
const add = (points, name, n) => { points[name] = (points[name] ?? 0) + n; };

const Standings = ({ points, label }) => h("table", { class: "standings" }, h("caption", null, label),
  h("tbody", null, ranked(points).map(([name, n], i) => h("tr", { key: name }, h("td", null, i + 1), h("th", { scope: "row" }, h("bdi", null, name)), h("td", { class: "points" }, n)))));

export class Club extends WithDesk {
  first() { return { games: null, count: 2, tables: [], verified: {} }; }

  async begin() {
    this.setState({ games: await this.desk.call("offer.games") });
    for (const s of await this.desk.call("seats"))
      for (const w of s.offers ?? []) if (w.organiser && !w.join && w.url === log) await this.show(w.hash);
  }

  /** Show an open table of this browser's, and watch it until it begins. */
  async show(hash) {
    const offer = await this.desk.call("offer.find", { ...at(), hash });
    this.put({ ...offer, joins: [] });
    if (!offer.table) await this.desk.call("offer.watch", { ...at(), offer: offer.offer });
  }

  put(table) {
    this.setState(({ tables }) => ({ tables: [...tables.filter(x => x.offer !== table.offer), { ...tables.find(x => x.offer === table.offer), ...table }].sort((a, b) => (a.title + a.code).localeCompare(b.title + b.code, undefined, { numeric: true })) }));
  }

  onEvent(e) {
    if (e.event === "offer") this.put({ offer: e.offer, ...(e.joins && { joins: e.joins }), ...(e.table && { table: e.table }), wrong: e.lost || e.why });
  }

  async make(terms) {
    this.setState({ busy: true, failed: null });
    try {
      for (let n = 1; n <= this.state.count; n++) {
        const made = await this.desk.call("offer.make", { ...at(), ...terms, absent: true, title: `${terms.title} ${n}`.trim() });
        this.put({ ...made, joins: [] });
        await this.desk.call("offer.watch", { ...at(), offer: made.offer });
      }
    } catch (e) {
      this.setState({ failed: e.message });
    }
    this.setState({ busy: false });
  }

  begun() { return this.state.tables.filter(x => x.table); }

  /** Standings as the server says: nothing of it is verified. */
  async ask() {
    const points = {};
    for (const { table } of this.begun()) {
      const answer = await fetch(`${log}/v1/tables/${table}`, { headers: { Accept: "application/json" } });
      if (!answer.ok) return this.setState({ failed: t("server.away") });
      const { seats, result } = await answer.json();
      seats.forEach((s, i) => add(points, s.name, result?.[i] ?? 0));
    }
    this.setState({ points });
  }

  /** The same, as this browser finds it: each table is verified from the log. */
  async verify() {
    const points = {};
    for (const { table } of this.begun()) {
      this.setState({ starting: t("verifying", { name: table.slice(0, 12) }) });
      const r = await this.desk.call("verify", { ...at(), table }).catch(e => ({ verdict: "unchecked", headline: e.message }));
      this.setState(({ verified }) => ({ verified: { ...verified, [table]: r } }));
      if (!r.json || !["sound", "unfinished"].includes(r.verdict)) continue;
      for (const sheet of JSON.parse(r.json).sheets ?? []) for (const p of sheet.payments) add(points, p.name, p.total);
    }
    this.setState({ checked: points, starting: null });
  }

  render(props, { games, busy, count, tables, points, checked, verified }) {
    const begun = this.begun();
    return h("main", { class: "page club" }, h("h1", null, t("club")), h("p", { class: "unprinted" }, t("club.lead")), this.aside(),
      games && h("details", { class: "unprinted", open: !tables.length }, h("summary", null, t("club.new")),
        h(Terms, { games, busy, alone: true, onDone: terms => this.make(terms) },
          h("label", null, t("tables.count"), " ", h("input", { type: "number", min: 1, max: 16, value: count, onInput: e => this.setState({ count: Number(e.target.value) }) })))),
      tables.length > 0 && [
        h("h2", null, t("open.tables")), h("p", { class: "unprinted" }, h("button", { onClick: () => print() }, t("print"))),
        h("p", { class: "hints" }, t("club.paper", { host: location.host })),
        h("ul", { class: "slips" }, tables.map(o => h("li", { key: o.offer },
          h("h3", null, h("bdi", null, o.title || t("open.table"))),
          h("p", { class: "code" }, t("code"), ": ", h("code", { class: "big" }, o.code)),
          h("p", null, t("organiser.is"), " ", h("bdi", null, o.organiser), " ", h("b", null, o.words)),
          h("p", null, game(o.game), o.preset && [", ", t("preset." + o.preset)], " · ", t("deals.are", { n: o.deals })),
          h("p", { class: "unprinted", role: "status" }, o.table ? h(Link, { href: `/t/${o.table}?watch` }, t("watch.it")) : t("joined", { n: o.joins.length, of: o.places }), " ", o.joins.map(j => j.name).join(", ")),
          o.wrong && h("p", { class: "status alarm", role: "alert" }, o.wrong))))],
      begun.length > 0 && h("section", { class: "unprinted" },
        h("h2", null, t("standings")),
        h("p", null, h("button", { onClick: () => this.ask() }, t("standings.server")), " ", h("button", { class: "main", onClick: () => this.verify() }, t("standings.verify"))),
        points && h(Standings, { points, label: t("as.server.says") }),
        checked && h(Standings, { points: checked, label: t("as.verified") }),
        h("h2", null, t("evidence")), h("p", null, t("evidence.lead")),
        h("ul", { class: "rows" }, begun.map(({ table, title }) => h("li", { key: table }, h("bdi", null, title), " ",
          h("a", { href: `${log}/v1/tables/${table}/bundle`, download: `${table.slice(0, 12)}.pakli` }, t("take.home")), " ",
          verified[table] && [t("verdict." + verified[table].verdict.replace(" ", "-")), ": ", verified[table].headline, " ",
            verified[table].json && h("button", { onClick: () => save(`${table.slice(0, 12)}.json`, verified[table].json, "application/json") }, t("save.json"))])))));
  }
}
