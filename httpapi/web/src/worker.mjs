// The Worker in which Go runs.
import { run } from "./module.mjs";
import { openVault, listVaults, removeVault } from "./vault.mjs";

// What Go asks of its surroundings.
const host = {
  emit: text => postMessage(JSON.parse(text)),
  vault: openVault,
  vaults: listVaults,
  remove: removeVault,
};

onmessage = async ({ data }) => {
  const id = data.start ? "start" : data.id;
  try {
    const result = data.start ? await run(data.start, host) : await globalThis.pakliCall(data.name, JSON.stringify(data.args), data.bytes);
    postMessage({ id, result: typeof result === "string" ? JSON.parse(result) : result });
  } catch (e) {
    postMessage({ id, error: String(e.message || e), kind: e.kind });
  }
};
