// How a table is left, ended by its players, and played again by them: what each means is said before it is done.
import { h, t, about, failure, go, log, within } from "./core.mjs";
import { Component } from "./preact.mjs";

/** @typedef {import("../sdk/index").View} View */

/** Names in a sentence. @param {View} view @param {number[]} seats */
const names = (view, seats) => seats.map(s => view.chairs[s].name).join(", ");

/** What it costs to leave. @param {number} forfeit */
export const costs = forfeit => (forfeit > 0 ? t("leaving.pays", { n: forfeit }) : t("leaving.free"));

/** @param {{view: View, desk: any}} props */
export class Leaving extends Component {
  /** Do something once, and say what is wrong with it. @param {() => Promise<any>} f */
  async attempt(f) {
    if (this.state.busy) return;
    this.setState({ busy: true, failed: null, sure: false });
    try {
      await f();
    } catch (e) {
      this.setState(failure(e));
    }
    this.setState({ busy: false });
  }

  act(kind, to = "") { return this.attempt(() => this.props.desk.call("act", { table: this.props.view.table, kind, to })); }

  /** Offer the next table, or join the one that another player has offered by now. */
  again() {
    return this.attempt(async () => go(within((await this.props.desk.call("offer.again", { url: log, key: about.key, table: this.props.view.table })).link)));
  }

  render({ view }, { busy, sure, failed, english }) {
    const l = view.leaving, alarm = failed && h("p", { class: "status alarm", role: "alert", lang: english ? "en" : undefined }, failed);
    if (!l || view.you === null || view.foul) return null;
    if (view.over) return l.again && h("section", { class: "leaving" }, alarm, h("p", null, h("button", { class: "main", disabled: busy, onClick: () => this.again() }, t("again"))), h("p", { class: "hints" }, t("again.hint")));
    const away = l.gone !== null, own = l.gone === view.you, wants = l.wants.includes(view.you);
    return h("section", { class: "leaving" }, alarm,
      away && h("p", { class: "status", role: "status" }, own ? t("leaving.gone.own") : t("leaving.gone", { name: view.chairs[l.gone].name })),
      l.wants.length > 0 && h("p", { role: "status" }, t("leaving.wants", { names: names(view, l.wants), n: l.wants.length, of: l.asked.length })),
      h("details", { open: away || l.wants.length > 0 }, h("summary", null, t("leaving")),
        own ? h("p", null, h("button", { disabled: busy, onClick: () => this.act("back") }, t("leaving.back")))
          : [l.asked.includes(view.you) && h("p", { key: "agree" }, h("button", { disabled: busy, onClick: () => this.act("agree", wants ? "" : "end") }, t(wants ? "leaving.unwant" : "leaving.agree")), " ", h("small", null, t("leaving.agree.means"))),
            l.resign && !away && !sure && h("p", { key: "leave" }, h("button", { disabled: busy, onClick: () => this.setState({ sure: true }) }, t("leaving.leave"))),
            l.resign && !away && sure && h("div", { key: "sure", role: "group", "aria-label": t("leaving.leave") }, h("p", null, costs(l.forfeit), " ", t("leaving.means")),
              h("p", { class: "actions" }, h("button", { class: "main", onClick: () => this.act("resign") }, t("leaving.sure")), " ", h("button", { onClick: () => this.setState({ sure: false }) }, t("leaving.stay"))))]));
  }
}
