// How a Worker starts a module. It compares the module with its hash before it compiles it: a
// guard against caches and proxies, not against the server, which gave the hash as well.

const hex = bytes => [...new Uint8Array(bytes)].map(b => b.toString(16).padStart(2, "0")).join("");

/** Start a module, which finds its surroundings in pakliHost, and says in its ready() that it answers. @param {{wasm:string, exec:string, hash:string}} where */
export async function run({ wasm, exec, hash }, host = {}) {
  await import(exec);
  const bytes = await (await fetch(wasm)).arrayBuffer();
  if (hex(await crypto.subtle.digest("SHA-256", bytes)) !== hash) throw new Error("the module is not the one that was announced");
  const go = new globalThis.Go();
  const ready = new Promise(done => { globalThis.pakliHost = { ...host, ready: done }; });
  const { instance } = await WebAssembly.instantiate(bytes, go.importObject);
  go.run(instance).then(() => postMessage({ event: "stopped" }));
  await ready;
}
