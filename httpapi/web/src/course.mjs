// What is drawn of a table beside what lies there: worked out from views and tells alone.

/** @typedef {import("../sdk/index").View} View */
/** @typedef {import("../sdk/index").Tell & {key: number}} Tell */

/**
 * The course of play, in which what machines do one after another, and nobody decides, is one line.
 * @param {Tell[]} tells @returns {(Tell | {key: number, steps: Tell[]})[]}
 */
export function linesOf(tells) {
  /** @type {(Tell | {key: number, steps: Tell[]})[]} */
  const lines = [];
  for (const tell of tells) {
    const last = lines.at(-1);
    if (!tell.work) lines.push(tell);
    else if (last && "steps" in last) last.steps.push(tell);
    else lines.push({ key: tell.key, steps: [tell] });
  }
  return lines;
}

/**
 * The kinds of work in some steps, in their order, and by whom.
 * @param {Tell[]} steps @returns {{work: string, seats: number[]}[]}
 */
export function worksOf(steps) {
  /** @type {Map<string, Set<number>>} */
  const works = new Map();
  for (const { work, seat } of steps) works.set(work, (works.get(work) ?? new Set()).add(seat));
  return [...works].map(([work, seats]) => ({ work, seats: [...seats].sort((a, b) => a - b) }));
}

/** How many tricks of the deal a seat has. @param {View} view @param {number} seat */
export const tricksOf = (view, seat) => view.past.filter(trick => trick.taken === seat).length;

/** The hand that the viewer sees: the own one. @param {View} view */
export const handOf = view => (view.you === null ? undefined : view.zones.find(z => z.layout === "hand" && z.seat === view.you));

/**
 * The cards that came to the own hand since it was dealt, until it gives some away.
 * @param {?View} before @param {View} view @param {string[]} drawn those that were drawn before
 */
export function drawnCards(before, view, drawn) {
  const faces = v => (v && handOf(v)?.cards.map(c => c.face).filter(Boolean)) || []; // a card that is on its way is a back
  const had = faces(before), has = faces(view);
  if (!had.length || before.table !== view.table || before.deal !== view.deal || had.some(f => !has.includes(f))) return [];
  return [...drawn, ...has.filter(f => !had.includes(f))];
}

/** What everybody has after a deal. @param {View} view @param {number} deal */
export function sumsAfter(view, deal) {
  const last = view.sheets.at(-1)?.deal === deal;
  if (last && view.sums.length) return view.sums;
  const paid = view.sheets.filter(s => s.deal <= deal).flatMap(s => s.payments);
  return [{ text: "", count: false, amounts: view.chairs.map(c => paid.reduce((sum, p) => sum + (p.seat === c.seat ? p.total : 0), 0)) }];
}

/** @typedef {import("../sdk/index").Mark} Mark */

/**
 * Where a replay stops next, from message n on or back: at a mark of these kinds, or at an end.
 * @param {Mark[]} marks @param {number} n @param {boolean} back @param {string[]} kinds @param {number} last
 */
export function stopAt(marks, n, back, kinds, last) {
  const at = marks.filter(m => kinds.includes(m.kind)).map(m => m.n);
  return back ? at.filter(x => x < n).at(-1) ?? 0 : at.find(x => x > n) ?? last;
}

/** The last message before somebody moves in a deal: its cards are dealt. @param {Mark[]} marks @param {number} deal */
export const dealAt = (marks, deal) => (marks.find(m => m.deal >= deal && m.kind !== "deal")?.n ?? 1) - 1;
