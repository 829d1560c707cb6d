// A seat's records in the origin's private file system. A record has two slots, each a file:
// [SHA-256 of all that follows][number u64][the record]. The record is written into the empty slot and
// flushed, then its header, which no disk tears: it begins a sector. Then the other slot is emptied. So
// a slot without a header never counted, and one with a header was whole when it was written. If two
// are whole, the holder died before it emptied the older one: the higher number counts. One that has
// a header and is not whole is damaged, and may have been the newest: its record is refused as a
// lost journal is, whatever the other slot has, for a seat that goes on from an older journal signs twice.
//
// One holder at a time: a Web Lock for the life of the Worker, and besides it the handles, which
// the browser gives to one.

const SUM = 32, HEAD = SUM + 8;

const seats = async () => (await navigator.storage.getDirectory()).getDirectoryHandle("seats", { create: true });

const digest = async bytes => new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));

class Damaged extends Error {
  constructor(name) {
    super(`the record ${name} is damaged`);
    this.kind = "damaged";
  }
}

/** What a slot holds: null if it was never whole. */
async function parse(name, bytes) {
  if (bytes.subarray(0, HEAD).every(b => b === 0)) return null;
  const sum = await digest(bytes.subarray(SUM));
  if (bytes.length < HEAD || sum.some((b, i) => b !== bytes[i])) throw new Damaged(name);
  return { number: new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(SUM, true), bytes: bytes.slice(HEAD) };
}

/** The newest slot of a record, or null if there never was one. */
async function newest(name, slots) {
  const found = await Promise.all(slots.map(async (bytes, slot) => ({ slot, ...await parse(name, bytes) })));
  return found.filter(s => s.bytes).sort((a, b) => (a.number > b.number ? -1 : 1))[0] ?? null;
}

const file = (name, slot) => `${encodeURIComponent(name)}.${slot}`;

function readAll(handle) {
  const bytes = new Uint8Array(handle.getSize());
  handle.read(bytes, { at: 0 });
  return bytes;
}

/** How long a Worker that has ended may still hold what it held: that of a page which is loaded anew. */
const farewell = 3000;

/** Let a lock of this name be held until release is called; null if another holds it. */
function lock(name) {
  return new Promise(done => {
    navigator.locks.request("pakli/" + name, { signal: /** @type {any} */ (AbortSignal).timeout(farewell) }, () => new Promise(release => done(release))).catch(() => done(null));
  });
}

/** A file for one: whoever held it may take a moment longer to let go of it than of the lock. */
async function handle(slot) {
  for (const end = Date.now() + farewell; ;) {
    try {
      return await slot.createSyncAccessHandle();
    } catch (e) {
      if (e.name !== "NoModificationAllowedError") throw e;
      if (Date.now() > end) throw Object.assign(new Error("this seat plays in another tab"), { kind: "held" });
    }
    await new Promise(done => setTimeout(done, 50));
  }
}

/** Open the records of a seat, alone. @param {string} id of the seat */
export async function openVault(id) {
  const release = await lock(id);
  if (!release) throw Object.assign(new Error("this seat plays in another tab"), { kind: "held" });
  const folder = await (await seats()).getDirectoryHandle(id, { create: true });
  const open = new Map(), held = [], last = new Map(); // the newest slot of a record that was read or written

  function slots(name) {
    if (!open.has(name)) {
      open.set(name, (async () => {
        const handles = [];
        for (const slot of [0, 1]) {
          handles.push(await handle(await folder.getFileHandle(file(name, slot), { create: true })));
          held.push(handles[slot]);
        }
        return handles;
      })());
    }
    return open.get(name);
  }

  return {
    async read(name) {
      const found = await newest(name, (await slots(name)).map(readAll));
      last.set(name, found && { number: found.number, slot: found.slot });
      return found?.bytes ?? null;
    },
    async replace(name, bytes) {
      if (!last.has(name)) await this.read(name);
      const handles = await slots(name), old = last.get(name), slot = old ? 1 - old.slot : 0, next = handles[slot];
      const number = (old ? old.number : 0n) + 1n, all = new Uint8Array(HEAD + bytes.length);
      all.set(bytes, HEAD);
      new DataView(all.buffer).setBigUint64(SUM, number, true);
      all.set(await digest(all.subarray(SUM)));
      const write = (part, at) => {
        if (next.write(part, { at }) !== part.length) throw new DOMException("", "QuotaExceededError");
        next.flush();
      };
      try {
        next.truncate(0);
        write(all.subarray(HEAD), HEAD);
        write(all.subarray(0, HEAD), 0);
        handles[1 - slot].truncate(0);
        last.set(name, { number, slot });
      } catch (e) {
        last.delete(name); // what is there now is read again
        throw e.name === "QuotaExceededError" ? Object.assign(new Error("this device has no space left to store it"), { kind: "full" }) : e;
      }
    },
    close() {
      held.forEach(h => h.close());
      open.clear();
      release();
    },
  };
}

/** A record of a seat that another may hold. */
async function look(folder, name) {
  const slots = [];
  for (const slot of [0, 1]) {
    try {
      slots.push(new Uint8Array(await (await (await folder.getFileHandle(file(name, slot))).getFile()).arrayBuffer()));
    } catch { /* not there */ }
  }
  return newest(name, slots);
}

/** What the seats of this browser have under a name: looked at, not held. */
export async function listVaults(name) {
  const list = [];
  for await (const [id, folder] of (await seats()).entries()) {
    try {
      const record = await look(folder, name) ?? await look(folder, name); // its holder may have gone from one slot to the other just then
      if (record) list.push({ id, bytes: record.bytes });
    } catch { list.push({ id, bytes: null }); }
  }
  return list;
}

/** Remove all records of a seat. */
export async function removeVault(id) {
  const release = await lock(id);
  if (!release) throw Object.assign(new Error("this seat plays in another tab"), { kind: "held" });
  await (await seats()).removeEntry(id, { recursive: true });
  release();
}
