"""The log: its tree, checkpoints, mirrors (chapter 65, 66.1)."""
import hashlib, os, re
from types import SimpleNamespace
import wire
from wire import Malformed, need, parse_key, unbase64, verify_ed25519
MAX_NOTE = 98_304

class CannotCheck(Exception):  # No verdict: what is missing, or not believed (80.2); `check` has not passed, if any.
    def __init__(self, why, check=None):
        super().__init__(why)
        self.check = check

class LogBroken(CannotCheck): """What was shown is not what the log signed, or it signed two histories (80.2)."""
def node(left, right): return hashlib.sha256(b"\1" + left + right).digest()  # RFC 6962, 2.1
def split_point(size): return 1 << (size - 1).bit_length() - 1  # RFC 6962, 2.1
def tree_root(leaves):  # The root of the tree over leaf hashes (65.1.3).
    if not leaves: return hashlib.sha256(b"").digest()
    level = list(leaves)
    while len(level) > 1:
        odd = level[-1:] if len(level) % 2 else []
        level = [node(level[i], level[i + 1]) for i in range(0, len(level) - 1, 2)] + odd
    return level[0]
def consistent(old_size, old_root, size, root, path):
    """Whether a path shows that one tree is the beginning of another (RFC 6962, 2.1.2, as RFC 9162, 2.1.4.2)."""
    if old_size in (0, size):
        need(not path, "path")
        return not old_size or old_root == root
    path = path if old_size & old_size - 1 else [old_root, *path]
    old, new = old_size - 1, size - 1
    while old & 1: old, new = old >> 1, new >> 1
    need(path, "path")
    one = other = path[0]
    for value in path[1:]:
        need(new, "path")
        if old & 1 or old == new:
            one, other = node(value, one), node(value, other)
            while old and not old & 1: old, new = old >> 1, new >> 1
        else: other = node(other, value)
        old, new = old >> 1, new >> 1
    need(not new, "path")
    return (one, other) == (old_root, root)
def parse_checkpoint(data):  # A checkpoint with its signature lines, in the form of 65.3.4.
    need(len(data) <= MAX_NOTE, "note is long")
    try: note = data.decode()
    except UnicodeDecodeError: raise Malformed("UTF-8") from None
    need(not re.search("[\x00-\x09\x0b-\x1f]", note) and "\n\n" in note, "note")
    text, _, signatures = note.rpartition("\n\n")
    lines = text.split("\n")
    need(len(lines) >= 3 and all(lines), "lines")
    need(signatures.endswith("\n") and re.fullmatch("0|[1-9][0-9]{0,18}", lines[1]), "size")
    size, root = int(lines[1]), unbase64(lines[2], 32, 32)
    need(size < 1 << 63 and (size or root == tree_root([])), "size")
    signed = []
    for line in signatures[:-1].split("\n"):
        match = re.fullmatch(r"— ([^\s+]+) ([^ ]+)", line)
        need(match, "signature line")
        signed.append((match[1], unbase64(match[2], 5)))
    need(1 <= len(signed) <= 100, "signatures")
    text = (text + "\n").encode()
    return SimpleNamespace(origin=lines[0], size=size, root=root, signatures=signed, text=text)
def mark_checkpoint(data):  # The checkpoint of a mark (10.13).
    entry = wire.parse_entry(data)
    need(entry.pakli == "mark/v1" and wire.signed_by(entry, entry.by), "mark")
    return parse_checkpoint(entry.note)
def line_verifies(checkpoint, key, signature):  # Whether the bytes behind a key's hash are its signature (65.3.5).
    if key.algorithm == 1: return len(signature) == 64 and verify_ed25519(key.bytes, signature, checkpoint.text)
    if key.algorithm == 4:
        time = int.from_bytes(signature[:8], "big")
        signed = b"cosignature/v1\ntime %d\n" % time + checkpoint.text
        return len(signature) == 72 and verify_ed25519(key.bytes, signature[8:], signed)
    raise CannotCheck("signatures of ML-DSA-44 (66.1) are not implemented")
def signers(checkpoint, keys):  # Those of the keys that have signed; None if a first line does not verify (65.3.4).
    found = []
    for key in keys:
        lines = [data[4:] for name, data in checkpoint.signatures if (name, data[:4]) == (key.name, key.hash)]
        if lines and not line_verifies(checkpoint, key, lines[0]): return None
        found += [key] if lines else []
    return found
def is_logs(checkpoint, keys):  # Whether one of the log's keys, whose name is the origin, has signed (65.3.4).
    return any(key.name == checkpoint.origin for key in signers(checkpoint, keys) or [])
def tile_path(number):  # The place of a tile in its level, in groups of three digits (65.4.1).
    digits = f"{number:03}".rjust(-(-len(f"{number:03}") // 3) * 3, "0")
    return "/".join(["x" + digits[i:i + 3] for i in range(0, len(digits) - 3, 3)] + [digits[-3:]])
def read_tile(directory, number, width):  # Entries of a tile, of its own width or from the full one (65.4.3, 65.4.6).
    path = os.path.join(directory, "tile", "entries", tile_path(number))
    partial = f"{path}.p/{width}"
    with open(partial if width < 256 and os.path.exists(partial) else path, "rb") as file: data = file.read()
    entries, at = [], 0
    while at < len(data):
        length = int.from_bytes(data[at:at + 2], "big")
        need(length and at + 2 + length <= len(data), "tile")
        entries.append(data[at + 2:at + 2 + length])
        at += 2 + length
    need(width <= len(entries) <= 256, "tile")
    return entries[:width]

class Mirror:  # A source that shows a whole log (65.7): its checkpoint, and its entries by index.
    whole = True
    def __init__(self, directory, keys):  # L1 and L2 (80.1) of a mirror.
        self.directory = directory
        try:
            with open(os.path.join(directory, "checkpoint"), "rb") as file:
                self.checkpoint = parse_checkpoint(file.read())
            if not is_logs(self.checkpoint, keys):
                raise CannotCheck("no key of the log has signed the checkpoint", "L1-signature")
            size = self.checkpoint.size
            tiles = [read_tile(directory, at // 256, min(256, size - at)) for at in range(0, size, 256)]
        except (OSError, Malformed) as error: raise CannotCheck(f"the mirror cannot be read: {error}") from None
        self.entries = dict(enumerate(entry for tile in tiles for entry in tile))
        self.leaves = [hashlib.sha256(b"\0" + entry).digest() for entry in self.entries.values()]
        if tree_root(self.leaves) != self.checkpoint.root:
            raise LogBroken("the entries do not have the root that the log signed", "L2-tree")
        self.marks = {}
        for index, data in self.entries.items():
            if data.startswith(b'{"pakli":"mark/v1"'): self.read_mark(index, data, keys)
    def read_mark(self, index, data, keys):  # A mark is good, or void, or shows two histories of the log (52.2).
        name = wire.entry_hash(data)
        try:
            checkpoint = mark_checkpoint(data)
            need(name not in self.marks and is_logs(checkpoint, keys), "another's")
            need(index - 65_536 <= checkpoint.size <= index, "size")
        except Malformed: return self.marks.setdefault(name, None)
        if tree_root(self.leaves[:checkpoint.size]) != checkpoint.root:
            raise LogBroken(f"the mark at {index} has a checkpoint of another history", "L3-history")
        self.marks[name] = SimpleNamespace(index=index, checkpoint=checkpoint)
    def mark(self, name): return self.marks.get(name)  # a good mark, or nothing (52.2.1)
    def blob(self, name):  # The bytes of a blob that an entry names, or nothing (65.4.7, 10.8.1).
        try:
            with open(os.path.join(self.directory, "v1", "blobs", name.hash), "rb") as file:
                return checked_blob(name, file.read())
        except OSError: return None
def checked_blob(name, data):  # Bytes that have the hash and the size of a blob's name (10.8.1), or nothing.
    same = data is not None and len(data) == name.size and hashlib.sha256(data).hexdigest() == name.hash
    return data if same else None
