// A table of people that a lobby hides or practice that it does not, or a turn that it takes for one's own because somebody there has the same name.
import assert from "node:assert/strict";
import test from "node:test";
import { isTurnOf, listedTables } from "../src/people.mjs";

test("a lobby lists what is of a game and stage, and nothing that the server cannot play", () => {
  const table = (id, state, game, other = "bela+1+A") => ({ id, state, game, seats: [{ key: "anna+1+A" }, { key: other }] });
  const all = [table(1, "waiting", "a"), table(2, "paused", "a"), table(3, "foul", "b"), { id: 4, game: "unknown" }, table(5, "over", "b", "bela-bot+1+A")];
  const ids = filter => listedTables(all, { game: "", stage: "", ...filter }).map(x => x.id);
  assert.deepEqual(ids({}), [1, 2, 3]);
  assert.deepEqual(ids({ game: "a" }), [1, 2]);
  assert.deepEqual(ids({ stage: "playing" }), [2]);
  assert.deepEqual(ids({ stage: "over" }), [3]);
  assert.deepEqual(ids({ stage: "over", practice: true }), [3, 5]);
});

test("a turn is that of a key, and of no namesake's", () => {
  const table = { seats: [{ name: "anna", key: "a" }, { name: "anna", key: "b" }], owing: [{ seats: [1, 9] }] };
  assert.equal(isTurnOf(table, "b"), true);
  assert.equal(isTurnOf(table, "a"), false);
  assert.equal(isTurnOf({}, "a"), false);
});
