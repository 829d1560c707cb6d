// node slots.mjs: a browser's vault on files in memory, whose bits are flipped, which are cut, and
// whose holder dies in every step of a replacement.
import assert from "node:assert/strict";
import { openVault, listVaults, removeVault } from "../../src/vault.mjs";

/** A file: what a loss of power leaves of it, and what was done since that was made so. */
class File {
  kept = new Uint8Array();
  since = [];

  get now() { return this.after(this.since.length); }

  /** What it is when so many of the steps since have reached the disk. */
  after(steps) { return this.since.slice(0, steps).reduce((b, step) => step(b), this.kept); }
}

let files; // by their paths
let left = Infinity; // steps until the holder dies

const died = Symbol("died");

function step(file, what) {
  if (left-- === 0) throw died;
  file.since.push(what);
}

const handle = file => ({
  getSize: () => file.now.length,
  read(into, { at }) { into.set(file.now.subarray(at, at + into.length)); },
  truncate: size => step(file, b => b.slice(0, size)),
  write(bytes, { at }) {
    const copy = bytes.slice();
    step(file, b => {
      const grown = new Uint8Array(Math.max(b.length, at + copy.length));
      grown.set(b);
      grown.set(copy, at);
      return grown;
    });
    return copy.length;
  },
  flush() {
    if (left-- === 0) throw died;
    file.kept = file.now;
    file.since = [];
  },
  close() {},
});

function folder(path) {
  const inside = () => [...files.keys()].filter(name => name.startsWith(path));
  return {
    async getDirectoryHandle(name) { return folder(`${path}${name}/`); },
    async getFileHandle(name, { create = false } = {}) {
      const full = path + name;
      if (create && !files.has(full)) files.set(full, new File());
      if (!files.has(full)) throw new Error("not there");
      return {
        createSyncAccessHandle: async () => handle(files.get(full)),
        getFile: async () => new Blob([files.get(full).now]),
      };
    },
    async *entries() {
      for (const name of new Set(inside().map(full => full.slice(path.length).split("/")[0]))) yield [name, folder(`${path}${name}/`)];
    },
    async removeEntry(name) { for (const full of inside()) if (full.startsWith(`${path}${name}/`)) files.delete(full); },
  };
}

Object.defineProperty(globalThis, "navigator", {
  value: { storage: { getDirectory: async () => folder("/") }, locks: { request: async (_, __, held) => held() } },
});

/** Do something with a vault of seat s, which is closed then. */
async function using(what) {
  const vault = await openVault("s");
  try {
    return await what(vault);
  } finally {
    vault.close();
  }
}

const record = n => new Uint8Array(9).fill(n);
const read = () => using(vault => vault.read("journal"));
const replace = n => using(vault => vault.replace("journal", record(n)));
const told = () => read().then(b => b && b[0], e => e.kind);
const state = () => new Map([...files].map(([name, file]) => [name, file.now]));

function restore(disk) {
  files = new Map([...disk].map(([name, bytes]) => [name, Object.assign(new File(), { kept: bytes })]));
}

/** All that the disk may hold when power is lost: of each file, some of the steps since. */
function* outages(all = [...files]) {
  if (!all.length) return yield new Map();
  const [[name, file], ...others] = all;
  for (let steps = 0; steps <= file.since.length; steps++) {
    for (const rest of outages(others)) yield new Map([[name, file.after(steps)], ...rest]);
  }
}

// The holder dies, or power is lost, before any step of any of the first replacements: then the old
// record is there or the new, what was kept for certain is the new, and the next one takes.
files = new Map();
assert.equal(await told(), null);
const between = []; // disks on which both slots have a record
for (let n = 1; n <= 4; n++) {
  const before = state();
  for (let steps = 0, done = false; !done; steps++) {
    restore(before);
    left = steps;
    done = await replace(n).then(() => true, e => {
      if (e !== died) throw e;
      return false;
    });
    left = Infinity;
    for (const disk of [...outages()]) {
      restore(disk);
      const found = await told();
      assert.ok(found === n || !done && found === (n === 1 ? null : n - 1), `${n}, ${steps} steps: ${found}`);
      if ([...disk.values()].filter(b => b[0]).length === 2) between.push([found, disk]);
      await replace(99);
      assert.equal(await told(), 99);
    }
  }
  restore(before);
  await replace(n);
}

// A bit that is flipped, a slot that is cut, or is lost: the newest record is there, or no record is
// told to be there. An older one is never.
const whole = state(), last = between.at(-1);
for (const [n, disk] of [[4, whole], last]) {
  const spoilt = [];
  for (const [name, bytes] of disk) {
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const flipped = bytes.slice();
      flipped[bit >> 3] ^= 1 << (bit & 7);
      spoilt.push([`${name}, bit ${bit}`, new Map(disk).set(name, flipped)]);
    }
    for (let size = 1; size < bytes.length; size++) spoilt.push([`${name}, ${size} bytes`, new Map(disk).set(name, bytes.slice(0, size))]);
  }
  for (const [what, damaged] of spoilt) {
    restore(damaged);
    assert.equal(await told(), "damaged", `${n}: ${what}`);
    await assert.rejects(replace(99), { kind: "damaged" }, what);
  }
  assert.deepEqual(await listVaults("journal"), [{ id: "s", bytes: null }]);
}
for (const name of whole.keys()) {
  restore(whole);
  files.delete(name);
  assert.equal(await told(), whole.get(name).length ? null : 4);
}
restore(last[1]);
await removeVault("s");
assert.equal(files.size, 0);
