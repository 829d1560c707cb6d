// A seat's records in the files of a directory. A record is replaced by a new file that is whole and
// on the disk before it takes the old one's name.
//
// One holder at a time, by a lock that dies with its process. Node has no flock. What the system
// takes back from a dead process, whatever killed it, are its listening sockets: the holder listens
// on one in .held/N/, and who finds that nobody listens on the newest takes the next number. Numbers
// are taken by renaming a directory, which two cannot do to one name; the highest is never removed;
// and who finds a higher one than its own after it has taken it gives way: it looked too long ago.
// So of two who find a dead holder, one gets in. It holds among processes of one machine.
import { createHash, randomBytes } from "node:crypto";
import { mkdir, mkdtemp, open, readFile, readdir, realpath, rename, rm, symlink } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const windows = process.platform === "win32";

const elsewhere = dir => Object.assign(new Error(`the seat in ${dir} is in use by another program`), { kind: "elsewhere" });

/** The records in a directory, which is made if it is not there. Held from the first use until close. */
export function fileVault(dir) {
  dir = resolve(dir);
  let holding;
  let closed = false;
  const hold = () => {
    if (closed) throw new Error("the vault is closed");
    return holding ??= lock(dir);
  };
  return {
    async read(name) {
      await hold();
      try {
        return await readFile(path(dir, name));
      } catch (e) {
        if (e.code === "ENOENT") return null;
        throw e;
      }
    },
    async replace(name, bytes) {
      await hold();
      const whole = path(dir, name), fresh = join(dir, `.new-${name}`);
      const file = await open(fresh, "w", 0o600);
      try {
        await file.writeFile(bytes);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(fresh, whole);
      await flush(dir);
    },
    async close() {
      closed = true;
      const release = await holding?.catch(() => {});
      await release?.();
    },
  };
}

function path(dir, name) {
  if (!/^[A-Za-z0-9_-][A-Za-z0-9._-]*$/.test(name)) throw new Error(`${name} is no name of a record`);
  return join(dir, name);
}

/** Make names in a directory durable; Windows has no such call, and needs none. */
async function flush(dir) {
  if (windows) return;
  const d = await open(dir, "r");
  try {
    await d.sync();
  } finally {
    await d.close();
  }
}

/** Hold a directory alone; gives what lets go. */
async function lock(dir) {
  if (await mkdir(dir, { recursive: true, mode: 0o700 })) await flush(join(dir, ".."));
  if (windows) { // the name of a pipe dies with its process
    const id = createHash("sha256").update((await realpath(dir)).toLowerCase()).digest("hex");
    return listen(`\\\\.\\pipe\\pakli-${id}`).catch(() => { throw elsewhere(dir); });
  }
  const held = join(dir, ".held");
  await mkdir(held, { recursive: true, mode: 0o700 });
  const short = await shorten(held);
  try {
    return await take(dir, held, short.path);
  } finally {
    await short.remove();
  }
}

const socket = "s";

async function take(dir, held, short) {
  const own = `new-${randomBytes(8).toString("hex")}`;
  await mkdir(join(held, own), { mode: 0o700 });
  let release = () => {};
  const giveUp = async (place, error = elsewhere(dir)) => {
    await release();
    await sweep(held, place);
    throw error;
  };
  try {
    release = await listen(join(short, own, socket));
  } catch (e) { // perhaps a holder has swept
    return giveUp(own, (await readdir(held)).includes(own) ? e : undefined);
  }
  const last = Math.max(0, ...await numbers(held));
  if (last > 0 && await alive(join(short, String(last), socket))) return giveUp(own);
  const number = String(last + 1);
  try {
    await rename(join(held, own), join(held, number));
  } catch (e) { // the number is taken, or a holder has swept
    return giveUp(own, ["ENOTEMPTY", "EEXIST", "ENOENT"].includes(e.code) ? undefined : e);
  }
  const all = await readdir(held);
  if (all.some(n => Number(n) > last + 1)) return giveUp(number);
  await sweep(held, ...all.filter(n => n !== number));
  return release; // the number stays, with nobody behind it
}

/** Remove what nobody needs. What another writes into just then is left for the next holder. */
async function sweep(held, ...names) {
  for (const name of names) await rm(join(held, name), { recursive: true, force: true }).catch(() => {});
}

const numbers = async held => (await readdir(held)).filter(n => /^[0-9]+$/.test(n)).map(Number);

/** The path of a socket has a hundred bytes at most: reach the directory over a short one. */
async function shorten(held) {
  const temporary = await mkdtemp(join(tmpdir(), "pakli-"));
  const path = join(temporary, "h");
  await symlink(held, path);
  return { path, remove: () => rm(temporary, { recursive: true, force: true }) };
}

/** Listen, and let everybody go who calls. */
function listen(path) {
  return new Promise((done, failed) => {
    const server = createServer(caller => caller.destroy());
    server.once("error", failed);
    server.listen(path, () => {
      server.unref(); // a seat alone keeps no program running
      done(() => new Promise(closed => server.close(closed)));
    });
  });
}

/** Whether a process listens. Only what says that none does counts as dead. */
function alive(path) {
  return new Promise(done => {
    const caller = connect(path);
    caller.once("connect", () => { caller.destroy(); done(true); });
    caller.once("error", e => done(e.code !== "ECONNREFUSED" && e.code !== "ENOENT"));
  });
}
