// A club's evening: rounds that are drawn, an open table for each group, their codes on a
// printed page, standings, and evidence to hand on. The draw is kept in this browser's
// settings; what is played is in the log.
import { h, t, about, failure, gameName, Invitation, kept, Link, log, serverSays, set, setting, within } from "./core.mjs";
import { draw } from "./draw.mjs";
import { WithDesk, save } from "./play.mjs";
import { choices, Terms } from "./open.mjs";
import { written } from "./pages.mjs";
import { shapes } from "./verify.mjs";
import { zip } from "./zip.mjs";

const at = () => ({ url: log, key: about.key });

/** @typedef {{names: string[], offer?: string}} Group */
/** @typedef {{terms: any, players: string, rounds: {tables: Group[], out: string[]}[]}} Evening */

/** @returns {Evening} */
const evening = () => setting("club", { terms: null, players: "", rounds: [] });

/** A player of a line: a seat's public key names it. */
const player = line => line.includes("+") ? { name: line.split("+")[0], key: line, shown: line.split("+")[0] } : { name: written(line), shown: line };
const playersOf = text => text.split("\n").map(line => line.trim()).filter(Boolean).map(player);

/** Points by name. A player may be named like what every other object has. @returns {Record<string, number>} */
const blank = () => Object.create(null);

/** Points by round and name as rows, most first; equal sums have one rank. */
function ranked(rounds) {
  const names = [...new Set(rounds.flatMap(r => Object.keys(r)))];
  const rows = names.map(name => ({ name, points: rounds.map(r => r[name]), sum: rounds.reduce((sum, r) => sum + (r[name] ?? 0), 0) })).sort((a, b) => b.sum - a.sum || a.name.localeCompare(b.name));
  return rows.map(row => ({ ...row, rank: rows.findIndex(r => r.sum === row.sum) + 1 }));
}

function Standings({ rounds, label }) {
  const rows = ranked(rounds);
  if (!rows.length) return h("p", { class: "empty" }, label, ": ", t("standings.none"));
  return h("div", { class: "scrolled", tabIndex: 0, role: "region", "aria-label": label }, h("table", { class: "standings" }, h("caption", null, label),
    h("thead", null, h("tr", null, h("th", { scope: "col" }, t("standings.rank")), h("th", { scope: "col" }, t("standings.player")),
      rounds.length > 1 && rounds.map((r, i) => h("th", { key: i, scope: "col", class: "points" }, t("club.round", { n: i + 1 }))), h("th", { scope: "col", class: "points" }, t("standings.total")))),
    h("tbody", null, rows.map(r => h("tr", { key: r.name }, h("td", null, r.rank), h("th", { scope: "row" }, h("bdi", null, r.name)),
      rounds.length > 1 && r.points.map((n, i) => h("td", { key: i, class: "points" }, n ?? "–")), h("td", { class: "points" }, h("b", null, r.sum)))))));
}

const standingsText = rounds => ranked(rounds).map(r => `${r.rank}. ${r.name}  ${r.sum}`).join("\n");

export class Club extends WithDesk {
  first() {
    this.evening = evening();
    return { games: null, offers: {}, count: 2 };
  }

  async begin() {
    this.setState(await choices(this.desk));
    for (const { offer } of this.groups()) if (offer) await this.show(offer);
    this.setState({ found: true });
  }

  groups() { return this.evening.rounds.flatMap(r => r.tables); }

  /** Keep what has changed of the evening, and what another tab has. */
  keep(changed) {
    set("club", Object.assign(this.evening, kept("club"), changed));
    this.setState({});
  }

  /** Show an open table of this browser's, and watch it until it begins. */
  async show(hash) {
    try {
      const offer = await this.desk.call("offer.find", { ...at(), hash });
      this.put(hash, { ...offer, joins: [] });
      if (!offer.table) await this.desk.call("offer.watch", { ...at(), offer: hash });
    } catch (e) {
      this.put(hash, { wrong: e.message });
    }
  }

  put(hash, said) { this.setState(({ offers }) => ({ offers: { ...offers, [hash]: { ...offers[hash], ...said } } })); }

  onEvent(e) {
    if (e.event === "offer") this.put(e.offer, { ...(e.joins && { joins: e.joins }), ...(e.table && { table: e.table }), wrong: e.lost || e.why });
    if (e.event === "evidence") this.setState({ starting: t("evidence.collecting", { n: e.n, of: e.of }) });
  }

  /** Draw a round, and offer its tables. Without names there are so many tables for whoever comes. */
  async drawRound(terms) {
    const { players, rounds } = Object.assign(this.evening, kept("club")), all = playersOf(players), names = all.map(p => p.name);
    const twice = names.find((name, i) => names.indexOf(name) < i);
    const allowed = this.state.games.find(g => g.game === terms.game).places;
    if (twice) return this.setState({ failed: t("club.twice", { name: twice }), english: false });
    if (names.length && names.length < Math.min(...allowed)) return this.setState({ failed: t("club.few"), english: false });
    const round = names.length ? draw(names, terms.places, allowed, rounds) : { tables: Array.from({ length: this.state.count }, () => ({ names: [] })), out: [] };
    this.keep({ terms, rounds: [...rounds, round] });
    await this.offerAll();
  }

  /** Offer the tables that are drawn and not offered. */
  async offerAll() {
    const { terms, players } = this.evening, keys = new Map(playersOf(players).map(p => [p.name, p.key]));
    this.setState({ busy: true, failed: null });
    try {
      for (const [r, round] of this.evening.rounds.entries()) for (const [n, group] of round.tables.entries()) {
        if (group.offer) continue;
        const made = await this.desk.call("offer.make", { ...at(), policy: about.policy, ...terms, places: group.names.length || terms.places, absent: true, title: `${terms.title} ${r + 1}.${n + 1}`.trim() });
        group.offer = made.offer;
        this.keep({ rounds: this.evening.rounds });
        this.put(made.offer, { ...made, joins: [] });
        await this.desk.call("offer.watch", { ...at(), offer: made.offer });
        for (const name of group.names) if (keys.get(name)) await this.desk.call("offer.add", { ...at(), offer: made.offer, seat: keys.get(name) });
      }
    } catch (e) {
      this.setState(failure(e));
    }
    this.setState({ busy: false });
  }

  /** The tables of each round that have begun. */
  begun() { return this.evening.rounds.map(r => r.tables.map(g => this.state.offers[g.offer]?.table).filter(Boolean)); }

  /** Standings as the server says: nothing of it is verified. */
  async ask() {
    this.setState({ failed: null });
    const rounds = [];
    for (const tables of this.begun()) {
      const points = blank();
      for (const table of tables) {
        const said = await serverSays(`tables/${table}`).catch(e => this.setState(failure(e)));
        if (!said) return;
        const { seats, result } = said;
        seats.forEach((s, i) => { points[s.name] = (points[s.name] ?? 0) + (result?.[i] ?? 0); });
      }
      rounds.push(points);
    }
    this.setState({ said: rounds });
  }

  /** The same as this browser finds it, from all that the log has of the tables. */
  async verify() {
    this.setState({ failed: null, starting: t("evidence.reading") });
    try {
      const evidence = await this.desk.call("evidence", { ...at(), tables: this.begun().flat() });
      const found = new Map(evidence.tables.map(x => [x.table, x]));
      const rounds = this.begun().map(tables => {
        const points = blank();
        for (const x of tables.map(table => found.get(table))) {
          if (!x?.json || !["sound", "unfinished"].includes(x.verdict)) continue;
          for (const sheet of JSON.parse(x.json).sheets ?? []) for (const p of sheet.payments) points[p.name] = (points[p.name] ?? 0) + p.total;
        }
        return points;
      });
      this.setState({ evidence, checked: rounds, starting: null });
    } catch (e) {
      this.setState({ ...failure(e), starting: null });
    }
  }

  /** One file with all tables, the verdicts on them, and what it is. */
  saveEvidence() {
    const { evidence, checked } = this.state, bytes = text => new TextEncoder().encode(text);
    const name = x => x.table.slice(0, 12), says = x => t("verdict." + x.verdict.replaceAll(" ", "-"));
    const about = [this.evening.terms.title || t("club"), t("evidence.under", { n: evidence.size }), `${t("standings")} (${t("as.verified")})\n${standingsText(checked)}`,
      evidence.tables.map(x => `${name(x)}.pakli: ${says(x)}. ${x.headline}`).join("\n"), t("evidence.limit"), t("evidence.again", { command: `pakli-verify --log '${at().key.replaceAll("'", "'\\''")}' *.pakli` })].join("\n\n") + "\n";
    save("evidence.zip", zip([{ name: "README.txt", bytes: bytes(about) }, ...evidence.tables.flatMap(x => [
      { name: name(x) + ".pakli", bytes: Uint8Array.from(atob(x.bundle), c => c.charCodeAt(0)) },
      { name: name(x) + ".txt", bytes: bytes(x.text) }, { name: name(x) + ".json", bytes: bytes(x.json) }])]), "application/zip");
  }

  forget() {
    if (!confirm(t("club.forget.sure"))) return;
    this.keep({ rounds: [] });
    this.setState({ said: null, checked: null, evidence: null });
  }

  slip(group, n) {
    const o = this.state.offers[group.offer], there = new Set(o?.joins?.map(j => j.name.toLowerCase())), drawn = new Set(group.names.map(name => name.toLowerCase()));
    const shown = new Map(playersOf(this.evening.players).map(p => [p.name, p.shown]));
    return h("li", { key: n },
      h("h3", null, t("club.table", { n: n + 1 })),
      group.names.length > 0 && h("ul", { class: "names" }, group.names.map(name => h("li", { key: name }, h("bdi", null, shown.get(name) ?? name), there.has(name.toLowerCase()) && !o.table && h("span", { class: "unprinted there" }, " ✓ ", t("club.joined"))))),
      o?.code && [!o.table && h(Invitation, o), h("p", { class: "code" }, t("code"), ": ", h("code", { class: "big" }, o.code)),
        h("p", null, t("organiser.is"), " ", h("bdi", null, o.organiser), " ", h("b", null, o.words)),
        h("p", { class: "hints" }, gameName(o.game), o.preset && [", ", t("preset." + o.preset)], " · ", t("deals.are", { n: o.deals })),
        h("p", { class: "unprinted", role: "status" }, o.table ? h(Link, { href: `/t/${o.table}?watch` }, t("watch.it")) : [t("joined", { n: o.joins.length, of: o.places }), " · ", h(Link, { href: within(o.link) }, t("club.manage"))]),
        group.names.length > 0 && !o.table && o.joins.filter(j => !drawn.has(j.name.toLowerCase())).map(j => h("p", { key: j.join, class: "unprinted status" }, h("bdi", null, j.name), ": ", t("club.other")))],
      o?.wrong && h("p", { class: "status alarm unprinted", role: "alert" }, o.wrong));
  }

  render(props, { games, busy, count, said, checked, evidence }) {
    const { rounds, players, terms } = this.evening, begun = this.begun().flat(), number = rounds.length + 1;
    return h("main", { class: "page wide club" }, h("h1", null, h("bdi", null, terms?.title || t("club"))), h("p", { class: "unprinted lead" }, t("club.lead")), h("div", { class: "unprinted" }, this.aside()),
      games && h("details", { class: "unprinted box", open: !rounds.length }, h("summary", null, rounds.length ? t("club.draw", { n: number }) : t("club.new")),
        h(Terms, { games, clocks: this.state.clocks, busy, alone: true, terms, size: t("club.size"), action: playersOf(players).length || rounds.length ? t("club.draw", { n: number }) : t("offer.do"), onDone: terms => this.drawRound(terms) },
          h("label", null, t("club.players"), h("textarea", { rows: 8, value: players, spellcheck: false, onInput: e => this.keep({ players: e.target.value }) }), h("small", null, t("club.players.n", { n: playersOf(players).length }))),
          !playersOf(players).length && h("label", null, t("tables.count"), " ", h("input", { type: "number", min: 1, max: 16, value: count, onInput: e => this.setState({ count: Number(e.target.value) }) })))),
      rounds.length > 0 && h("p", { class: "unprinted actions" }, h("button", { onClick: () => print() }, t("print")),
        !busy && this.groups().some(g => !g.offer) && h("button", { class: "main", onClick: () => this.offerAll() }, t("offer.do")), h("button", { onClick: () => this.forget() }, t("club.forget"))),
      rounds.map((round, r) => h("section", { key: r, class: "round" }, h("h2", null, t("club.round", { n: r + 1 })),
        h("p", { class: "hints" }, t("club.paper", { host: location.host })),
        h("ul", { class: "slips" }, round.tables.map((group, n) => this.slip(group, n))),
        round.out.length > 0 && h("p", null, t("club.bye", { names: round.out.join(", ") })))).reverse(),
      rounds.some(r => r.tables.some(g => g.names.length)) && h("p", { class: "hints" }, t("club.drawn")),
      begun.length > 0 && h("section", { class: "unprinted" },
        h("h2", null, t("standings")),
        h("p", { class: "actions" }, h("button", { disabled: !this.state.found, onClick: () => this.ask() }, t("standings.server")), h("button", { class: "main", disabled: !this.state.found || Boolean(this.state.starting), onClick: () => this.verify() }, t("standings.verify"))),
        said && h(Standings, { rounds: said, label: t("as.server.says") }),
        checked && h(Standings, { rounds: checked, label: t("as.verified") }),
        h("h2", null, t("evidence")), h("p", null, t("evidence.lead")), h("p", { class: "hints" }, t("evidence.limit")),
        evidence && [h("p", null, t("evidence.under", { n: evidence.size })),
          h("ul", { class: "rows" }, evidence.tables.map(x => h("li", { key: x.table }, h("b", null, h("span", { "aria-hidden": true }, shapes[x.verdict] || "✗", " "), t("verdict." + x.verdict.replaceAll(" ", "-"))), h("span", null, x.headline),
            h("small", null, h("code", null, x.table.slice(0, 12)))))),
          h("p", null, h("button", { class: "main", onClick: () => this.saveEvidence() }, t("evidence.save")))]));
  }
}
