/** The records of a seat, for one holder at a time. What replaces a record is whole and durable when
 * the promise is kept; until then, whatever happens, the old one is in place or the new. Encryption
 * is the vault's business. */
export interface Vault {
  /** A record; null if there never was one. One that was kept and cannot be read is an error, and
   * is never told to be an older one. Pakli sees by itself if bytes of it have changed. */
  read(name: string): Promise<Uint8Array | null>;
  replace(name: string, bytes: Uint8Array): Promise<void>;
  /** Let another hold the vault. */
  close(): void | Promise<void>;
}

/** A vault in the files of a directory, in Node: one process at a time. */
export function fileVault(directory: string): Vault;

/** A vault in a browser's private storage, in a Worker: one tab at a time. */
export function browserVault(name: string): Promise<Vault>;

export interface Options {
  /** Of all texts: en, de or hu. */
  lang?: string;
  /** The bytes of pakli.wasm, if this package shall not fetch them itself. */
  module?: BufferSource;
}

/** Start the module in this thread. */
export function start(options?: Options): Promise<Pakli>;

/** The verdict on a bundle, in a module that is started for it. Without keys those are believed that
 * the bundle names itself. */
export function verify(bytes: Uint8Array, options?: { keys?: string[] }): Promise<Answer>;

/** A table of a bundle, step by step. */
export function replay(bytes: Uint8Array): Promise<Replay>;

export interface Pakli {
  /** The seat of a vault; one that has none gets one of this name. */
  seat(of: { vault: Vault; name?: string }): Promise<Seat>;
  /** A log: what is not signed by its key is not believed. */
  log(url: string, options: { key: string }): Promise<Log>;
  verify(bytes: Uint8Array, options?: { keys?: string[] }): Promise<Answer>;
  replay(bytes: Uint8Array): Promise<Replay>;
}

/** A seat plays at one table at a time. */
export interface Seat {
  readonly name: string;
  /** Its public key, for the organiser of a table. */
  readonly key: string;
  /** Close the vault. */
  close(): Promise<void>;
}

export interface Log {
  readonly url: string;
  readonly key: string;
  /** Sit down. `here`: this seat's other device is gone. */
  sit(seat: Seat, table: string, options?: { here?: boolean }): Promise<Table>;
  verify(table: string): Promise<Answer>;
  replay(table: string): Promise<Replay>;
}

/** One thing that happened: what a message did, what the seat sees now, what it is asked, or how it
 * is: `playing`, `away` (the server does not answer, and is asked again). */
export interface Event {
  tell?: Tell;
  table?: View;
  ask?: Ask;
  state?: { state: string; alarm: boolean; text: string };
}

/** A table at which a seat plays. Its events end when the table is over; they end with an error,
 * whose `kind` is `stopped`, `elsewhere` or `copy`, if the seat cannot play on. */
export interface Table extends AsyncIterable<Event> {
  readonly id: string;
  /** What the seat sees now. */
  readonly view: View | null;
  /** The cards of the deck, by the names that views use. */
  readonly faces: Record<string, Face>;
  /** What some picks come to, and what may follow. */
  consider(picks: string[]): Promise<Ask>;
  /** Give the move that the picks come to: the seat journals it, signs it, and posts it. */
  answer(picks: string[]): Promise<void>;
  /** What the game's own bot would do. */
  hint(): Promise<Hint>;
  /** Get up. The seat can sit down again, and play waits for it. */
  leave(): Promise<void>;
}

export interface Replay extends ReplayInfo {
  /** The table after n messages, as a seat saw it then or, without one, everybody. */
  at(n: number, seat?: number): Promise<Moment>;
  close(): Promise<void>;
}

// What follows is made from the types of Go: go generate ./httpapi/web/sdk
