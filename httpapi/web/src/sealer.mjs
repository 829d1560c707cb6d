// The Worker that encrypts a copy of a seat with a passphrase, or reads one. It does one thing and
// is thrown away: memory that a module has taken is never given back.
import { run } from "./module.mjs";

onmessage = async ({ data }) => {
  try {
    await run(data.module);
    postMessage({ bytes: await globalThis[data.unseal ? "pakliUnseal" : "pakliSeal"](data.bytes, data.passphrase) });
  } catch (e) {
    postMessage({ error: String(e.message || e), kind: e.kind });
  }
};
