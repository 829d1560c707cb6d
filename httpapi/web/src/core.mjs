// What all pages share: the settings of this browser, words, and the Worker in which Go runs.
// Nothing here decides anything about a game: pages draw what the module says.
import { h } from "./preact.mjs";

export { h, render, Fragment } from "./preact.mjs";

/** About is what the server says of itself. @type {{base:string, key:string, policy:string, logs:?string[], version:string, none:string, push:string}} */
export const about = JSON.parse(document.body.dataset.about || "{}");

/** The log's address: this server's, or that of a log elsewhere whose pages are served from one's own machine. */
export const log = about.logs?.[0] || location.origin;

/** What the server says, which nobody has verified. @param {string} path below /v1/ @returns {Promise<any>} */
export async function serverSays(path) {
  const answer = await fetch(`${log}/v1/${path}`, { headers: { Accept: "application/json" } }).catch(() => null);
  if (!answer?.ok) throw new Error(t("server.away"));
  return answer.json();
}

// Settings are this browser's alone, and no secret is among them.
const stored = () => JSON.parse(localStorage.getItem("pakli") || "{}");
const settings = stored();
export const setting = (name, otherwise) => settings[name] ?? otherwise;
/** A setting as it is kept now, by whichever tab. */
export const kept = name => stored()[name];
/** Keep a setting. What another tab has kept meanwhile stays. */
export function set(name, value) {
  Object.assign(settings, stored(), { [name]: value });
  localStorage.setItem("pakli", JSON.stringify(settings));
}

export const languages = { en: "English", de: "Deutsch", hu: "Magyar" };
export const lang = () => setting("lang", (navigator.languages || ["en"]).map(l => l.slice(0, 2)).find(l => l in languages) || "en");

let texts = {};
/** Load the words of the pages. */
export async function speak() {
  document.documentElement.lang = lang();
  texts = await (await fetch(about.base + `words.${lang()}.json`)).json();
}

/** The Hungarian article before a value: "az" before what is spoken with a vowel first, as 1, 5, 58 and 1000 are. */
const article = value => (/^(5|1(\d{3})*$|[aáeéiíoóöőuúüű])/i.test(value) ? "az" : "a");

/** A text with values in the places of their names, {az:n} and {Az:n} with the article. A missing one is shown as its key: a fault of ours. */
export function t(key, values = {}) {
  const form = "n" in values && !(key in texts) ? key + (values.n === 1 ? ".1" : ".n") : key;
  return (texts[form] ?? `[${form}]`).replace(/\{(?:([Aa])z:)?(\w+)\}/g, (all, a, name) =>
    values[name] == null ? all : (a ? a + article(values[name]).slice(1) + " " : "") + isolated(values[name]));
}

/** A value in a sentence: a name that is written from right to left does not turn the sentence around. @param {any} value */
const isolated = value => (/[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u.test(value) ? `\u2068${value}\u2069` : value);

/** An amount: +3, −1, 0. @param {number} n */
export const signed = n => (n > 0 ? "+" : "") + String(n).replace("-", "−");

/** What a game is called, of whichever version. @param {string} name */
export const gameName = name => t("named." + name.split("/")[0]);

const policy = globalThis.trustedTypes?.createPolicy("pakli", {
  createScriptURL: url => {
    if (!url.startsWith(about.base) && url !== "/push.js") throw new TypeError("no script of ours");
    return url;
  },
});

/** Where the module is, as the server says it; waits until it is built. */
async function whereIsTheModule(tell) {
  for (;;) {
    const answer = await (await fetch("/p/module.json")).json();
    if (answer.state === "ready") return answer;
    if (answer.state === "none") throw Object.assign(new Error(answer.why), { none: true });
    tell?.("building");
  }
}

const trusted = url => (policy ? policy.createScriptURL(url) : url);
const script = name => trusted(about.base + name);

/** Where this browser's push service takes messages of this server (RFC 8030), once the browser may show them. Its service worker has a scope without pages. */
export async function pushAddress() {
  const worker = await navigator.serviceWorker.register(trusted("/push.js"), { scope: "/push/" });
  const next = worker.installing ?? worker.waiting;
  if (!worker.active) await new Promise(done => next.addEventListener("statechange", () => next.state === "activated" && done()));
  const service = worker.pushManager, asked = { userVisibleOnly: true, applicationServerKey: about.push };
  const subscribed = await service.subscribe(asked).catch(async () => { // to a key that this server had before
    await (await service.getSubscription())?.unsubscribe();
    return service.subscribe(asked);
  });
  const { endpoint, keys } = subscribed.toJSON();
  return { endpoint, p256dh: keys.p256dh, auth: keys.auth };
}

/** Encrypt a copy of a seat with a passphrase, or read one, in a Worker of its own. */
export async function sealed(unseal, bytes, passphrase) {
  const { seal, sealHash, exec } = await whereIsTheModule();
  const worker = new Worker(script("sealer.mjs"), { type: "module" });
  try {
    return await new Promise((done, failed) => {
      worker.onmessage = ({ data }) => (data.bytes ? done(data.bytes) : failed(Object.assign(new Error(data.error), { kind: data.kind })));
      worker.onerror = e => failed(new Error(e.message || "the Worker stopped"));
      worker.postMessage({ module: { wasm: seal, hash: sealHash, exec }, unseal, bytes, passphrase });
    });
  } finally {
    worker.terminate();
  }
}

/** Desk is a Worker with the module in it. Calls are answered in any order; events come as they happen. */
export class Desk {
  /** @param {(event: any) => void} [onEvent] */
  constructor(onEvent) {
    this.onEvent = onEvent;
    this.calls = new Map();
    this.next = 0;
    this.worker = null;
  }

  async start(tell) {
    const module = await whereIsTheModule(tell);
    tell?.("starting");
    this.worker = new Worker(script("worker.mjs"), { type: "module" });
    this.hash = module.hash;
    const started = new Promise((done, failed) => this.calls.set("start", { done, failed }));
    this.worker.onmessage = ({ data }) => this.hear(data);
    this.worker.onerror = e => this.hear({ id: "start", error: e.message || "the Worker stopped" });
    this.worker.postMessage({ start: module });
    await started;
    return this;
  }

  hear(data) {
    if (data.event) return this.onEvent?.(data);
    const call = this.calls.get(data.id);
    if (!call) return;
    this.calls.delete(data.id);
    data.error === undefined ? call.done(data.result) : call.failed(Object.assign(new Error(data.error), { kind: data.kind, english: true }));
  }

  /**
   * Ask the module.
   * @template {string} N
   * @param {N} name @param {object} [args] @param {Uint8Array} [bytes]
   * @returns {Promise<N extends keyof import("../types/calls").Calls ? import("../types/calls").Calls[N] : any>}
   */
  call(name, args = {}, bytes) {
    const id = this.next++;
    return new Promise((done, failed) => {
      this.calls.set(id, { done, failed });
      this.worker.postMessage({ id, name, args: { lang: lang() + (setting("pack", "fr") === "de" ? "-x-german" : ""), ...args }, bytes });
    });
  }

  stop() {
    this.worker?.terminate();
  }
}

const letters = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** The code of a table, as people type it: the first eight letters of its hash. @param {string} id */
export function codeOf(id) {
  let code = "";
  for (let n = parseInt(id.slice(0, 10), 16); code.length < 8; n = Math.floor(n / 32)) code = letters[n % 32] + code;
  return code;
}

/** The symbol of a card with the letters of the player's language, where they are others. @param {string} plain */
export const symbolOf = plain => (document.getElementById(`${plain}-${lang()}`) ? `${plain}-${lang()}` : plain);

/** A card, or a back. */
export function Card({ face, faces, small, words }) {
  const f = face && faces?.[face];
  const label = f ? f.words : words || t("card.hidden");
  const pack = f && f.suit !== "T" && setting("pack", "fr") === "de" ? "de" : "fr";
  const id = symbolOf(f && f.suit ? `${pack}-${f.suit}${f.rank}` : "back");
  const drawn = !face || (f && document.getElementById(id));
  return h("svg", { class: "card" + (small ? " small" : ""), viewBox: "0 0 60 96", role: "img", "aria-label": label },
    drawn ? h("use", { href: "#" + id }) : [
      h("rect", { x: 1, y: 1, width: 58, height: 94, rx: 6, class: "plain" }),
      h("text", { x: 30, y: 52, "text-anchor": "middle", "font-size": 18 }, (f && f.rank) || face)]);
}

/** An invitation that a phone reads off a screen or a page. @param {{qr: {size: number, path: string}}} props */
export const Invitation = ({ qr }) => h("svg", { class: "qr", viewBox: `-4 -4 ${qr.size + 8} ${qr.size + 8}`, role: "img", "aria-label": t("qr") },
  h("rect", { x: -4, y: -4, width: qr.size + 8, height: qr.size + 8, fill: "#fff" }), h("path", { d: qr.path, fill: "#000" }));

/** Whether somebody's program is connected: a word of the server, on which nothing rests. @param {{there: boolean}} props */
export const There = ({ there }) => h("span", { class: "there", role: "img", "aria-label": t(there ? "present" : "present.not"), title: t(there ? "present" : "present.not") }, there ? "●" : "○");

/** What a page shows of an error: texts of the module's errors are English. */
export const failure = e => ({ failed: e.message, english: Boolean(e.english), kind: e.kind });

/** The address of a page of ours, followed without loading it anew. */
export function Link({ href, children, ...rest }) {
  return h("a", { href, "aria-current": href === location.pathname ? "page" : undefined, onClick: e => {
    if (e.metaKey || e.ctrlKey || e.shiftKey || e.button) return;
    e.preventDefault();
    go(href);
  }, ...rest }, children);
}

let onGo = () => {};
export const whenGone = f => { onGo = f; };
export function go(href) {
  history.pushState(null, "", href);
  onGo();
}

/** Where an invitation leads to, on this page's own server. @param {string} link */
export const within = link => link.replace(/^https?:\/\/[^/]+/, "");
