// What a person at a table would be told wrongly, or would look for among the steps of machines.
import assert from "node:assert/strict";
import test from "node:test";
import { dealAt, drawnCards, linesOf, stopAt, sumsAfter, worksOf } from "../src/course.mjs";

let key = 0;
const tell = (seat, work, text = "") => ({ key: key++, seat, work, text, quiet: Boolean(work), entry: 0, proofs: [] });

test("what machines do in a row is one line, and what a person did between stands alone", () => {
  const tells = [tell(0, "shuffle"), tell(1, "shuffle"), tell(0, "show"), tell(1, "", "bid two"), tell(1, "show")];
  const lines = linesOf(tells);
  assert.deepEqual(lines.map(l => ("steps" in l ? l.steps.length : l.text)), [3, "bid two", 1]);
  assert.deepEqual(worksOf(tells.slice(0, 3)), [{ work: "shuffle", seats: [0, 1] }, { work: "show", seats: [0] }]);
});

const view = (hand, deal = 1) => ({ table: "t", deal, you: 0, zones: [{ layout: "hand", seat: 0, cards: [...hand].map(face => ({ face: face.replace("?", "") })) }] });

test("cards that were drawn are marked until the hand gives one away, and a dealt hand is not drawn", () => {
  assert.deepEqual(drawnCards(null, view("abc"), []), []);
  assert.deepEqual(drawnCards(view(""), view("abc"), []), []);
  assert.deepEqual(drawnCards(view("abc"), view("abcd"), []), ["d"]);
  assert.deepEqual(drawnCards(view("abc"), view("abc?"), []), []);
  assert.deepEqual(drawnCards(view("abc?"), view("abcd"), []), ["d"]);
  assert.deepEqual(drawnCards(view("abcd"), view("abcde"), ["d"]), ["d", "e"]);
  assert.deepEqual(drawnCards(view("abcd"), view("bcd"), ["d"]), []);
  assert.deepEqual(drawnCards(view("abc"), view("abcd", 2), []), []);
});

test("a deal that is looked at again shows what everybody had then, and not now", () => {
  const sheet = (deal, a, b) => ({ deal, payments: [{ seat: 0, total: a }, { seat: 1, total: b }] });
  const played = { chairs: [{ seat: 0 }, { seat: 1 }], sums: [{ text: "now", amounts: [5, -5], count: false }], sheets: [sheet(1, 2, -2), sheet(2, 3, -3)] };
  assert.deepEqual(sumsAfter(played, 1)[0].amounts, [2, -2]);
  assert.equal(sumsAfter(played, 2)[0].text, "now");
});

test("a replay stops at the next trick or deal and not beyond the ends, and finds a deal by its number", () => {
  const marks = [{ n: 5, kind: "deal", deal: 1 }, { n: 9, kind: "move", deal: 1 }, { n: 12, kind: "trick", deal: 1 }, { n: 20, kind: "deal", deal: 2 }, { n: 24, kind: "move", deal: 2 }];
  assert.equal(stopAt(marks, 5, false, ["trick", "deal"], 30), 12);
  assert.equal(stopAt(marks, 20, false, ["trick", "deal"], 30), 30);
  assert.equal(stopAt(marks, 12, true, ["trick", "deal"], 30), 5);
  assert.equal(stopAt(marks, 5, true, ["trick", "deal"], 30), 0);
  assert.deepEqual([1, 2, 3].map(deal => dealAt(marks, deal)), [8, 23, 0]);
});
