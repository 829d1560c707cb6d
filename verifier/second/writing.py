"""Keys that sign, logs of one's own to write, and copies of tables (tests; not the verifier)."""
import base64
import hashlib
import json
import os

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

import log
from wire import Obj, dumps

B64 = lambda data: base64.b64encode(data).decode()


class Signer:
    """A name and a key that sign entries and checkpoints (10.1, 65.3)."""

    def __init__(self, name, seed):
        self.name, self.seed, self.private = name, seed, Ed25519PrivateKey.from_private_bytes(seed)
        public = b"\1" + raw_public(self.private)
        self.hash = hashlib.sha256(name.encode() + b"\n" + public).digest()[:4]
        self.vkey = f"{name}+{self.hash.hex()}+{B64(public)}"

    @classmethod
    def of_file(cls, path):
        """The key of a seat file."""
        with open(path, encoding="utf-8") as file:
            parts = json.load(file)["key"].split("+", 4)
        return cls(parts[2], base64.b64decode(parts[4])[1:])

    def skey(self):
        """The private key as golang.org/x/mod/sumdb/note writes it."""
        return f"PRIVATE+KEY+{self.name}+{self.hash.hex()}+{B64(bytes([1]) + self.seed)}"

    def sign(self, text, name=None):
        """A signed note of a text that ends with a line feed."""
        line = B64(self.hash + self.private.sign(text.encode()))
        return f"{text}\n— {name or self.name} {line}\n".encode()


def raw_public(private):
    """The 32 bytes of a public key; public_bytes_raw is newer than Debian's library."""
    from cryptography.hazmat.primitives import serialization
    return private.public_key().public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)


def genesis_entry(organiser, seats, terms, nonce):
    """The entry that opens a table (10.4, 10.10); terms are game, suite, options, deals, fouls and ends, or no ends;
    of a table with ends a clock and arbiters too, if it has them."""
    second = terms["ends"] is not None
    clock = terms.get("clock") or [("keepers", []), ("lines", []), ("quorum", 0), ("tick", 0), ("start", 0), ("move", 0), ("bank", 0),
             ("increment", 0), ("grace", 0), ("silence", False)] if second else [("key", ""), ("move", 0), ("bank", 0)]
    event = [("event", ""), ("round", 0), ("number", 0)] if second else []
    ends = [("ends", Obj(terms["ends"]))] if second else []
    value = Obj([("pakli", f"table/v{1 + second}"), *event, ("game", terms["game"] + "/v1"), ("suite", terms["suite"]),
                 ("options", Obj(sorted(terms["options"].items()))), ("deals", terms["deals"]), ("fouls", terms["fouls"]),
                 ("clock", Obj(clock)), *ends, ("organiser", organiser.vkey), *([("arbiters", terms.get("arbiters", []))] if second else []),
                 ("seats", [signer.vkey for signer in seats]), *([("names", [""] * len(seats))] if second else []),
                 ("nonce", B64(nonce))])
    return organiser.sign(dumps(value) + "\n")


LOG = Signer("second.example", hashlib.sha256(b"a log of one's own").digest())


def write_mirror(directory, entries, blobs=()):
    """A mirror of a log with these entries (65.7)."""
    root = log.tree_root([hashlib.sha256(b"\0" + entry).digest() for entry in entries])
    for number in range(0, len(entries), 256):
        tile = entries[number:number + 256]
        path = os.path.join(directory, "tile", "entries", log.tile_path(number // 256))
        path = f"{path}.p/{len(tile)}" if len(tile) < 256 else path
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(b"".join(len(entry).to_bytes(2, "big") + entry for entry in tile))
    os.makedirs(os.path.join(directory, "v1", "blobs"), exist_ok=True)
    for blob in blobs:
        with open(os.path.join(directory, "v1", "blobs", hashlib.sha256(blob).hexdigest()), "wb") as file:
            file.write(blob)
    with open(os.path.join(directory, "checkpoint"), "wb") as file:
        file.write(LOG.sign(f"{LOG.name}\n{len(entries)}\n{B64(root)}\n"))
