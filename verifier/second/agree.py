#!/usr/bin/python3
"""Do this verifier and pakli-verify agree? Fresh games, and mutants of their entries (tests; not the verifier).

    agree.py [--bin DIR] [--seed N] [--games N] [--mutants N] [--seconds N] [--keep DIR]

Games are played by the bots of `pakli demo`, with random rules, seats and suites. A log of its own, under a
key of its own, then has a beginning of one of them with entries that were altered and signed anew; what each
program says of each entry is compared: applied, void, attempt or foul, by which check, and the verdict.
"""

import argparse
import base64
import copy
import glob
import hashlib
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

import draw
import log
import skat
import table as kernel
import tarokk
import verify
import wire
from wire import Obj, dumps

RISTRETTO = ["ristretto255-bayergroth/v1", "ristretto255-bayergroth/v2", "ristretto255-tereliuswikstrom/v1",
             "ristretto255-cutandchoose/v1"]
B64 = lambda data: base64.b64encode(data).decode()


def run(*command, timeout=600):
    """The output of a program, whatever its exit code."""
    try:
        return subprocess.run(command, capture_output=True, timeout=timeout, check=False).stdout.decode()
    except subprocess.TimeoutExpired:
        return ""


# --- a log of one's own ------------------------------------------------------------------

class Signer:
    """A name and a key that sign entries and checkpoints (10.1, 65.3)."""

    def __init__(self, name, seed):
        self.name, self.private = name, Ed25519PrivateKey.from_private_bytes(seed)
        public = b"\1" + self.private.public_key().public_bytes_raw() if hasattr(
            self.private.public_key(), "public_bytes_raw") else b"\1" + raw_public(self.private)
        self.hash = hashlib.sha256(name.encode() + b"\n" + public).digest()[:4]
        self.vkey = f"{name}+{self.hash.hex()}+{B64(public)}"

    @classmethod
    def of_file(cls, path):
        """The key of a seat file."""
        with open(path, encoding="utf-8") as file:
            parts = json.load(file)["key"].split("+", 4)
        return cls(parts[2], base64.b64decode(parts[4])[1:])

    def sign(self, text, name=None):
        """A signed note of a text that ends with a line feed."""
        line = B64(self.hash + self.private.sign(text.encode()))
        return f"{text}\n— {name or self.name} {line}\n".encode()


def raw_public(private):
    """The 32 bytes of a public key, with an older library."""
    from cryptography.hazmat.primitives import serialization
    return private.public_key().public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)


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


# --- games -------------------------------------------------------------------------------

def random_options(rng, game, seats, suite):
    """Options of a game, some of which may contradict one another."""
    if game == "tarokk":
        table = {name: values for name, values in tarokk.OPTIONS.items() if name != "preset"}
        table.update({name: ["0", "1", "3", "50"] for name in tarokk.VALUES})
        return {name: rng.choice(table[name]) for name in rng.sample(sorted(table), rng.choice([0, 2, 5, 9]))}
    if game == "skat":
        return {name: rng.choice(skat.OPTIONS[name])
                for name in rng.sample(sorted(skat.OPTIONS), rng.choice([0, 2, 4, 6]))}
    if game == "five-card-draw":
        table = {**draw.CHOICES, "stack": ["4", "20", "60"], "ante": ["0", "1", "2"], "bet": ["1", "2", "4"],
                 "cap": ["0", "2"], "exchange": ["0", "3"], "later-bet": ["4", "9"], "prizes": ["100", "60,40"],
                 "small-blind": ["1"], "big-blind": ["2"]}
        return {name: rng.choice(table[name]) for name in rng.sample(sorted(table), rng.choice([0, 2, 4, 6]))}
    if game == "schwarzer-peter" and seats == 2 and rng.random() < 0.4:
        return {"rules": "article"}
    if game == "schwarzer-peter":
        return {"pack": rng.choice(["32", "32", "52"]), "odd": rng.choice(["jack", "queen"]),
                "pair": rng.choice(["colour", "rank"]), "last-holder": rng.choice(["loses", "wins"])}
    return {}


def random_game(rng):
    """Arguments of `pakli demo`."""
    game = rng.choice(["tarokk", "tarokk", "skat", "skat", "five-card-draw", "five-card-draw", "schwarzer-peter", "draw"])
    seats = rng.choice({"tarokk": [4, 4, 5], "skat": [3, 4], "five-card-draw": [2, 2, 3, 4, 6], "draw": [2, 4],
                        "schwarzer-peter": [2, 2, 3, 5]}[game])
    suites = RISTRETTO[:1] * 3 + RISTRETTO[:3] + RISTRETTO
    if game in ("five-card-draw", "draw"):
        suites += ["sra255-bayergroth/v1", "sra255-disclosed/v1"] * 4 + ["sra3072-disclosed/v1"]
    suite = rng.choice(suites)
    slow = suite in ("ristretto255-cutandchoose/v1", "sra3072-disclosed/v1")
    deals = rng.choice([1, 1, 2, 4] if game != "five-card-draw" else [2, 4, 8]) if not slow else 1
    arguments = ["--game", game, "--seats", str(seats), "--suite", suite, "--deals", str(deals)]
    second = not suite.endswith("disclosed/v1") and rng.random() < 0.4
    arguments += ["--fouls", rng.choice(["warn", "record"]) if second else "record"]
    if second:
        arguments += ["--resign", "--agree"] + rng.choice([[], ["--forfeit", "3"]])
    options = random_options(rng, game, seats, suite)
    if game == "tarokk" and rng.random() < 0.5:
        options["preset"] = rng.choice(["cup", "bga"])
    for name, value in options.items():
        arguments += ["--option", f"{name}={value}"]
    return arguments


class Game:
    """A game that bots have played: its entries, blobs and the keys that sign."""

    def __init__(self, directory, arguments):
        self.directory, self.arguments = directory, arguments
        self.mirror = os.path.join(directory, "mirror")
        with open(os.path.join(directory, "log", "log.vkey"), encoding="utf-8") as file:
            self.vkey = file.read().strip()
        source = log.Mirror(self.mirror, [wire.parse_key(self.vkey)])
        self.entries = list(source.entries.values())
        self.blobs = [open(path, "rb").read() for path in glob.glob(os.path.join(self.mirror, "v1", "blobs", "*"))]
        signers = [Signer.of_file(path) for path in glob.glob(os.path.join(directory, "*.seat"))]
        self.signers = {signer.vkey: signer for signer in signers}
        self.genesis = wire.parse_entry(self.entries[0])
        self.id = self.genesis.hash
        self.find = {hashlib.sha256(blob).hexdigest(): blob for blob in self.blobs}

    def signer(self, key):
        """Who signs for a verifier key."""
        return self.signers[key.spelling]


def opens(arguments):
    """Whether this verifier would open a table with these arguments of `pakli demo`."""
    pairs = list(zip(arguments, arguments[1:]))
    given = dict(text.split("=", 1) for flag, text in pairs if flag == "--option")
    value = {flag: text for flag, text in pairs if flag != "--option"}
    game, suite = kernel.GAMES[value["--game"] + "/v1"], kernel.SUITES[value["--suite"]]
    try:
        play = game(int(value["--seats"]), int(value["--deals"]), given, suite)
        return play.needs <= suite.relations
    except kernel.RuleError:
        return False


def play_game(binary, directory, arguments):
    """A game of bots, or nothing if the table does not open."""
    run(os.path.join(binary, "pakli"), "demo", "--data", directory, "--json", *arguments)
    run(os.path.join(binary, "pakli"), "backup", "--data", directory + "/log", directory + "/mirror")
    return Game(directory, arguments) if os.path.exists(directory + "/mirror/checkpoint") else None


# --- what both say of a log --------------------------------------------------------------

def summary(report):
    """What is compared of two reports of one table."""
    found = report.get("findings") or [{}]
    verdict = report.get("verdict") or "cannot check"
    same = {key: report.get(key) or 0 for key in ("applied", "void", "acts", "attempted")}
    if verdict == "cannot check":
        return (verdict,)
    return (verdict, tuple(same.items()), tuple(report.get("result") or ()),
            tuple(found[0].get(key, 0) for key in ("check", "index", "seat", "shown_by")))


def theirs(binary, vkey, identity, mirror):
    """The report of pakli-verify, and its word on each entry."""
    text = run(os.path.join(binary, "pakli-verify"), "--log", vkey, "--table", identity, "--format", "json", mirror)
    try:
        report = json.loads(text)
    except ValueError:
        return {"error": text}, {}
    steps = {step["index"]: (step["status"], step.get("check")) for step in report.get("trace") or []}
    return report, steps


# --- mutants -----------------------------------------------------------------------------

def field(value, name):
    """A field of an object."""
    return dict(value).get(name)


def replace(value, name, new):
    """An object with another value of a field."""
    return Obj((key, new if key == name else old) for key, old in value)


def damage(rng, data):
    """Bytes with something wrong."""
    data = bytearray(data)
    kind = rng.randrange(6)
    if kind == 0:
        return bytes(data[:-1])
    if kind == 1:
        return bytes(data + b"\0")
    place = rng.randrange(0, max(1, len(data) // 32)) * 32
    if kind == 2:
        data[place:place + 32] = bytes(32)
    elif kind == 3:
        data[place:place + 32] = b"\xff" * min(32, len(data) - place)
    else:
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    return bytes(data) or b"\1"


def mutate_list(rng, values, other):
    """A list of base64 with something wrong."""
    values = list(values)
    kind = rng.randrange(7)
    if not values or kind == 0:
        return values + [B64(other)]
    place = rng.randrange(len(values))
    if kind == 1:
        del values[place]
    elif kind == 2 and len(values) > 1:
        two = (place + 1) % len(values)
        values[place], values[two] = values[two], values[place]
    elif kind == 3:
        values[place] = B64(other)
    elif kind == 4 and len(values) > 1:
        values[place] = values[place - 1]
    elif kind == 5:
        values[place] = rng.choice(["", "AAA", "====", values[place] + "A", B64(bytes(32)), B64(bytes(64))])
    elif not values[place].startswith("sha256"):
        values[place] = B64(damage(rng, base64.b64decode(values[place])))
    return values


def leaves(value, path=()):
    """The places of all scalars and groups in a JSON value."""
    yield path
    items = list(value) if isinstance(value, Obj) else list(enumerate(value)) if isinstance(value, list) else []
    for place, item in enumerate(items):
        yield from leaves(item[1], path + (place,))


def alter_json(rng, value, words):
    """A JSON value altered at a random place."""
    path = rng.choice(list(leaves(value))[1:] or [()])

    def at(value, path):
        if path:
            items = list(value)
            if isinstance(value, Obj):
                name, old = items[path[0]]
                items[path[0]] = (name, at(old, path[1:]))
                return Obj(items)
            items[path[0]] = at(items[path[0]], path[1:])
            return items
        kind = rng.randrange(6)
        if isinstance(value, bool):
            return not value if kind else 1
        if isinstance(value, int):
            return rng.choice([value + 1, max(0, value - 1), rng.randrange(40), -1, value + 256, str(value)])
        if isinstance(value, str):
            return rng.choice([rng.choice(words), rng.choice(words), value + "x", value[:-1], "", value[::-1], 0])
        if isinstance(value, list) and value and not isinstance(value, Obj):
            items = list(value)
            return rng.choice([items[:-1], items + items[:1], items[::-1], items * 2, [], Obj()])
        if isinstance(value, Obj):
            return rng.choice([Obj(value[:-1]), Obj(value + value[:1]), Obj(value[::-1]), Obj([("x", 1)] + value)])
        return rng.choice([1, "a", [], Obj()])
    return at(value, path)


class Mutator:
    """Alters the messages of one game."""

    def __init__(self, rng, game):
        self.rng, self.game = rng, game
        self.values = [wire.parse_json(entry.split(b"\n\n")[0].decode()) for entry in game.entries]
        moves = [field(field(value, "body"), "move") for value in self.values[1:] if field(value, "kind") == "move"]
        self.moves = [move for move in moves if move is not None]
        self.words = sorted({text for move in self.moves for text in self.strings(move)} | {
            "pass", "three", "solo", "yes", "18", "take", "hand", "N", "G", "DEC", "DEF", "call:T20", "fig:trull",
            "fig:volat", "contra:game", "count:8", "a", "b", "i", "go", "stop", "skiz"})

    def strings(self, value):
        """All strings in a value."""
        if isinstance(value, str):
            yield value
        for item in value if isinstance(value, list) else []:
            yield from self.strings(item[1] if isinstance(item, tuple) else item)

    def element(self):
        """An element of the group that means nothing here."""
        number = self.rng.randrange(1, 1 << 200)
        group = kernel.SUITES[self.game.genesis.suite].group
        return group.base(number) if group.size == 32 else group.encode(pow(number, 2, group.prime))

    def sign(self, value, key, blobs=()):
        """An entry with this value, signed by the holder of a key."""
        return self.game.signer(key).sign(dumps(value) + "\n"), list(blobs)

    def mutant(self, place, table):
        """An altered entry for this place, and its blobs."""
        rng, value = self.rng, self.values[place]
        seat, key = field(value, "seat"), self.game.genesis.seats[field(value, "seat")]
        kind = rng.randrange(20)
        body, proofs = field(value, "body"), field(value, "proofs")
        if kind < 6 and proofs:
            return self.altered_proofs(value, key)
        if kind < 12 and field(value, "kind") == "move":
            move = field(body, "move")
            if rng.random() < 0.3 and self.moves:
                move = rng.choice(self.moves)
            move = alter_json(rng, move, self.words) if rng.random() < 0.8 else move
            return self.sign(replace(value, "body", replace(body, "move", move)), key)
        if kind < 16:
            return self.sign(replace(value, "body", self.altered_body(body)), key)
        return self.elsewhere(kind, value, seat, key, place, table)

    def altered_proofs(self, value, key):
        """A message with other proofs; a blob may be altered, too."""
        proofs, blobs = list(field(value, "proofs")), []
        place = self.rng.randrange(len(proofs))
        if proofs[place].startswith("sha256:") and self.rng.random() < 0.7:
            blob = damage(self.rng, self.game.find[proofs[place].split(":")[1]])
            blobs = [blob]
            proofs[place] = f"sha256:{hashlib.sha256(blob).hexdigest()}:{len(blob)}"
        else:
            proofs = mutate_list(self.rng, proofs, damage(self.rng, bytes(96)))
        return self.sign(replace(value, "proofs", proofs), key, blobs)

    def altered_body(self, body):
        """A body with another field, or other values."""
        rng = self.rng
        if rng.random() < 0.2:
            return alter_json(rng, body, self.words)
        name, value = rng.choice(list(body))
        other = self.element() + (self.element() if rng.random() < 0.5 else b"")
        if isinstance(value, list) and not isinstance(value, Obj):
            if value and isinstance(value[0], Obj):
                return replace(body, name, alter_json(rng, value, self.words))
            return replace(body, name, mutate_list(rng, value, other))
        if isinstance(value, str):
            return replace(body, name, rng.choice([B64(other), B64(damage(rng, base64.b64decode(value)))]))
        return replace(body, name, alter_json(rng, value, self.words)) if isinstance(value, Obj) else body

    def elsewhere(self, kind, value, seat, key, place, table):
        """A message of another seat, kind or parent, or one that is no message."""
        rng, seats = self.rng, self.game.genesis.seats
        if kind == 16:
            other = rng.randrange(len(seats) + 1)
            signer = seats[other] if other < len(seats) and rng.random() < 0.7 else key
            return self.sign(replace(value, "seat", other), signer)
        if kind == 17:
            old = self.values[rng.randrange(1, len(self.values))]
            signer = seats[field(old, "seat")] if rng.random() < 0.8 else key
            return self.sign(replace(old, "parent", table.head), signer)
        if kind == 18:
            return self.sign(replace(value, "kind", rng.choice(["key", "show", "move", "give", "shuffle", "permute",
                                                                "disclose", "dispute", "none", "mix"])), key)
        text = dumps(value)
        choice = rng.randrange(5)
        if choice == 0:
            return self.sign(replace(value, "parent", rng.choice([self.game.id, "0" * 64])), key)
        if choice == 1:
            return self.game.signer(key).sign(text.replace(",", ", ", 1) + "\n"), []
        if choice == 2:
            return self.game.signer(key).sign(text + "\n", name="nobody"), []
        if choice == 3:
            return self.game.entries[rng.randrange(place)], []
        if self.game.suite_defers():
            dispute = Obj([("card", rng.randrange(60))])
            return self.sign(replace(replace(replace(value, "kind", "dispute"), "body", dispute), "proofs", []), key)
        return self.sign(Obj(value + [("more", 1)]), key)

    def act(self, table):
        """A random act on the head of a table."""
        rng, genesis = self.rng, self.game.genesis
        kinds = ["resign", "agree", "agree", "pause", "resume", "back", "expose", "reseat", "close", "timeout", "none"]
        kind = rng.choice(kinds)
        signers = list(self.game.signers.values())
        rulers = [signer for signer in signers if signer.vkey == genesis.organiser.spelling]
        signer = rng.choice(rulers if kind in ("pause", "resume", "reseat", "close") and rng.random() < 0.8 else signers)
        body = Obj()
        if kind == "resign":
            body = Obj([("scope", rng.choice(["deal", "deal", "table", "all"]))])
        elif kind == "agree":
            body = Obj([("to", self.wanted(table))])
        elif kind == "close":
            body = Obj([("reason", rng.choice(["enough", "", "%C3%9F", "%c3"]))])
        elif kind == "reseat":
            body = self.reseat(table)
        elif kind == "expose":
            cards = [card for card in range(len(table.cards)) if table.holds(rng.randrange(table.n), card)][:1]
            body = Obj([("cards", cards or [0]), ("tokens", [B64(self.element())])])
        parent = table.head if rng.random() < 0.95 else self.game.id
        value = Obj([("pakli", "act/v1"), ("table", self.game.id), ("parent", parent), ("by", signer.vkey),
                     ("kind", kind), ("body", body), ("proofs", [B64(bytes(96))] * rng.choice([0, 1, 1, 1, 2]) if kind == "expose" else [])])
        return signer.sign(dumps(value) + "\n"), []

    def wanted(self, table):
        """What a seat may want: often what the others want."""
        wants = list(table.wants.values())
        return self.rng.choice(wants or [""]) if self.rng.random() < 0.5 else self.rng.choice(
            ["end", "undo", "pause", "resume", "", "all"])

    def reseat(self, table):
        """A new key for a seat, with its word."""
        seat = self.rng.randrange(table.n)
        new = Signer(f"new{self.rng.randrange(1000)}", bytes([self.rng.randrange(256)]) * 32)
        self.game.signers.setdefault(new.vkey, new)
        accepted = f"pakli-accept/v1\n{self.game.id}\n{table.head}\n{seat}\n".encode()
        return Obj([("seat", seat), ("key", new.vkey), ("accept", B64(new.private.sign(accepted)))])


Game.suite_defers = lambda game: kernel.SUITES[game.genesis.suite].defers


# --- batches -----------------------------------------------------------------------------

class Batch:
    """A log with mutants of one game: some that are void, and at the end one that may be foul."""

    def __init__(self, rng, game, count):
        self.game, self.entries, self.blobs, self.says = game, [game.entries[0]], list(game.blobs), {}
        self.mutants, self.mutator = 0, Mutator(rng, game)
        self.bytes = {hashlib.sha256(blob).hexdigest(): blob for blob in self.blobs}
        find = lambda name: log.checked_blob(name, self.bytes.get(name.hash))
        self.error = None
        try:
            self.table = kernel.Table(game.genesis, 0, find)
            self.fill(rng, count)
        except log.CannotCheck as error:
            self.error = error

    def fill(self, rng, count):
        """The entries: mutants before honest ones at random places, until one is foul."""
        last = rng.randrange(1, len(self.game.entries))
        places = sorted(rng.sample(range(1, last + 1), min(count, last)))
        for place in range(1, last + 1):
            if place in places:
                self.try_one(self.mutator.mutant(place, self.table))
            if self.table.foul:
                return
            if self.table.second and rng.random() < 0.02:
                for _ in range(rng.randrange(1, 12)):
                    self.try_one(self.mutator.act(self.table))
            self.add(self.game.entries[place])
        while not self.table.foul and self.mutants < count + 2:
            self.try_one(self.mutator.mutant(rng.randrange(1, len(self.game.entries)), self.table))

    def try_one(self, mutant):
        """A mutant: kept if it is void, or if it ends the table at last."""
        entry, blobs = mutant
        if entry in self.entries or len(entry) > wire.MAX_ENTRY:
            return
        for blob in blobs:
            self.bytes[hashlib.sha256(blob).hexdigest()] = blob
        parsed = verify.parsed(entry)
        foul = False
        if parsed and parsed.pakli == "message/v1" and parsed.table == self.game.id:
            trial = copy.deepcopy(self.table)
            foul = trial.feed(len(self.entries), parsed)[0] == "foul"
        if foul and self.mutants < 3 and len(self.entries) < len(self.game.entries) // 2:
            return
        self.mutants += 1
        self.blobs += blobs
        self.add(entry)

    def add(self, entry):
        """One more entry, and what is said of it."""
        index, parsed = len(self.entries), verify.parsed(entry)
        self.entries.append(entry)
        if parsed and (parsed.hash == self.game.id or verify.concerns(parsed, self.game.genesis)):
            self.says[index] = self.table.feed(index, parsed)


def check_batch(binary, batch):
    """The disagreements about a batch."""
    with tempfile.TemporaryDirectory() as directory:
        write_mirror(directory, batch.entries, set(batch.blobs))
        report, steps = theirs(binary, LOG.vkey, batch.game.id, directory)
    if batch.error:
        return [] if "verdict" not in report else [("open", str(batch.error), report.get("verdict"))]
    wrong = [(index, batch.says.get(index), steps.get(index), batch.entries[index][:700])
             for index in sorted(set(batch.says) | set(steps)) if index
             if batch.says.get(index) != steps.get(index) and not applied_later(batch, index, steps)]
    own = {"table": batch.game.id, **verify.findings(batch.table)}
    if summary(own) != summary(report):
        wrong.append(("verdict", summary(own), summary(report)))
    return wrong


def applied_later(batch, index, steps):
    """A disclosure that shows another entry to be foul is applied, and the other foul, in a trace (51.4.6)."""
    foul = batch.table.foul
    return foul is not None and foul.shown_by is not None and index in (foul.index, foul.shown_by)


def check_game(binary, game):
    """The disagreements about an honest game."""
    own = verify.verify(game.mirror, [wire.parse_key(game.vkey)])[0]
    report, _ = theirs(binary, game.vkey, game.id, game.mirror)
    return [] if summary(own) == summary(report) else [("game", summary(own), summary(report), own.get("error"))]


def main():
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default="", help="directory of the programs; where the shell finds them")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--games", type=int, default=24)
    parser.add_argument("--mutants", type=int, default=300)
    parser.add_argument("--keep", help="directory in which games are kept, or are already")
    parser.add_argument("--seconds", type=int, default=86400, help="stop after this time")
    options = parser.parse_args()
    rng, start = random.Random(options.seed), time.time()
    directory = options.keep or tempfile.mkdtemp(prefix="agree-")
    os.makedirs(directory, exist_ok=True)
    plans = [(os.path.join(directory, f"{options.seed}-{number}"), random_game(rng)) for number in range(options.games)]
    games, mutants, wrong, refused = [], 0, 0, 0

    def one(plan):
        path, arguments = plan
        if time.time() - start > options.seconds * 0.6:
            return None, arguments
        if os.path.exists(path + "/mirror/checkpoint"):
            return Game(path, arguments), arguments
        return play_game(options.bin, path, arguments), arguments
    with ThreadPoolExecutor(2) as pool:
        for game, arguments in pool.map(one, plans):
            if game is None:
                refused += 1
                if time.time() - start < options.seconds * 0.5 and opens(arguments):
                    print("NOT OPENED THERE", *arguments, flush=True)
                    wrong += 1
                continue
            found = check_game(options.bin, game)
            wrong += len(found)
            if found:
                print("GAME", game.directory, arguments, *found, sep="\n  ", flush=True)
            else:
                games.append(game)
        print(f"{len(games)} games agree, {refused} did not open, {time.time() - start:.0f} s", flush=True)
        pending = []
        while games and mutants < options.mutants and time.time() - start < options.seconds:
            batch = Batch(rng, rng.choice(games), rng.choice([3, 6, 10]))
            mutants += batch.mutants
            pending.append((batch, pool.submit(check_batch, options.bin, batch)))
            while pending and (pending[0][1].done() or len(pending) > 4):
                wrong += show(*pending.pop(0))
        wrong += sum(show(*item) for item in pending)
    print(f"{mutants} mutants, {wrong} disagreements, {time.time() - start:.0f} s")
    sys.exit(1 if wrong or not mutants else 0)


def show(batch, future):
    """Print the disagreements about a batch."""
    found = future.result()
    if found:
        print("BATCH", batch.game.directory, *batch.game.arguments)
        for item in found[:3]:
            print("   ", *item, sep="\n      ", flush=True)
    return len(found)


if __name__ == "__main__":
    main()
