// A round for which somebody would come at the wrong time, or not at all.
import assert from "node:assert/strict";
import test from "node:test";
import { calendarOf, roundTimes, timeRemark } from "../src/schedule.mjs";

const view = (texts, more = {}) => ({ id: "e1", name: "Kupa; Pest", venue: "Fő utca 1, Pest", link: "https://cards.example/events/E1", from: "2031-05-03", to: "", of: 3, remarks: texts.map(text => ({ text })), ...more });
const at = new Date("2031-05-03T20:30:00+02:00");

test("what the organiser says is read as it was meant, and the last word on a round counts", () => {
  const said = timeRemark(2, at);
  assert.equal(said, "Round 2 begins 2031-05-03 18:30 UTC.");
  const times = roundTimes(view([timeRemark(1, new Date("2031-05-03T09:00Z")), said, timeRemark(1, at)]));
  assert.deepEqual(times.map(x => [x.round, x.time.toISOString()]), [[1, "2031-05-03T09:00:00.000Z"], [2, "2031-05-03T18:30:00.000Z"]]);
});

test("what is no time of a round of the event is none", () => {
  for (const text of ["Soup is served.", "Round 4 begins 2031-05-03 18:30 UTC.", "Round 0 begins 2031-05-03 18:30 UTC.", "Round 1 begins 2031-13-03 18:30 UTC.", "Round 1 begins 2031-05-03 18:30 UTC. Or later."]) assert.deepEqual(roundTimes(view([text])), [], text);
});

test("a calendar has rounds at their times with a reminder, or else the days, and no line of somebody else's", () => {
  const name = n => `Round ${n}`, now = new Date("2031-01-01T00:00Z");
  const known = calendarOf(view([timeRemark(2, at)]), name, now);
  for (const line of ["UID:e1-2", "DTSTAMP:20310101T000000Z", "DTSTART:20310503T183000Z", "TRIGGER:-PT15M", "SUMMARY:Kupa\\; Pest: Round 2", "LOCATION:Fő utca 1\\, Pest"]) assert.ok(known.split("\r\n").includes(line), `${line} is not in ${known}`);
  const days = calendarOf(view([], { venue: "a\nURL:https://evil.example" }), name, now).split("\r\n");
  assert.ok(days.includes("DTSTART;VALUE=DATE:20310503") && days.includes("DTEND;VALUE=DATE:20310504"));
  assert.equal(days.filter(x => x.startsWith("URL:")).length, 1);
});
