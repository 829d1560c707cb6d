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

/** View is a table as somebody sees it. */
export interface View {
  game: string;
  table: string;
  you: number | null;
  deal: number;
  deals: number;
  /** number of applied entries */
  entries: number;
  over: boolean;
  foul?: string;
  zones: Zone[];
  chairs: Chair[];
  facts: string[];
  /** those of the facts that are shown on the felt */
  heads: string[];
  waits: Wait[];
  past: Trick[];
  sheets: Sheet[];
  /** below the sheets, if they are entered in a list */
  sums: Sum[];
  leaving: Leaving | null;
}

/** Leaving is how seats can leave and end a table; null: they cannot. */
export interface Leaving {
  /** a seat may leave */
  resign: boolean;
  /** what it pays each other seat if a deal is open */
  forfeit: number;
  /** the seat that has left */
  gone: number | null;
  /** seats whose agreement ends the table */
  asked: number[];
  /** those of them that agree */
  wants: number[];
  /** the table is over, and its players may play again without an organiser */
  again: boolean;
}

/** Zone is cards that lie together. */
export interface Zone {
  id: string;
  layout: string;
  seat: number | null;
  label: string;
  cards: Shown[];
  hidden: number;
}

/** Shown is a card; a back has no face. */
export interface Shown {
  place: number;
  face: string;
  by: number | null;
}

/** Chair is a seat and who sits there. */
export interface Chair {
  seat: number;
  name: string;
  roles: string[];
  side: string;
  place: number;
  turn: boolean;
  /** its last bid, or what it announced */
  says: string[];
  score: number;
}

/** Wait is what play waits for, and from which seats. */
export interface Wait {
  seats: number[];
  text: string;
  /** a decision, not a machine's work */
  move: boolean;
}

/** Trick is a round of cards that is over. */
export interface Trick {
  cards: Shown[];
  taken: number;
}

/** Ask is what a seat is asked. */
export interface Ask {
  /** number of messages before, which identifies the question */
  at: number;
  prompt: string;
  parts: Part[];
  alone: boolean;
  /** play waits for another seat */
  may: boolean;
  /** so far */
  picked: string[];
  /** what the picks come to */
  says: string;
  /** the picks are a move */
  whole: boolean;
  weighs: boolean;
  proves: string[];
}

/** Part is something that can be picked, or the reason why it cannot. */
export interface Part {
  pick: string;
  label: string;
  place: number | null;
  group: string;
  means: string[];
  why: string;
  /** of the number at the end of the pick; null: the pick has none */
  range: Range | null;
}

/** Range bounds an amount. */
export interface Range {
  least: number;
  greatest: number;
}

/** Sheet is the result of a deal. */
export interface Sheet {
  deal: number;
  text: string;
  lines: Line[];
  payments: Payment[];
}

/** Line is an item of a sheet. */
export interface Line {
  rule: string;
  text: string;
  for: string;
  points: number;
}

/** Sum is a line below a list, with an amount for each seat. */
export interface Sum {
  text: string;
  amounts: number[];
  /** a count of things, or a rank, instead of points */
  count: boolean;
}

/** Payment is what a seat got. */
export interface Payment {
  seat: number;
  total: number;
}

/** Face is a card as a page draws it. */
export interface Face {
  words: string;
  suit: string;
  rank: string;
  order: number;
}

/** Tell is something that happened. */
export interface Tell {
  /** who did it; null: a consequence */
  seat: number | null;
  text: string;
  /** number of the table's message, from 1 */
  entry: number;
  /** of little interest: a step of the protocol, or nothing to tell */
  quiet: boolean;
  /** kind of the protocol's step that no person decides; "": none */
  work: string;
  proofs: Proof[];
}

/** Proof is a proof that this program has verified. */
export interface Proof {
  /** ownership, shuffle, reveal, transfer, condition */
  relation: string;
  /** of a condition: what was proved */
  text: string;
  /** why the game asks for it */
  why: string;
  bytes: number;
}

/** Replay is a table that was read to its end. */
export interface ReplayInfo {
  /** of this replay */
  id: string;
  table: string;
  /** number of states: the first, and one after each message */
  length: number;
  /** of the seats */
  names: string[];
  marks: Mark[];
  faces: Record<string, Face>;
}

/** Moment is a table after some messages, as one seat saw it then, or as everybody did. */
export interface Moment {
  view: View;
  /** known because the log opens them after this many messages */
  later: Record<number, number>;
  tells: Tell[];
  /** the view as in a terminal */
  text: string;
}

/** Mark is a place of a replay to go to. */
export interface Mark {
  n: number;
  /** deal, trick (a complete one), move, foul */
  kind: string;
  /** of the score, from 1 */
  deal: number;
}

/** SeatKey is a seat without its secrets. */
export interface SeatKey {
  /** of its vault */
  id: string;
  /** from its key */
  name: string;
  /** its verifier key, for the organiser of a table */
  key: string;
}

/** Hint is what the game's bot would do. */
export interface Hint {
  text: string;
  /** reasons for it */
  why: string[];
  /** that make the move */
  picks: string[];
}

/** Answer is a verdict and its report. */
export interface Answer {
  verdict: string;
  headline: string;
  /** the bundle's own keys were believed */
  own: boolean;
  table: string;
  text?: string;
  json?: string;
  /** for print */
  html?: string;
}
