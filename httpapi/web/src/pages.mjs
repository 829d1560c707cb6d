// Landing, seats, and what all of this is.
import { h, t, about, failure, gameName, go, set, setting, Link, log, symbolOf } from "./core.mjs";
import { Component } from "./preact.mjs";
import { WithDesk, keeps } from "./play.mjs";
import { Copy, Restore } from "./copy.mjs";

const bots = ["bela", "csilla", "dezso", "elza"];

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
      h("p", { class: "spread", "aria-hidden": true }, ["TI", "TXXI", "T", "HK", "SQ"].map(id => h("svg", { key: id, class: "card", viewBox: "0 0 60 96" }, h("use", { href: "#" + symbolOf(`${id[0] === "T" ? "fr" : pack}-${id}`) })))),
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
