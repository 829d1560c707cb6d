// The SDK in Node: files in place of fetch, and vaults in files.
import { readFile } from "node:fs/promises";
import { files } from "./index.mjs";

files.read = readFile;

export { start, verify, replay } from "./index.mjs";
export { fileVault } from "./filevault.mjs";
