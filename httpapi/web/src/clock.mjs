// The clock of a table (docs/spec/52-time.md), as the server counts it by marks: who is waited for, and for how long yet.
import { h, t, serverSays } from "./core.mjs";
import { Component } from "./preact.mjs";

/** Whom a table waits for; left are seconds from when this was said, null without a clock. @param {{waits: {name: string, left: ?number}[], since: number}} props */
export class Waits extends Component {
  componentDidMount() { this.ticking = setInterval(() => this.props.waits.some(w => w.left !== null) && this.setState({}), 1000); }
  componentWillUnmount() { clearInterval(this.ticking); }

  render({ waits, since }) {
    const passed = Math.floor((Date.now() - since) / 1000), left = w => w.left - passed;
    return h("span", null, t("event.waits"), " ", waits.map(w => h("span", { key: w.name, class: w.left !== null && left(w) < 0 ? "late" : "" }, h("bdi", null, w.name), w.left !== null && ` ${left(w) < 0 ? t("event.late") : t("event.left", { n: left(w) })}`, " ")));
  }
}

/** Seconds that the seats have left for whom a table waits; null: it has no clock; undefined: there was no answer. @param {string} table @returns {Promise<Record<number, number> | null | undefined>} */
export async function readClock(table) {
  const said = await serverSays(`tables/${table}/clock`).catch(() => null);
  if (!said) return undefined;
  const { terms, seats } = said;
  return terms.keepers.length ? Object.fromEntries(seats.filter(s => typeof s.left === "number").map(s => [s.seat, Math.max(0, s.left)])) : null;
}
