// Which tables a lobby lists, and whose turn it is at them.

/** Where a table stands, as a lobby sorts them. */
export const stageOf = x => (x.state === "waiting" ? "waiting" : x.state === "over" || x.state === "foul" ? "over" : "playing");

/** Whether somebody practises with bots, whose keys say that they are (docs/spec/70-http.md, 70.2.2). @param {{seats: {key: string}[]}} table */
const isPractice = ({ seats }) => seats.filter(s => !s.key.split("+")[0].endsWith("-bot")).length < 2;

/**
 * The tables that a lobby lists.
 * @param {any[]} tables @param {{game: string, stage: string, practice: boolean}} filter an empty one lets all through but practice
 */
export const listedTables = (tables, { game, stage, practice }) => tables.filter(x => x.seats && (!game || x.game === game) && (!stage || stageOf(x) === stage) && (practice || !isPractice(x)));

/** The seats that play waits for. @param {any} x */
export const owingSeats = x => [...new Set((x.owing ?? []).flatMap(o => o.seats))].map(i => x.seats[i]).filter(Boolean);

/** Whether play waits for the seat of a key: of names a table of others may have the same. @param {any} x @param {string} key */
export const isTurnOf = (x, key) => owingSeats(x).some(s => s.key === key);
