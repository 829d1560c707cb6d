// node vault.mjs DIR N LAST: N vaults of one directory at once. One that is held says so, and again
// when it has written a record LAST times, which it replaces for ever, each time with many bytes of one
// kind; when the others are refused, all say how many.
import { fileVault } from "../filevault.mjs";

const [dir, n, last] = process.argv.slice(2);
let refused = 0;
await Promise.all(Array.from({ length: Number(n) }, async () => {
  const vault = fileVault(dir);
  try {
    await vault.read("seat");
  } catch (e) {
    if (e.kind !== "elsewhere") throw e;
    refused++;
    return;
  }
  console.log("held");
  (async () => {
    for (let i = 0; ; i++) {
      await vault.replace("seat", new Uint8Array(100_000 + i % 1000).fill(i));
      if (i === Number(last) - 1) console.log("written");
    }
  })();
}));
console.log("refused", refused);
setTimeout(() => {}, refused < n ? 1e6 : 0);
