// Several files in one, as ZIP archives store them (APPNOTE 6.3.10, method 0): no compression,
// names in UTF-8.

const table = Uint32Array.from({ length: 256 }, (_, n) => {
  for (let k = 0; k < 8; k++) n = n & 1 ? 0xedb88320 ^ n >>> 1 : n >>> 1;
  return n;
});

/** CRC-32 of bytes. @param {Uint8Array} bytes */
function crc32(bytes) {
  let c = 0xffffffff;
  for (const b of bytes) c = table[(c ^ b) & 255] ^ c >>> 8;
  return (c ^ 0xffffffff) >>> 0;
}

/** Numbers of two or four bytes, the lowest first. @param {...[number, 2|4]} fields */
function numbers(...fields) {
  const bytes = new Uint8Array(fields.reduce((sum, [, size]) => sum + size, 0)), view = new DataView(bytes.buffer);
  let at = 0;
  for (const [n, size] of fields) {
    size === 2 ? view.setUint16(at, n, true) : view.setUint32(at, n, true);
    at += size;
  }
  return bytes;
}

const firstDay = 33; // 1 January 1980: the archive says nothing of when it was made

/** @param {{name: string, bytes: Uint8Array}[]} files */
export function zip(files) {
  /** @type {BlobPart[]} */
  const bodies = [];
  /** @type {BlobPart[]} */
  const entries = [];
  let at = 0, listed = 0;
  for (const { name, bytes } of files) {
    const spelt = new TextEncoder().encode(name), sum = crc32(bytes);
    /** @type {[number, 2|4][]} */
    const common = [[20, 2], [0x800, 2], [0, 2], [0, 2], [firstDay, 2], [sum, 4], [bytes.length, 4], [bytes.length, 4], [spelt.length, 2], [0, 2]];
    const head = numbers([0x04034b50, 4], ...common), entry = numbers([0x02014b50, 4], [20, 2], ...common, [0, 2], [0, 2], [0, 2], [0, 4], [at, 4]);
    bodies.push(head, spelt, bytes);
    entries.push(entry, spelt);
    at += head.length + spelt.length + bytes.length;
    listed += entry.length + spelt.length;
  }
  const end = numbers([0x06054b50, 4], [0, 2], [0, 2], [files.length, 2], [files.length, 2], [listed, 4], [at, 4], [0, 2]);
  return new Blob([...bodies, ...entries, end], { type: "application/zip" });
}
