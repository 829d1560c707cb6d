// The Worker in which Go runs. It compares the module with its hash before it compiles it: a guard
// against caches and proxies, not against the server, which gave the hash as well.
import { openVault, listVaults, removeVault } from "./vault.mjs";

const hex = bytes => [...new Uint8Array(bytes)].map(b => b.toString(16).padStart(2, "0")).join("");

// What Go asks of its surroundings.
globalThis.pakliHost = {
  emit: text => postMessage(JSON.parse(text)),
  vault: openVault,
  vaults: listVaults,
  remove: removeVault,
};

async function start({ wasm, exec, hash }) {
  await import(exec);
  const bytes = await (await fetch(wasm)).arrayBuffer();
  if (hex(await crypto.subtle.digest("SHA-256", bytes)) !== hash) throw new Error("the module is not the one that was announced");
  const go = new globalThis.Go();
  const ready = new Promise(done => { globalThis.pakliHost.ready = done; });
  const { instance } = await WebAssembly.instantiate(bytes, go.importObject);
  go.run(instance).then(() => postMessage({ event: "stopped" }));
  await ready; // Go has set pakliCall
}

onmessage = async ({ data }) => {
  const id = data.start ? "start" : data.id;
  try {
    const result = data.start ? await start(data.start) : await globalThis.pakliCall(data.name, JSON.stringify(data.args), data.bytes);
    postMessage({ id, result: typeof result === "string" ? JSON.parse(result) : result });
  } catch (e) {
    postMessage({ id, error: String(e.message || e), kind: e.kind });
  }
};
