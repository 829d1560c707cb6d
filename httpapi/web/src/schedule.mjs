// When rounds begin. The terms of an event have days alone, so its organiser says times in remarks, which are signed and which
// everybody reads: in one form, so that pages can show them in the reader's own time, and calendars take them.

const form = /^Round (\d{1,4}) begins (\d{4}-\d\d-\d\d) (\d\d:\d\d) UTC\.$/;

/** The remark that says it. @param {number} round @param {Date} time */
export const timeRemark = (round, time) => `Round ${round} begins ${time.toISOString().slice(0, 16).replace("T", " ")} UTC.`;

/** Whether a remark says when a round begins. */
export const isTime = text => form.test(text);

/**
 * When the rounds begin of which somebody has said it, in their order; of several times of a round the last counts.
 * @param {{remarks: {text: string}[], of: number}} view whose newest remark is the first
 */
export function roundTimes({ remarks, of }) {
  const times = new Map();
  for (const { text } of remarks) {
    const [, round, day, hour] = form.exec(text) ?? [], n = Number(round), time = new Date(`${day}T${hour}Z`);
    if (n >= 1 && n <= of && !times.has(n) && !Number.isNaN(time.getTime())) times.set(n, time);
  }
  return [...times].map(([round, time]) => ({ round, time })).sort((a, b) => a.round - b.round);
}

const stamp = time => time.toISOString().replace(/[-:]|\.\d+/g, "");
const day = (text, more) => stamp(new Date(Date.parse(text) + more * 86400000)).slice(0, 8);

/** A text in a calendar (RFC 5545, 3.3.11). */
const plain = text => text.replace(/[\\;,]/g, "\\$&").replace(/\r?\n/g, "\\n");

/**
 * An event for a calendar (RFC 5545): its rounds, each with a reminder, where it is known when they begin, or else its days; the last day is the one before the end.
 * @param {any} v @param {(n: number) => string} roundName @param {Date} now
 */
export function calendarOf(v, roundName, now) {
  const times = roundTimes(v);
  const entry = (id, name, lines) => ["BEGIN:VEVENT", `UID:${id}`, `DTSTAMP:${stamp(now)}`, `SUMMARY:${plain(name)}`, `LOCATION:${plain(v.venue)}`, `URL:${v.link}`, ...lines, "END:VEVENT"];
  const entries = times.length ? times.flatMap(({ round, time }) => {
    const name = `${v.name}: ${roundName(round)}`;
    return entry(`${v.id}-${round}`, name, [`DTSTART:${stamp(time)}`, "BEGIN:VALARM", "ACTION:DISPLAY", "TRIGGER:-PT15M", `DESCRIPTION:${plain(name)}`, "END:VALARM"]);
  }) : entry(v.id, v.name, [`DTSTART;VALUE=DATE:${day(v.from, 0)}`, `DTEND;VALUE=DATE:${day(v.to || v.from, 1)}`]);
  return ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:pakli", ...entries, "END:VCALENDAR", ""].join("\r\n");
}
