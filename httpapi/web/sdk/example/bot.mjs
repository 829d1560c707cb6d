// A bot for any game: node bot.mjs DIR NAME prints its key for the organiser of a table;
// node bot.mjs DIR NAME URL LOG-KEY TABLE plays there.
import { start, fileVault } from "pakli";

const [dir, name, url, key, id] = process.argv.slice(2);
const pakli = await start();
const seat = await pakli.seat({ vault: fileVault(dir), name });
if (!id) {
  console.log(seat.key);
  await seat.close();
  process.exit();
}

// any answers with parts at random until they are a whole move. Every part that is not
// barred leads to one.
async function any(table, ask) {
  while (!ask.whole) {
    const free = ask.parts.filter(part => !part.why);
    const { pick } = free[Math.floor(Math.random() * free.length)];
    ask = await table.consider([...ask.picked, pick]);
  }
  return ask.picked;
}

const log = await pakli.log(url, { key });
const table = await log.sit(seat, id);
let turns = 0;
for await (const e of table) {
  if (e.tell && !e.tell.quiet) console.log(e.tell.text);
  if (e.state) console.error(e.state.state, e.state.text);
  if (!e.ask || e.ask.may) continue; // nothing is asked, or play waits for another seat
  // Every other turn as the game's own bot would.
  const picks = turns++ % 2 ? await any(table, e.ask) : (await table.hint()).picks;
  await table.answer(picks);
}
await seat.close();

for (const sheet of table.view.sheets) {
  console.log(sheet.text);
}
const { verdict, headline } = await log.verify(table.id);
console.log(verdict, headline);
process.exit(verdict === "sound" ? 0 : 1);
