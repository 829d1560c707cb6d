// What a person at a table would miss if frames were left out, or wait for if they were too long.
import assert from "node:assert/strict";
import test from "node:test";
import { Director, delay, framesBetween, pace } from "../src/director.mjs";

const card = (by, face) => ({ place: by, face, by });
/** A table of three with a trick in the middle and tricks behind it. */
const view = (entries, { lying = [], past = [], sheets = [], deal = 1, over = false } = {}) => ({
  table: "t", entries, deal, over, past, sheets, sums: [], facts: [], waits: [{ seats: [0], text: "", move: true }],
  chairs: [0, 1, 2].map(seat => ({ seat, turn: seat === 0, score: sheets.length })),
  zones: [{ id: "trick", layout: "trick", seat: null, cards: lying, hidden: 0 }],
});
const trick = (...faces) => ({ cards: faces.map((f, i) => card(i, f)), taken: 2 });
const lies = f => f.view.zones[0].cards.map(c => c.face).join("");

test("a trick that is complete and swept between two views lies there, whole, with who takes it", () => {
  const frames = framesBetween(view(1, { lying: [card(0, "a"), card(1, "b")] }), view(3, { past: [trick("a", "b", "c")] }));
  assert.deepEqual(frames.map(lies), ["abc", ""]);
  assert.equal(frames[0].winner, 2);
  assert.equal(frames[0].hold, pace.trick);
  assert.ok(frames[0].view.chairs.every(c => !c.turn), "somebody has the turn while the trick lies there");
});

test("cards that come together are laid one after another, also those after the trick", () => {
  const frames = framesBetween(view(1, { lying: [card(0, "a")] }), view(6, { past: [trick("a", "b", "c")], lying: [card(2, "d"), card(0, "e")] }));
  assert.deepEqual(frames.map(lies), ["ab", "abc", "d", "de"]);
  assert.deepEqual(frames.map(f => f.view.past.length), [0, 0, 1, 1]);
});

test("the result of a deal comes after its last trick, which is not yet paid while it lies there", () => {
  const sheets = [{ deal: 1, text: "won", lines: [], payments: [] }];
  const frames = framesBetween(view(1, { lying: [card(0, "a"), card(1, "b")] }), view(3, { past: [trick("a", "b", "c")], sheets, over: true }));
  assert.deepEqual(frames.map(f => f.result?.text ?? null), [null, "won", null]);
  assert.equal(frames[0].view.sheets.length, 0);
  assert.equal(frames[0].view.chairs[1].score, 0);
  assert.deepEqual(frames.map(f => f.view.over), [false, false, true]);
});

test("tricks of the deal before are not shown again in the next", () => {
  const frames = framesBetween(view(5, { past: [trick("a", "b", "c"), trick("d", "e", "f")] }), view(9, { deal: 2, past: [trick("g", "h", "i")] }));
  assert.deepEqual(frames.map(lies), ["g", "gh", "ghi", ""]);
});

test("a page that was loaded anew, an older view and a foul are shown as they are", () => {
  const now = view(3, { past: [trick("a", "b", "c")] });
  assert.equal(framesBetween(null, now).length, 1);
  assert.equal(framesBetween(view(4), now).length, 1);
  assert.equal(framesBetween(view(1), { ...now, foul: "entry 3" }).length, 1);
});

/** A Director with a clock that is set by hand. */
function staged(speed = () => 1) {
  const shown = [], clock = { now: 0, due: null };
  const director = new Director(s => shown.push(s), {
    speed,
    after: (f, ms) => (clock.due = { f, at: clock.now + ms }),
    cancel: () => { clock.due = null; },
  });
  const run = until => {
    while (clock.due && clock.due.at <= until) { const { f, at } = clock.due; clock.now = at; clock.due = null; f(); }
    clock.now = until;
  };
  return { director, shown, run, clock };
}
const told = (v, ask = null) => ({ view: v, ask, tells: [] });

test("a card is shown at once to who waits, and who is asked is asked in time however far the log is ahead", () => {
  const { director, shown, run } = staged();
  director.push(told(view(1)));
  director.push(told(view(2, { lying: [card(0, "a")] })));
  assert.equal(lies(shown.at(-1)), "a");
  let past = [];
  for (let i = 0; i < 6; i++) director.push(told(view(3 + i, { past: past = [...past, trick("a", "b", "c")] })));
  director.push(told(view(20, { past }), { prompt: "?" }));
  run(delay.asked + pace.card);
  assert.equal(shown.at(-1).ask?.prompt, "?");
  assert.equal(shown.filter(s => s.winner === 2).length, 6, "a trick was left out");
});

test("a question that is withdrawn is gone at once, also while something is shown, and never comes back", () => {
  const { director, shown, run } = staged();
  director.push(told(view(1), { prompt: "?" }));
  director.push(told(view(2, { lying: [card(0, "a"), card(1, "b")] })));
  assert.equal(shown.at(-1).ask ?? null, null);
  director.push(told(view(3, { lying: [card(0, "a"), card(1, "b")] }), { prompt: "!" }));
  director.push(told(view(4, { lying: [card(0, "a"), card(1, "b")] })));
  run(60000);
  assert.ok(!shown.some(s => s.ask?.prompt === "!"));
});

test("a result stands for its time, whatever the log says meanwhile, or until it was read", () => {
  const { director, shown, run, clock } = staged();
  director.push(told(view(1)));
  director.push(told(view(2, { sheets: [{ text: "won" }] })));
  director.push(told(view(3, { deal: 2, sheets: [{ text: "won" }] }), { prompt: "?" }));
  run(pace.result - 1);
  assert.equal(shown.at(-1).result?.text, "won");
  director.next();
  assert.equal(shown.at(-1).ask?.prompt, "?");
  assert.equal(clock.due, null);
});

test("what is told is told once, also where a question is withdrawn", () => {
  const { director, shown } = staged();
  director.push({ view: view(1), ask: { prompt: "?" }, tells: ["a"] });
  director.push({ view: view(2), ask: null, tells: ["b"] });
  assert.deepEqual(shown.flatMap(s => s.tells ?? []), ["a", "b"]);
});

test("of deals that end while nobody looks one result stands in the way of a question", () => {
  const { director, shown, run } = staged();
  const sheets = [];
  for (let n = 0; n < 4; n++) {
    if (n) sheets.push({ text: "deal " + n });
    director.push(told(view(n + 1, { deal: n + 1, sheets: [...sheets] }), n === 3 ? { prompt: "?" } : null));
  }
  run(2 * pace.result);
  assert.equal(shown.at(-1).ask?.prompt, "?");
});

test("a page that nobody sees, and text, wait for nothing, whatever is still shown", () => {
  let fast = 1;
  const { director, shown, clock } = staged(() => fast);
  director.push(told(view(1)));
  director.push(told(view(2, { sheets: [{ text: "won" }] })));
  assert.ok(director.isBehind());
  fast = Infinity;
  director.push(told(view(3, { past: [trick("a", "b", "c")], sheets: [{ text: "won" }] }), { prompt: "?" }));
  assert.equal(shown.at(-1).ask?.prompt, "?");
  assert.equal(clock.due, null);
  assert.ok(!director.isBehind());
});
