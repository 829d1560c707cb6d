"""Bundles: one table in one file, and the proof that the log has its entries (chapter 85)."""
import hashlib, re
from types import SimpleNamespace
import wire
from log import (CannotCheck, checked_blob, consistent, is_logs, mark_checkpoint, node, parse_checkpoint, signers,
                 split_point)
from wire import Malformed, concerns, need, parse_key, unbase64

NO_EVENTS = "this is an event: its tables can be checked here, each by its own file, and the event cannot (85.11)"
NUMBER = r"(0|[1-9][0-9]{0,18})"
HASH = r"([0-9a-f]{64})"
def cut_hashes(data): return [data[i:i + 32] for i in range(0, len(data), 32)]  # 85.1

class Manifest:  # The lines of 85.2, read one after another (B1); a file that ends in them fails B2.
    def __init__(self, data):
        self.data, self.at = data, 0
        version = self.line("pakli-bundle/v([0-9]+)")[1]
        if version not in ("1", "2"): raise CannotCheck(f"bundles of version {version} are not known here", "B1-manifest")
        if version == "2" and re.match("event ", self.peek()[0]): raise CannotCheck(NO_EVENTS)
        self.table = self.line(f"table {HASH}")[1]
        self.told = [self.line(f"{word} ([^ ]+)")[1] for word in ("game", "suite", "organiser")]
        self.seats = [match[1] for match in self.lines("seat ([^ ]+)")]
        self.logs = self.keys("log", (1, 6))
        need(self.logs, "no key of the log")
        self.cosigners = self.keys("cosigner", (4, 6))
        self.size = int(self.line(f"size {NUMBER}")[1])
        self.root = unbase64(self.line("root ([^ ]+)")[1], 32, 32)
        self.checkpoint = self.sized(f"checkpoint {NUMBER} {HASH}")
        self.hashes = self.sized(f"hashes {NUMBER} {HASH}", 1 << 25)
        self.entries = [self.sized(f"entry {NUMBER} {NUMBER} {HASH}") for _ in range(self.count("entries"))]
        self.blobs = [self.sized(f"blob {NUMBER} {HASH}") for _ in range(self.count("blobs"))]
        self.marks, self.grown = [], []
        for _ in range(self.count("marks") if version == "2" else 0):
            self.marks.append(self.sized(f"mark {NUMBER} {NUMBER} {HASH}"))
            self.grown.append(self.sized(f"grown {NUMBER} {HASH}", 1 << 25))
        need(self.marks or version == "1", "no marks")
        self.line("")
        need(self.size < 1 << 63 and all(line[0] < 1 << 63 for line in self.entries + self.marks), "index")
        need(sum(size for size, _ in self.parts()) + self.at <= 1 << 30, "too long")
    def parts(self):  # The lines of all parts in their order (85.1, 85.10), each with the size of its part.
        pairs = [((mark[1], mark), (32 * grown[0], grown)) for mark, grown in zip(self.marks, self.grown)]
        return [(self.checkpoint[0], self.checkpoint), (32 * self.hashes[0], self.hashes),
                *((line[1], line) for line in self.entries), *((line[0], line) for line in self.blobs), *sum(pairs, ())]
    def peek(self):  # The next line, of at most 8,192 bytes (85.2).
        end = self.data.find(b"\n", self.at)
        need(end >= 0 or len(self.data) - self.at <= 8192, "line")
        if end < 0: raise CannotCheck("the bundle ends in the manifest", "B2-length")
        need(end - self.at <= 8192, "line")
        return self.data[self.at:end].decode("ascii", "replace"), end + 1
    def line(self, pattern):  # A line of this form (85.2).
        text, end = self.peek()
        match = re.fullmatch(pattern, text, re.ASCII)
        need(match, f"line {text!r}")
        self.at = end
        return match
    def lines(self, pattern):  # All lines of this form that come next (85.2).
        found = []
        while re.fullmatch(pattern, self.peek()[0], re.ASCII): found.append(self.line(pattern))
        return found
    def keys(self, word, algorithms):  # At most 64 keys in ascending order (85.2).
        spelled = [match[1] for match in self.lines(f"{word} ([^ ]+)")]
        need(spelled == sorted(set(spelled)) and len(spelled) <= 64, "keys ascend")
        return [parse_key(text, algorithms) for text in spelled]
    def sized(self, pattern, bound=1 << 30):  # Numbers and hash of a line (85.2).
        values = self.line(pattern).groups()
        numbers = [int(value) for value in values[:-1]]
        need(numbers[-1] <= bound, "too many")
        return (*numbers, values[-1])
    def count(self, word):  # How many entries or blobs there are: at most 2^20.
        number = int(self.line(f"{word} {NUMBER}")[1])
        need(number <= 1 << 20, "too many")
        return number

class Bundle:  # A source that shows one table of a log (85): entries by index, and blobs.
    whole = False
    def __init__(self, data, keys):  # The checks of 85.4 in their order, and L1 with the reader's keys (85.4.3).
        self.keys = keys
        steps = [("B1-manifest", lambda: self.read_manifest(data)), ("B2-length", lambda: self.cut(data)),
                 ("B3-hash", self.check_hashes), ("B4-order", self.check_entries), ("B5-table", self.check_own),
                 ("B4-order", self.check_blob_order), ("B5-table", self.check_blobs),
                 ("B6-checkpoint", self.check_checkpoint), ("B7-proof", self.check_proof)]
        for check, step in steps:
            try: step()
            except Malformed as error:
                raise CannotCheck(f"the bundle was altered, or is no bundle: {error}", check) from None
        if not is_logs(self.checkpoint, keys):
            raise CannotCheck("no key of the log has signed the checkpoint", "L1-signature")
    def read_manifest(self, data): self.manifest = Manifest(data)  # B1 (85.2, 85.10)
    def cut(self, data):  # B2: the parts, and that the file ends with the last of them (85.1, 85.4).
        manifest, self.parts, at = self.manifest, [], self.manifest.at
        for size, _ in manifest.parts():
            self.parts.append(data[at:at + size])
            at += size
        need(at == len(data), "length")
        self.note, joined = self.parts[:2]
        self.hashes, self.datas = cut_hashes(joined), self.parts[2:2 + len(manifest.entries)]
        behind = self.parts[2 + len(self.datas) + len(manifest.blobs):]
        self.marked, self.grown = behind[::2], behind[1::2]
    def check_hashes(self):  # B3: every part has the hash of its line (85.4).
        for part, (_, line) in zip(self.parts, self.manifest.parts()):
            leaf = b"\0" if len(line) == 3 else b""  # of entries and marks
            need(hashlib.sha256(leaf + part).hexdigest() == line[-1], "hash of a part")
    def check_entries(self):  # B4 of entries and marks: they ascend and are below the size (85.4).
        for lines in (self.manifest.entries, self.manifest.marks):
            indexes = [line[0] for line in lines]
            need(indexes == sorted(set(indexes)) and all(i < self.manifest.size for i in indexes), "order")
        self.entries = dict(zip([line[0] for line in self.manifest.entries], self.datas))
    def check_own(self):  # B5 of entries and manifest (85.4).
        parsed = [wire.parse_entry(data) for data in self.datas]
        genesis = parsed[0] if parsed else None
        first = genesis and genesis.hash == self.manifest.table and genesis.pakli in ("table/v1", "table/v2")
        need(first, "no genesis entry, or others before it")
        need(all(entry.hash == genesis.hash or concerns(entry, genesis) for entry in parsed), "another table")
        told = [genesis.game, genesis.suite, genesis.organiser.spelling]
        need(told == self.manifest.told, "manifest")
        need([key.spelling for key in genesis.seats] == self.manifest.seats, "seats")
        self.named = [blob for entry in parsed for blob in wire.blobs(entry)]
        names = {name for entry in parsed if entry.pakli == "act/v1" for name in wire.marks_named(entry)}
        need(all(line[2] in names for line in self.manifest.marks), "no claim names a mark")
        self.notes, self.marks = [mark_checkpoint(data) for data in self.marked], {}
        for line, note in zip(self.manifest.marks, self.notes):  # of the same bytes the first place counts (52.2.4)
            self.marks.setdefault(line[2], SimpleNamespace(index=line[0], checkpoint=note))
    def check_blob_order(self):  # B4 of blobs: in the order in which entries first name them, none twice (85.4).
        first = {}
        for name in self.named: first.setdefault(name.hash, len(first))
        shown = [line[1] for line in self.manifest.blobs]
        need(len(set(shown)) == len(shown), "a blob is there twice")
        places = [first[name] for name in shown if name in first]
        need(places == sorted(places), "blobs out of order")
    def check_blobs(self):  # B5 of blobs: every one is named by an entry (85.4).
        names = {(name.size, name.hash) for name in self.named}
        need(all(line in names for line in self.manifest.blobs), "no entry names a blob")
        shown = self.parts[2 + len(self.datas):]
        self.blobs = {line[1]: data for line, data in zip(self.manifest.blobs, shown)}
    def check_checkpoint(self):  # B6: the checkpoint is the manifest's, and all its keys have signed (85.4).
        self.checkpoint = parse_checkpoint(self.note)
        size, root = self.checkpoint.size, self.checkpoint.root
        need((size, root) == (self.manifest.size, self.manifest.root), "size, root")
        need(all(key.name == self.checkpoint.origin for key in self.manifest.logs), "origin")
        for key in self.manifest.logs + self.manifest.cosigners:
            need(signers(self.checkpoint, [key]), f"{key.name} has not signed")
    def check_proof(self):  # B7: entries, marks and hashes lead to the root, and all of them are used (85.3, 85.10.4).
        leaves = {line[0]: bytes.fromhex(line[2]) for line in self.manifest.entries + self.manifest.marks}
        hashes, (size, root) = iter(self.hashes), (self.checkpoint.size, self.checkpoint.root)
        for old, path in zip(self.notes, self.grown):
            need(consistent(old.size, old.root, size, root, cut_hashes(path)), "another history")
        def fold(start, size, below):  # The root of a part that has the entries of these indexes (85.3).
            if not below:
                found = next(hashes, None)
                need(found, "too few hashes")
                return found
            if size == 1: return leaves[start]
            half = split_point(size)
            left = fold(start, half, [index for index in below if index < start + half])
            return node(left, fold(start + half, size - half, [i for i in below if i >= start + half]))
        need(fold(0, size, sorted(leaves)) == root, "root")
        need(next(hashes, None) is None, "too many hashes")
    def mark(self, name):  # A good mark (52.2.1); a claim that names one which is not shown is not checked (52.4.5).
        found = self.marks.get(name)
        if not found: raise CannotCheck("a mark that a claim names is not shown (52.4.5)")
        good = found.index - 65_536 <= found.checkpoint.size <= found.index and is_logs(found.checkpoint, self.keys)
        return found if good else None
    def blob(self, name): return checked_blob(name, self.blobs.get(name.hash))  # a blob, or nothing (85.1)
