// The part of who decides in an event: the organiser, arbiters, the jury. What is next, what a decision changes,
// and what is wrong with a draft is the module's to say.
import { h, t, gameName, go, kept, set, setting, signed, Link } from "./core.mjs";
import { Component } from "./preact.mjs";
import { WithDesk, keeps } from "./play.mjs";
import { timeRemark } from "./schedule.mjs";
import { at, eventFailure, rulingText, Say, tablesInPlay, Terms } from "./eventbar.mjs";

const numbers = (from, to) => [...Array(Math.max(0, to - from + 1)).keys()].map(n => n + from);
const options = (list, text = n => n) => list.map(n => h("option", { key: n, value: n }, text(n)));
const keysOf = text => text.split(/[\s,]+/).filter(Boolean);

/** What of a draft stands below each "more", which opens where something there is wrong, and stays open while that is mended. */
const wrongIn = { seats: ["apart", "seating"], counts: ["points", "bye", "forfeit"], time: ["clock", "times", "keepers", "protest"] };

/** A new event: what is filled in, what it comes to in words, and the signature. */
export class NewEvent extends WithDesk {
  first() { return { kinds: null, draft: null, shown: null, name: setting("name", "") }; }

  async begin() {
    this.kinds = await this.desk.call("event.kinds");
    this.choose(this.kinds[0]);
  }

  /** A preset brings what is usual for it. */
  choose(k) {
    const { draft } = this.state;
    this.setState({ kinds: this.kinds, shown: null, draft: { name: "", venue: "", page: "", from: "", to: "", arbiters: "", jury: "", own: true, max: 100, late: 0, apart: false, seating: "", points: "", bye: "", forfeit: 0, clock: "", times: "", keepers: "", protest: 0, ...draft, kind: k.kind, game: k.game, deals: k.deals, rounds: k.rounds, sizes: k.sizes.join(","), draw: k.draw } });
  }

  change(name, value) { this.setState({ draft: { ...this.state.draft, [name]: value }, shown: null }); }

  async send(sign) {
    const d = this.state.draft, number = name => Number(d[name]) || 0;
    this.setState({ busy: true, failed: null });
    try {
      if (sign) {
        set("name", this.state.name.trim());
        await keeps();
      }
      const shown = await this.desk.call("event.draft", { ...at(), ...d, deals: number("deals"), rounds: number("rounds"), max: number("max"), late: number("late"), forfeit: number("forfeit"), protest: number("protest"), keepers: keysOf(d.keepers), sizes: d.sizes.split(",").map(Number), arbiters: keysOf(d.arbiters), jury: keysOf(d.jury), seat: this.state.name.trim(), sign });
      if (shown.code) return go(`/events/${shown.code}`);
      this.setState({ shown });
    } catch (e) {
      this.setState(eventFailure(e));
    }
    this.setState({ busy: false });
  }

  render(props, { kinds, draft: d, shown, busy, name }) {
    if (!d) return h("main", { class: "page" }, h("h1", null, t("event.new")), this.aside());
    const k = kinds.find(k => k.kind === d.kind && k.game === d.game), wrong = new Map(shown?.wrong.map(w => [w.field, w.why]));
    const problem = key => wrong.has(key) && h("small", { class: "late", role: "alert" }, t("event.wrong." + key), " ", wrong.get(key) && h("span", { lang: "en" }, wrong.get(key)));
    const field = (key, label, more = {}) => h("label", null, label, " ", h("input", { name: key, value: d[key], "aria-invalid": wrong.has(key) || undefined, onInput: e => this.change(key, e.target.value), ...more }), problem(key));
    const more = (name, ...parts) => h("details", { ref: e => { if (e && wrongIn[name].some(key => wrong.has(key))) e.open = true; } }, h("summary", null, t("event.more." + name)), parts);
    const pick = (key, label, list) => h("label", null, label, " ", h("select", { name: key, value: d[key], onChange: e => this.change(key, e.target.value) }, list.map(([v, text]) => h("option", { key: v, value: v }, text))), key !== "sizes" && problem(key));
    const sizes = k.places.flatMap(n => [[String(n), t("event.size", { n })], ...(k.places.includes(n - 1) ? [[`${n},${n - 1}`, t("event.sizes", { n, other: n - 1 })]] : [])]);
    return h("main", { class: "page" }, h("h1", null, t("event.new")), h("p", null, t("event.new.lead")), this.aside(),
      h("form", { class: "ways", onSubmit: e => { e.preventDefault(); this.send(false); } },
        h("label", null, t("event.kind"), " ", h("select", { name: "kind", value: `${d.kind} ${d.game}`, onChange: e => this.choose(kinds.find(k => `${k.kind} ${k.game}` === e.target.value)) }, kinds.map(k => h("option", { key: k.kind + k.game, value: `${k.kind} ${k.game}` }, t("event.kind." + k.kind, { game: gameName(k.game) }))))),
        field("name", t("event.name"), { required: true, maxLength: 80 }), field("venue", t("event.venue"), { maxLength: 80 }), field("from", t("event.from"), { type: "date" }), field("to", t("event.to"), { type: "date" }), field("page", t("event.page"), { maxLength: 200 }),
        field("rounds", t("event.rounds"), { type: "number", min: 1, max: 1000 }), field("deals", t("deals"), { type: "number", min: 1, max: 1000 }),
        pick("sizes", t("club.size"), sizes), pick("draw", t("event.draw"), ["table", "commit"].map(x => [x, t("event.draw." + x)])), h("p", { class: "hints" }, t("event.draw.means." + d.draw)),
        field("max", t("event.max"), { type: "number", min: 2 }), pick("late", t("event.enter"), [[0, t("event.enter.first")], ...numbers(2, Number(d.rounds) || 1).map(n => [n, t("event.enter.late", { n })])]),
        more("seats", h("label", { class: "tick" }, h("input", { type: "checkbox", name: "apart", checked: d.apart, onChange: e => this.change("apart", e.target.checked) }), " ", t("event.apart"), problem("apart")),
          pick("seating", t("event.seating"), ["", "random", "ranked", "plan"].map(x => [x, t("event.seating." + (x || "usual"))]))),
        more("counts", field("points", t("event.places.points")), field("bye", t("event.bye.points")), field("forfeit", t("event.forfeit"), { type: "number", min: 0 })),
        more("time", pick("clock", t("event.clock"), ["", "club", "rapid", "post"].map(x => [x, t("event.clock." + (x || "none"))])), field("times", t("event.times")), field("keepers", t("event.keepers")), field("protest", t("event.protest"), { type: "number", min: 0 })),
        h("label", { class: "tick" }, h("input", { type: "checkbox", checked: d.own, onChange: e => this.change("own", e.target.checked) }), " ", t("event.own.arbiter")),
        h("details", null, h("summary", null, t("event.officials")), h("p", null, t("event.officials.lead")), field("arbiters", t("event.arbiters")), field("jury", t("event.jury"))),
        h("label", null, t("your.name"), " ", h("input", { name: "organiser", value: name, required: true, maxLength: 40, onInput: e => this.setState({ name: e.target.value }) })),
        wrong.has("sizes") && h("p", { class: "status alarm", role: "alert", lang: "en" }, wrong.get("sizes")),
        h("button", { class: shown?.terms.length ? "" : "main", disabled: busy }, t("event.preview"))),
      shown?.terms.length > 0 && h("section", { class: "box", ref: e => { if (e && this.scrolled !== shown) { this.scrolled = shown; e.scrollIntoView({ block: "nearest" }); } } }, h("h2", null, t("event.signs")), h("p", null, t("event.signs.lead")), h(Terms, shown),
        h("p", null, h("button", { class: "main", disabled: busy, onClick: () => this.send(true) }, busy ? t("busy.event") : t("event.announce")))));
  }
}

/** The steps that follow one another without a decision. */
const follows = ["plan", "draw", "seat"];

/** What the organiser does next, and what else is the organiser's. */
export class Organise extends Component {
  async next(steps) {
    const { desk, view } = this.props;
    this.setState({ busy: true, failed: null });
    try {
      const step = await desk.call("event.next", { ...at(), event: view.id, steps, shown: 1 + Math.max(-1, ...view.waiting.map(p => p.index)) });
      this.setState({ going: follows.includes(step) });
    } catch (e) {
      this.setState({ going: false, ...eventFailure(e) });
    }
    await this.props.onDone();
    this.setState({ busy: false });
  }

  /** A draw goes on by itself until players are seated. */
  componentDidUpdate() {
    const { view } = this.props, { going, busy } = this.state;
    if (!going || busy) return;
    if (view.step === "seat" || view.step === "plan" || (view.step === "draw" && !view.draw)) this.next(follows);
    else if (view.step !== "draw") this.setState({ going: false });
  }

  decide(args) { return this.props.desk.call("event.decide", { ...at(), event: this.props.view.id, sign: true, ...args }).then(this.props.onDone); }

  step(v, { busy, going }) {
    const n = v.round + (v.step === "start" || v.step === "tables" ? 0 : 1), waits = busy || going || v.step === "draw" && v.draw;
    const button = text => h("button", { class: "main", disabled: waits, onClick: () => this.next(follows.includes(v.step) ? follows : [v.step]) }, waits ? t("busy.event") : text);
    switch (v.step) {
      case "": return h("p", { role: "status" }, t("reading"));
      case "roster": return [h("p", null, t("step.roster", { n: v.waiting.length })), h("ul", null, v.waiting.map(p => h("li", { key: p.key }, h("bdi", null, p.name), p.club && h("small", null, " ", h("bdi", null, p.club))))), button(t("step.roster.do"))];
      case "plan": case "draw": case "seat": return [h("p", null, t(v.draw ? "event.draw.on" : "step.draw", { n, players: v.players.length })), (v.round > 0 || v.players.length > 1) && button(t("step.draw.do", { n }))];
      case "start": return [h("p", null, t("step.start", { n })), button(t("step.start.do", { n }))];
      case "tables": return h("p", { role: "status" }, t("step.tables", { n }));
      case "final": return v.protest > 0 ? h("p", { role: "status" }, t("step.protest", { n: v.protest })) : [h("p", null, t("step.final")), button(t("step.final.do"))];
    }
    return h("p", null, t("step.over"));
  }

  time(v) {
    return h(Say, { label: t("event.time"), lead: t("event.time.lead", { zone: Intl.DateTimeFormat().resolvedOptions().timeZone }), reason: false, onSay: f => this.decide({ kind: "remark", reason: timeRemark(Number(f.round.value), new Date(f.time.value)) }) },
      h("label", null, t("event.which.round"), " ", h("select", { name: "round" }, options(numbers(v.round + 1, v.of)))), h("label", null, t("event.time.begin"), " ", h("input", { name: "time", type: "datetime-local", required: true })));
  }

  officials(v) {
    const of = role => v.officials.filter(o => o.role === role).map(o => o.key);
    const name = (arbiters, jury) => this.decide({ kind: "arbiters", arbiters, jury });
    return h(Say, { label: t("event.officials.change"), lead: t("event.officials.change.lead"), action: t("event.officials.do"), reason: false, onSay: f => name(keysOf(f.arbiters.value), keysOf(f.jury.value)) },
      ["arbiter", "jury"].map(role => h("label", { key: role + of(role) }, t(role === "jury" ? "event.jury" : "event.arbiters"), h("textarea", { name: role === "jury" ? "jury" : "arbiters", rows: 2, defaultValue: of(role).join("\n"), spellcheck: false }))));
  }

  groups(v) {
    return h(Say, { label: t("event.groups"), lead: t("event.groups.lead"), action: t("event.groups.do"), reason: false, onSay: f => this.decide({ kind: "groups", groups: f.groups.value.split("\n").map(line => keysOf(line).map(Number)).filter(g => g.length) }) },
      h("textarea", { key: v.groups.join(";"), name: "groups", rows: 3, defaultValue: v.groups.map(g => g.join(", ")).join("\n"), "aria-label": t("event.groups") }));
  }

  render({ desk, view: v }, s) {
    if (v.stage === "over" || v.stage === "cancelled") return null;
    return h("section", { class: "box organise" }, h("h2", null, t("event.role.organiser")), this.step(v, s),
      s.failed && h("p", { class: "status alarm", role: "alert", lang: s.english ? "en" : undefined }, s.failed),
      h(Invited, { view: v }), v.grouped && v.players.length > 0 && this.groups(v), this.officials(v), v.round < v.of && this.time(v),
      h(Say, { label: t("event.cancel"), lead: t("event.cancel.lead"), onSay: f => this.decide({ kind: "cancel", reason: f.reason.value }) }));
  }
}

/** A line of a list of people: name, club, key, in this order, with commas, semicolons or tabs between. */
function personOf(line) {
  const [name, club = "", key = ""] = line.split(/[;\t]|,(?=(?:[^"]*"[^"]*")*[^"]*$)/).map(x => x.trim().replace(/^"|"$/g, ""));
  return { name, club, key };
}

/** Whom the organiser expects: a list of this browser's alone, with a link for each, and who of them has registered. */
class Invited extends Component {
  constructor(props) {
    super(props);
    this.name = "roster " + props.view.code;
    this.state = { list: kept(this.name) ?? [], copied: "" };
  }

  keep(list) {
    set(this.name, list);
    this.setState({ list });
  }

  take(text) {
    const people = text.replace(/^\ufeff/, "").split(/\r?\n/).map(personOf).filter(p => p.name && !/^(name|név)$/i.test(p.name));
    this.keep([...this.state.list, ...people.filter(p => !this.state.list.some(q => q.name === p.name && q.club === p.club))]);
  }

  render({ view: v }, { list, copied }) {
    const all = [...v.players, ...v.waiting], of = p => all.find(x => (p.key ? x.key === p.key : x.called === p.name));
    const missing = list.filter(p => !of(p)), link = p => `${v.link}#${new URLSearchParams({ name: p.name, club: p.club })}`;
    return h("details", null, h("summary", null, t("event.invite"), list.length > 0 && ` · ${t("joined", { n: list.length - missing.length, of: list.length })}`), h("p", null, t("event.invite.lead")),
      h("label", { class: "drop" }, t("event.invite.file"), " ", h("span", { class: "button" }, t("choose.files")), h("input", { type: "file", accept: ".csv,.txt,text/csv,text/plain", onChange: async e => e.target.files[0] && this.take(await e.target.files[0].text()) })),
      h("form", { class: "ways", onSubmit: e => { e.preventDefault(); this.take(e.target.elements.people.value); e.target.reset(); } }, h("label", null, t("event.invite.text"), h("textarea", { name: "people", rows: 3 })), h("button", null, t("event.invite.add"))),
      list.length > 0 && h("ul", { class: "rows" }, list.map(p => h("li", { key: p.name + p.club }, h("bdi", null, p.name), of(p) ? h("span", { class: "there" }, "✓ ", t("club.joined"))
        : h("button", { onClick: async () => { await navigator.clipboard?.writeText(link(p)); this.setState({ copied: p.name }); } }, copied === p.name ? t("copied") : t("event.invite.copy")), h("small", null, h("bdi", null, p.club), !of(p) && h("code", null, " ", link(p)))))),
      list.length > 0 && h("p", null, h("button", { onClick: () => this.keep([]) }, t("event.invite.clear"))));
  }
}

/** What each kind of ruling needs. */
const needs = { penalty: ["player", "points", "round?"], adjust: ["place", "deal?", "all"], disqualify: ["player", "round"], stands: ["place"], correct: ["player?"], substitute: ["place", "player"], replay: ["place", "instead"] };

/** The part of an arbiter, of the jury, and what all who decide may say. */
export class Official extends Component {
  constructor(props) {
    super(props);
    this.state = { do: "penalty", place: "", player: "", answers: null };
  }

  call(args) { return this.props.desk.call("event.decide", { ...at(), event: this.props.view.id, ...args }); }

  /** Show what a decision would change; it is signed when that was seen. */
  async weigh(args, key) {
    this.setState({ failed: null, key });
    try {
      this.setState({ effect: await this.call(args), args });
    } catch (e) {
      this.setState({ effect: null, ...eventFailure(e) });
    }
  }

  async sign() {
    this.setState({ busy: true });
    try {
      await this.call({ ...this.state.args, sign: true });
      this.setState({ effect: null, args: null });
      await this.props.onDone();
    } catch (e) {
      this.setState(eventFailure(e));
    }
    this.setState({ busy: false });
  }

  /** What is weighed, where it was asked. */
  weighed(key, { effect, failed, english, busy, key: now }) {
    if (now !== key) return null;
    const { unit } = this.props.view, p = n => (unit === 1 ? signed(n) : (n / unit).toFixed(2));
    return [failed && h("p", { class: "status alarm", role: "alert", lang: english ? "en" : undefined }, failed),
      effect && h("div", { class: "status effect" }, h("p", null, t(effect.length ? "event.effect" : "event.effect.none")), effect.length > 0 && h("ul", null, effect.map(c => h("li", { key: c.name }, h("bdi", null, c.name), ": ", p(c.before), " → ", p(c.after), c.wasRank !== c.willRank && [" ", h("span", { class: "whole" }, `(${t("standings.rank")} ${c.wasRank || t("event.out")} → ${c.willRank || t("event.out")})`)]))),
        h("p", null, h("button", { class: "main", disabled: busy, onClick: () => this.sign() }, busy ? t("busy.event") : t("event.sign"))))];
  }

  ruling(v, s) {
    const need = needs[s.do], has = name => need.includes(name) || need.includes(name + "?"), tables = v.rounds.flatMap(r => r.tables).filter(x => x.id);
    const place = tables.find(x => `${x.round}/${x.number}` === s.place) ?? tables[0];
    const player = v.players.find(p => String(p.number) === String(s.player)) ?? v.players[0];
    const send = e => {
      e.preventDefault();
      const f = e.target.elements, points = has("all") ? place.numbers.map((n, i) => ({ player: n, points: Number(f[`points${i}`].value) || 0 })) : has("points") ? [{ player: player.number, points: Number(f.points.value) || 0 }] : [];
      this.weigh({ kind: "ruling", do: s.do, ...(has("place") && { place: [place.round, place.number] }), ...(has("player") && (need.includes("player") || s.player) && { player: player.number }), points, deal: Number(f.deal?.value) || 0, round: Number(f.round?.value) || 0, instead: f.instead?.value.trim() ?? "", reason: f.reason.value }, "ruling");
    };
    const label = (text, field) => h("label", null, text, " ", field);
    return h("details", { class: "ruling", open: v.calls.length > 0 }, h("summary", null, t("event.rule")), h("form", { class: "ways", onSubmit: send, onInput: () => s.effect && this.setState({ effect: null }) },
      label(t("event.rule.what"), h("select", { name: "do", value: s.do, onChange: e => this.setState({ do: e.target.value }) }, Object.keys(needs).filter(x => tables.length || !needs[x].includes("place")).map(x => h("option", { key: x, value: x }, t("rule." + x))))),
      has("place") && place && label(t("table"), h("select", { name: "place", value: `${place.round}/${place.number}`, onChange: e => this.setState({ place: e.target.value }) }, tables.map(x => h("option", { key: x.id, value: `${x.round}/${x.number}` }, `${x.round}/${x.number}: ${x.players.join(", ")}`)))),
      has("place") && place && h("p", null, t("event.evidence"), " ", h(Link, { href: `/r/${place.id}` }, t("replay")), " · ", h(Link, { href: `/verify?table=${place.id}` }, t("verify.myself"))),
      has("player") && player && label(t("standings.player"), h("select", { name: "player", value: s.player || (need.includes("player") ? player.number : ""), onChange: e => this.setState({ player: e.target.value }) }, !need.includes("player") && h("option", { value: "" }, "–"), v.players.map(p => h("option", { key: p.number, value: p.number }, `${p.number} ${p.name}`)))),
      has("points") && label(t("event.points"), h("input", { name: "points", type: "number", step: 1, required: true, defaultValue: -5 })),
      has("all") && place?.players.map((p, i) => h("label", { key: p }, h("bdi", null, p), " ", h("input", { name: `points${i}`, type: "number", step: 1, required: true, defaultValue: 0 }))),
      has("deal") && label(t("event.deal"), h("select", { name: "deal" }, h("option", { value: 0 }, t("event.deal.all")), options(numbers(1, place?.deals ?? 0), n => t("deal.nth", { n })))),
      has("round") && label(t("event.which.round"), h("select", { name: "round" }, s.do === "penalty" && h("option", { value: 0 }, "–"), options(numbers(1, v.of)))),
      has("instead") && label(t("event.instead"), h("input", { name: "instead", required: true })),
      label(t("event.reason"), h("textarea", { name: "reason", rows: 2, required: true, maxLength: 500 })),
      h("button", null, t("event.weigh"))), this.weighed("ruling", s));
  }

  jury(v, s) {
    const open = v.rulings.filter(r => r.state === "open");
    if (!open.length) return h("p", null, t("event.jury.none"));
    return open.map(r => h("form", { key: r.hash, class: "ways appeal", onSubmit: e => { e.preventDefault(); this.weigh({ kind: "ruling", do: e.target.elements.do.value, on: r.hash, reason: e.target.elements.reason.value }, r.hash); } },
      h("p", null, h("b", null, rulingText(r)), " ", h("bdi", null, r.reason)), r.appeals.map(a => h("p", { key: a.index }, t("event.appeals", { name: a.name }), " ", h("bdi", null, a.reason))),
      h("label", null, t("event.rule.what"), " ", h("select", { name: "do" }, h("option", { value: "uphold" }, t("rule.uphold", { on: r.index })), h("option", { value: "overturn" }, t("rule.overturn", { on: r.index })))),
      h("label", null, t("event.reason"), h("textarea", { name: "reason", rows: 2, required: true, maxLength: 500 })), h("button", null, t("event.weigh")), this.weighed(r.hash, s)));
  }

  /** What the link of a substitute says: whose seat at which table, and who takes it; null: nothing of this event. */
  static readLink(v, link) {
    const said = new URLSearchParams(link.split("#")[1] ?? ""), x = tablesInPlay(v).find(x => x.id === said.get("table")), p = v.players.find(p => p.key === said.get("by"));
    const of = x?.players[Number(said.get("seat"))];
    return of && p ? { table: x.id, seat: Number(said.get("seat")), by: p.key, accept: said.get("accept") ?? "", words: t("event.reseat.says", { name: p.name, of, n: `${x.round}/${x.number}` }) } : null;
  }

  reseat(v, link) {
    const said = Official.readLink(v, link);
    return h(Say, { label: t("event.reseat"), lead: t("event.reseat.lead"), reason: false, open: Boolean(this.props.given) || undefined, onSay: async () => {
      if (!said) throw new Error(t("event.reseat.wrong"));
      const { words, ...take } = said;
      await this.props.desk.call("event.reseat", { ...at(), event: v.id, ...take });
      this.setState({ link: "" });
      await this.props.onDone();
    } }, h("label", null, t("event.reseat.link"), h("input", { name: "link", value: link, required: true, autocomplete: "off", onInput: e => this.setState({ link: e.target.value }) })),
    link && h("p", { role: "status" }, said ? said.words : t("event.reseat.wrong")));
  }

  render({ view: v, given = "" }, s) {
    if (v.stage === "over" || v.stage === "cancelled") return null;
    const playing = [...(v.draw ? [v.draw] : []), ...v.rounds.flatMap(r => r.tables).filter(x => x.id && !["sound", "adjudicated", "foul"].includes(x.state))];
    const is = role => v.own.roles.includes(role), stands = v.rounds[0]?.tables.filter(x => x.stands === "stopped" || x.stands === "paused" || x.state === "foul") ?? [];
    return h("section", { class: "box official" }, h("h2", null, ["arbiter", "jury"].filter(is).map(role => t("event.role." + role)).join(", ") || t("event.says")),
      is("arbiter") && [v.calls.map(c => h("p", { key: c.index, class: "status alarm", role: "alert" }, t("event.called", { n: `${c.table.round}/${c.table.number}` }), " ", h("bdi", null, c.name), ": ", h("bdi", null, c.reason), " ", h(Link, { href: `/t/${c.table.id}?watch` }, t("watch.it")))),
        stands.map(x => h("p", { key: x.id, class: "status" }, t("event.table.nth", { n: `${x.round}/${x.number}` }), ": ", t("event.state." + (x.stands === "over" || x.stands === "foul" ? x.state : x.stands)), x.waits.length > 0 && [" · ", t("event.waits"), " ", x.waits.map(w => w.name).join(", ")])), this.ruling(v, s)],
      is("jury") && this.jury(v, s),
      (is("arbiter") || is("organiser")) && playing.length > 0 && h(Say, { label: t("event.close"), lead: t("event.close.lead"), onSay: f => this.props.desk.call("event.close", { ...at(), event: v.id, table: f.table.value, reason: f.reason.value }).then(this.props.onDone) },
        h("label", null, t("table"), " ", h("select", { name: "table" }, playing.map(x => h("option", { key: x.id, value: x.id }, x.round ? `${x.round}/${x.number}: ${x.players.join(", ")}` : t("event.draw")))))),
      (is("arbiter") || is("organiser")) && tablesInPlay(v).length > 0 && this.reseat(v, s.link ?? given),
      h(Say, { label: t("event.remark"), lead: t("event.remark.lead"), onSay: f => this.call({ kind: "remark", reason: f.reason.value, sign: true }).then(this.props.onDone) }));
  }
}
