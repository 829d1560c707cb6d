// The clock of a table (docs/spec/52-time.md), as the server counts it by marks: who is waited for, and for how long yet.
import { h, t, log } from "./core.mjs";
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

/** How often the clock is looked at while the table waits for the same seats: marks may have come. */
const every = 10000;

/** For who watches a table that has a clock, as the server says; players have the times that their own program counts. It is looked at when the table waits for somebody else. */
export class Clock extends Component {
  componentDidMount() {
    this.look();
    this.timer = setInterval(() => this.state.seats?.length && this.look(), every);
  }

  componentDidUpdate(old) { if (String(old.owing) !== String(this.props.owing) && this.state.seats) this.look(); }

  componentWillUnmount() {
    this.gone = true;
    clearInterval(this.timer);
  }

  async look() {
    const answer = await fetch(`${log}/v1/tables/${this.props.table}/clock`).catch(() => null), clock = answer?.ok ? await answer.json() : null;
    if (clock?.terms.keepers.length && !this.gone) this.setState({ seats: clock.seats, since: Date.now() });
  }

  render({ names }, { seats, since }) {
    return seats?.length > 0 && h("p", { class: "clock", role: "timer" }, h(Waits, { waits: seats.map(s => ({ name: names[s.seat], left: s.left ?? null })), since }));
  }
}
