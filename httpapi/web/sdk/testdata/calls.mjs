// node calls.mjs DIR BUNDLE LOG-KEY: what needs no server, and what is refused.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { start, fileVault, verify, replay } from "pakli";

const [dir, file, key] = process.argv.slice(2);
const bundle = await readFile(file);
const answer = await verify(bundle, { keys: [key] });
assert.equal(answer.verdict, "sound");
assert.equal(answer.own, false);
assert.equal((await verify(bundle)).own, true);
bundle[bundle.length >> 1] ^= 1;
assert.notEqual((await verify(bundle, { keys: [key] })).verdict, "sound");
bundle[bundle.length >> 1] ^= 1;

const [game, other] = await Promise.all([replay(bundle), replay(bundle)]);
assert.notEqual(game.id, other.id);
assert.ok((await game.at(game.length - 1)).view.over);
assert.ok((await game.at(game.length >> 1, 1)).view.zones.length > 0);
await assert.rejects(game.at(game.length));
await game.close();
await assert.rejects(game.at(0));
await other.at(0);

await assert.rejects(start({ module: new Uint8Array(8) }), /not that of this package/);
const [one, two] = await Promise.all([start(), start({ lang: "de" })]); // each with its own globals
const vault = fileVault(dir);
const seat = await one.seat({ vault, name: "anna" });
await assert.rejects(two.seat({ vault, name: "anna" }), /in use/);
await assert.rejects(two.seat({ vault: fileVault(dir), name: "anna" }), /in use/);
await seat.close();
const again = await two.seat({ vault: fileVault(dir) });
assert.equal(again.key, seat.key);
await assert.rejects(two.log("http://127.0.0.1:1", {}), /key/);
await assert.rejects((await two.log("http://127.0.0.1:1", { key: "nonsense" })).sit(again, answer.table), /key/);
await again.close();
