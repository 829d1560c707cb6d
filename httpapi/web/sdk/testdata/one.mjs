// node one.mjs DIR: what a vault promises, in one process.
import assert from "node:assert/strict";
import { join } from "node:path";
import { fileVault } from "../filevault.mjs";

const dir = join(process.argv[2], "x".repeat(150), "seat"); // no path of a socket is so long
const vault = fileVault(dir);
assert.equal(await vault.read("seat"), null);
await vault.replace("seat", new Uint8Array([1, 2, 3]));
await vault.replace("seat", new Uint8Array([4]));
assert.deepEqual([...await vault.read("seat")], [4]);
for (const name of ["../seat", ".held", "", "a/b"]) await assert.rejects(vault.replace(name, new Uint8Array(1)));
await assert.rejects(fileVault(dir).read("seat"), { kind: "elsewhere" });
await vault.close();
await assert.rejects(vault.read("seat"), /closed/);
const next = fileVault(dir);
assert.deepEqual([...await next.read("seat")], [4]);
await next.close();
