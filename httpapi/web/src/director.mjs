// What the log has said is shown at a pace that people follow: a card is laid, a trick that is complete lies
// until it was seen, and the result of a deal stands until it was read. The log may be ahead of what is shown.
// Nothing here knows the page: it is given views, and hands on frames.

/** @typedef {import("../sdk/index").View} View */
/** @typedef {import("../sdk/index").Trick} Trick */
/** @typedef {import("../sdk/index").Sheet} Sheet */

/**
 * A table as it is shown for a while: with the seat that takes the trick which lies there, or with how a deal ended.
 * @typedef {{view: View, hold: number, winner?: number, result?: Sheet}} Frame
 */

/**
 * A frame, and what is told and asked with it.
 * @typedef {Frame & {ask?: any, faces?: any, tells?: any[]}} Scene
 */

/** For how long, in milliseconds, each kind of frame is shown. */
export const pace = { card: 350, trick: 1200, result: 8000 };

/** For how long all frames but results may keep what is asked, or what the log has said last, from being shown. */
export const delay = { asked: pace.trick + 3 * pace.card, told: 6000 };

const trickOf = view => view.zones.find(z => z.layout === "trick");
const withTrick = (view, cards) => ({ ...view, zones: view.zones.map(z => (z.layout === "trick" ? { ...z, cards } : z)) });

/**
 * The frames that lead from one view to a later one, which is in the last of them. The first view of a table, and one
 * that is not later, are shown as they are.
 * @param {?View} before @param {View} view @returns {Frame[]}
 */
export function framesBetween(before, view) {
  if (!before || before.table !== view.table || view.entries <= before.entries || view.foul) return [{ view, hold: 0 }];
  const same = before.deal === view.deal;
  // Until a trick is swept nobody sees what it led to: who is next, what it came to.
  const still = {
    ...(same ? view : before), over: false, waits: [], facts: before.facts, sheets: before.sheets, sums: before.sums,
    chairs: before.chairs.map(c => ({ ...c, turn: false })),
  };
  /** @type {Frame[]} */
  const frames = [];
  let lying = trickOf(before)?.cards.length ?? 0;
  const known = same ? before.past.length : 0;
  for (let i = known; i < view.past.length; i++) {
    const { cards, taken } = view.past[i], past = view.past.slice(0, i);
    for (let n = lying + 1; n <= cards.length; n++) {
      const last = n === cards.length;
      frames.push({ view: { ...withTrick(still, cards.slice(0, n)), past }, hold: last ? pace.trick : pace.card, ...(last && { winner: taken }) });
    }
    lying = 0;
  }
  const result = view.sheets.length > before.sheets.length ? view.sheets.at(-1) : undefined;
  if (result) frames.push({ view: { ...withTrick(still, []), past: view.past, sheets: view.sheets, sums: view.sums }, hold: pace.result, result });
  const now = trickOf(view)?.cards ?? [];
  for (let n = lying + 1; n < now.length; n++) frames.push({ view: { ...withTrick(still, now.slice(0, n)), past: view.past }, hold: pace.card });
  frames.push({ view, hold: now.length > lying ? pace.card : 0 });
  return frames;
}

/** Shows one frame after another, each for its time. */
export class Director {
  /**
   * @param {(scene: Scene) => void} show
   * @param {{speed?: () => number, after?: (f: () => void, ms: number) => any, cancel?: (timer: any) => void}} clock how many times as fast as usual, and timers
   */
  constructor(show, { speed = () => 1, after = setTimeout.bind(globalThis), cancel = clearTimeout.bind(globalThis) }) {
    this.show = show;
    this.speed = speed;
    this.after = after;
    this.cancel = cancel;
    /** @type {Scene[]} */
    this.scenes = [];
    /** @type {?Scene} */
    this.shown = null;
    /** @type {?View} */
    this.latest = null;
    this.timer = null;
  }

  /**
   * The log has led to another view. What was asked before is asked no longer. Of results that nobody has seen yet the last
   * is enough: sheets have all of them.
   * @param {{view: View, ask: any, faces?: any, tells: any[]}} told
   */
  push({ view, ask, faces, tells }) {
    for (const scene of this.scenes) scene.ask = null;
    if (this.shown?.ask) this.show(this.shown = { ...this.shown, ask: null, tells: [] });
    const frames = /** @type {Scene[]} */ (framesBetween(this.latest, view));
    this.latest = view;
    Object.assign(frames.at(-1), { ask, tells });
    if (faces) frames[0].faces = faces;
    if (frames.some(f => f.result)) this.scenes = this.scenes.filter(s => !s.result);
    this.scenes.push(...frames);
    this.hurry(ask && !ask.may ? delay.asked : delay.told);
    if (!this.timer || this.speed() === Infinity) this.next();
  }

  /** Whether the log is ahead of what is shown. */
  isBehind() { return this.scenes.length > 0; }

  /** Show what the log has said last, now. */
  skip() {
    this.cancel(this.timer);
    this.timer = null;
    while (this.scenes.length) this.show(this.shown = this.scenes.shift());
  }

  /** Shorten what is yet to be shown, results apart, to so many milliseconds. @param {number} most */
  hurry(most) {
    const moving = this.scenes.filter(s => !s.result), all = moving.reduce((sum, s) => sum + s.hold, 0);
    if (all > most) for (const s of moving) s.hold *= most / all;
  }

  /** Go on: what is shown was seen. */
  next() {
    this.cancel(this.timer);
    this.timer = null;
    while (this.scenes.length && !this.timer) {
      this.shown = this.scenes.shift();
      this.show(this.shown);
      const rest = this.shown.hold / this.speed();
      if (rest) this.timer = this.after(() => this.next(), rest);
    }
  }

  stop() {
    this.cancel(this.timer);
    this.scenes = [];
  }
}
