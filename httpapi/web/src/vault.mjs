// A seat's records in the origin's private file system. A record has two slots, each a file:
// [number u64][length u32][SHA-256 of the bytes][bytes]. The older slot is emptied, its bytes are
// written and flushed, then its header: so a slot with a header was whole when it was written, and
// one without never counted. The newest whole slot counts. A record of which slots have headers and
// none is whole is damaged, and refused as a lost journal is.
//
// One holder at a time: a Web Lock for the life of the Worker, and besides it the handles, which
// the browser gives to one.

const HEAD = 8 + 4 + 32;

const seats = async () => (await navigator.storage.getDirectory()).getDirectoryHandle("seats", { create: true });

const digest = async bytes => new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));

class Damaged extends Error {
  constructor(name) {
    super(`the record ${name} is damaged`);
    this.kind = "damaged";
  }
}

/** What a slot holds: null if it was never whole, bytes null if it is damaged. */
async function parse(bytes) {
  if (bytes.length < HEAD || bytes.subarray(0, HEAD).every(b => b === 0)) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const number = view.getBigUint64(0, true), length = view.getUint32(8, true);
  const body = bytes.slice(HEAD, HEAD + length), sum = await digest(body);
  const whole = body.length === length && sum.every((b, i) => b === bytes[12 + i]);
  return { number, bytes: whole ? body : null };
}

/** The newest whole slot of a record, or null if there never was one. */
async function newest(name, slots) {
  const found = (await Promise.all(slots.map(parse))).map((s, slot) => s && { ...s, slot }).filter(Boolean);
  if (!found.length) return null;
  const whole = found.filter(s => s.bytes).sort((a, b) => (a.number > b.number ? -1 : 1));
  if (!whole.length) throw new Damaged(name);
  return whole[0];
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
      const head = new Uint8Array(HEAD), view = new DataView(head.buffer);
      view.setBigUint64(0, (old ? old.number : 0n) + 1n, true);
      view.setUint32(8, bytes.length, true);
      head.set(await digest(bytes), 12);
      try {
        next.truncate(0);
        if (next.write(bytes, { at: HEAD }) !== bytes.length) throw new DOMException("", "QuotaExceededError");
        next.flush();
        if (next.write(head, { at: 0 }) !== HEAD) throw new DOMException("", "QuotaExceededError");
        next.flush();
        last.set(name, { number: view.getBigUint64(0, true), slot });
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

/** What the seats of this browser have under a name: looked at, not held. */
export async function listVaults(name) {
  const list = [];
  for await (const [id, folder] of (await seats()).entries()) {
    const slots = [];
    for (const slot of [0, 1]) {
      try {
        slots.push(new Uint8Array(await (await (await folder.getFileHandle(file(name, slot))).getFile()).arrayBuffer()));
      } catch { /* not there */ }
    }
    try {
      const record = await newest(name, slots);
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
