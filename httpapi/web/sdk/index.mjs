// The SDK of pakli: the module of the pages, for programs. All that is shown or said here was
// checked by the module itself: signatures, proofs, rules and the log's tree. What this file does is
// to pass calls in and events out.
import "./wasm_exec.js"; // of the toolchain that made the module
import { hash } from "./module.mjs";

export { openVault as browserVault } from "./vault.mjs";

/** How the module is read; replaced for Node. */
export const files = { read: async url => (await fetch(url)).arrayBuffer() };

const hex = bytes => [...new Uint8Array(bytes)].map(b => b.toString(16).padStart(2, "0")).join("");

const held = new WeakSet(); // vaults that are given already

let starting = Promise.resolve(); // Go finds its surroundings by global names, so one starts after another

/** Start the module in this thread. */
export async function start({ lang = "en", module } = {}) {
  const bytes = module ?? await files.read(new URL("pakli.wasm", import.meta.url));
  if (hex(await crypto.subtle.digest("SHA-256", bytes)) !== hash) throw new Error("the module is not that of this package");
  const pakli = new Pakli(lang);
  const turn = starting.then(() => pakli.run(bytes));
  starting = turn.catch(() => {});
  await turn;
  return pakli;
}

let shared; // for what needs no seat

/** The verdict on a bundle. */
export async function verify(bytes, options) {
  return (await (shared ??= start())).verify(bytes, options);
}

/** A table of a bundle, step by step. */
export async function replay(bytes, options) {
  return (await (shared ??= start())).replay(bytes, options);
}

class Pakli {
  #lang;
  #vaults = new Map(); // by the id of their seat
  #tables = new Map(); // by seat and table
  #pakliCall;
  #stopped;

  constructor(lang) {
    this.#lang = lang;
  }

  async run(bytes) {
    const go = new globalThis.Go();
    const ready = new Promise(done => {
      globalThis.pakliHost = {
        ready: done,
        emit: text => {
          const e = JSON.parse(text);
          this.#tables.get(e.seat + e.table)?.hear(e);
        },
        vault: id => this.#open(id),
        vaults: async () => [],
        remove: async () => { throw new Error("a program removes its vaults itself"); },
      };
    });
    const { instance } = await WebAssembly.instantiate(bytes, go.importObject);
    this.#stopped = go.run(instance).then(() => { throw new Error("the module has stopped"); });
    this.#stopped.catch(() => {});
    await Promise.race([ready, this.#stopped]);
    this.#pakliCall = globalThis.pakliCall;
    delete globalThis.pakliCall;
    delete globalThis.pakliHost;
  }

  /** What Go sees of a seat's vault: at one table at a time. */
  async #open(id) {
    const v = this.#vaults.get(id);
    if (!v) throw new Error("this seat is closed");
    if (v.busy) throw Object.assign(new Error("this seat plays already: a seat plays at one table at a time"), { kind: "elsewhere" });
    v.busy = true;
    return {
      read: async name => (await v.vault.read(name)) ?? null,
      replace: async (name, bytes) => v.vault.replace(name, bytes),
      close: () => { v.busy = false; },
    };
  }

  /** A call of the module, see cmd/pakli-web/desk. */
  async call(name, args = {}, bytes = undefined) {
    const result = await Promise.race([this.#pakliCall(name, JSON.stringify({ lang: this.#lang, ...args }), bytes), this.#stopped]);
    return JSON.parse(result);
  }

  async seat({ vault, name = "" }) {
    if (held.has(vault)) throw new Error("this vault is in use");
    held.add(vault);
    const id = crypto.randomUUID();
    this.#vaults.set(id, { vault, busy: false });
    const close = async () => {
      if (this.#vaults.get(id)?.busy) throw new Error("this seat plays: leave the table first");
      if (!this.#vaults.delete(id)) return;
      held.delete(vault);
      await vault.close();
    };
    try {
      return new Seat(await this.call("seat.open", { id, name }), close);
    } catch (e) {
      await close();
      throw e;
    }
  }

  async log(url, { key }) {
    if (!key) throw new Error("the log's key is missing: without it nobody knows whose log this is");
    return new Log(this, url.replace(/\/+$/, ""), key);
  }

  async sit(at, seat, { here = false } = {}) {
    const name = seat.id + at.table;
    if (this.#tables.has(name)) throw new Error("this seat sits there already");
    const table = new Table(this, at.table, seat.id, () => this.#tables.delete(name));
    this.#tables.set(name, table);
    try {
      await this.call("seat.sit", { ...at, seat: seat.id, here });
    } catch (e) {
      this.#tables.delete(name);
      throw e;
    }
    return table;
  }

  verify(bytes, { keys = [] } = {}) {
    return this.call("verify", { keys }, bytes);
  }

  replay(bytes) {
    return this.opened({}, bytes);
  }

  async opened(at, bytes) {
    return new Replay(this, await this.call("replay.open", { ...at, id: crypto.randomUUID() }, bytes));
  }
}

class Seat {
  constructor({ id, name, key }, close) {
    Object.assign(this, { id, name, key, close });
  }
}

class Log {
  #pakli;

  constructor(pakli, url, key) {
    this.#pakli = pakli;
    Object.assign(this, { url, key });
  }

  #at(table) {
    return { url: this.url, key: this.key, table };
  }

  sit(seat, table, options) {
    return this.#pakli.sit(this.#at(table), seat, options);
  }

  verify(table) {
    return this.#pakli.call("verify", this.#at(table));
  }

  replay(table) {
    return this.#pakli.opened(this.#at(table));
  }
}

class Table {
  #pakli;
  #seat;
  #gone;
  #queue = [];
  #wake = () => {};
  #asked = null;
  #state = "";
  #ended = false;
  #error;

  /** What the seat sees, and the cards of the deck by their names. */
  view = null;
  faces = {};

  constructor(pakli, id, seat, gone) {
    this.#pakli = pakli;
    this.id = id;
    this.#seat = seat;
    this.#gone = gone;
  }

  hear(e) {
    switch (e.event) {
      case "tell":
        this.#queue.push(...e.tells.map(tell => ({ tell })));
        break;
      case "table":
        Object.assign(this.faces, e.faces);
        this.view = e.view;
        this.#asked = e.ask;
        this.#queue.push({ table: e.view });
        if (e.ask) this.#queue.push({ ask: e.ask });
        break;
      case "state": {
        const { state, alarm, text } = e;
        if (alarm) this.#error = Object.assign(new Error(text || "this seat also plays elsewhere"), { kind: state });
        if (state + text !== this.#state) this.#queue.push({ state: { state, alarm, text } });
        this.#state = state + text;
        break;
      }
      case "ended":
        this.#ended = true;
        this.#asked = null;
        this.#gone();
    }
    this.#wake();
  }

  /** Events until the table is over. Who breaks out of the loop leaves the table. */
  async *[Symbol.asyncIterator]() {
    try {
      for (;;) {
        for (let e; (e = this.#queue.shift());) {
          if (!e.ask || e.ask === this.#asked) yield e; // a question that is answered is asked no longer
        }
        if (this.#ended) break;
        await new Promise(wake => { this.#wake = wake; });
      }
      if (this.#error) throw this.#error;
    } finally {
      await this.leave();
    }
  }

  #call(name, args) {
    return this.#pakli.call(name, { table: this.id, seat: this.#seat, ...args });
  }

  async consider(picks) {
    const ask = await this.#call("consider", { picks });
    if (!ask) throw new Error(`the picks ${picks.join(", ")} lead nowhere`);
    return ask;
  }

  async answer(picks) {
    await this.#call("answer", { picks });
  }

  hint() {
    return this.#call("hint.picks");
  }

  async leave() {
    if (!this.#ended) await this.#call("leave");
  }
}

class Replay {
  #pakli;

  constructor(pakli, info) {
    this.#pakli = pakli;
    Object.assign(this, info);
  }

  at(n, as = null) {
    return this.#pakli.call("replay.at", { id: this.id, n, as });
  }

  async close() {
    await this.#pakli.call("replay.close", { id: this.id });
  }
}
