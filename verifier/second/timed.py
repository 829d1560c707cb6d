#!/usr/bin/python3
"""Random acts at random tables with clocks, marks and keepers: do both verifiers say the same of each? (tests)

    timed.py [--bin DIR] [--seed N] [--acts N] [--keep DIR]

Each table is a log of its own, played by the toolbox's forger (tools.py) until there are so many acts. Acts come at
any moment, also before the first deal; most are such as the state allows. Keepers sign marks with times that agree,
lag, jump, or tell none. Some entries are in the log twice, and some seats sign twice on one parent. Claims take spans
from all that a seat has discharged, and marks that do or do not lie between.
"""

import argparse
import hashlib
import os
import random
import sys
import tempfile
from collections import Counter
from types import SimpleNamespace

import log
from agree import all_theirs, compare
from branches import table_copy
from forge import SHUFFLES, Forger, terms_of
from tools import tools_class
from verify import parsed
from wire import Malformed, Obj, dumps, entry_hash
from writing import B64, LOG, Signer, raw_public, write_mirror

QUICK = {suite: prove for suite, prove in SHUFFLES.items() if "cutandchoose" not in suite}
KINDS = ["timeout"] * 5 + ["resign", "agree", "agree", "agree", "pause", "resume", "resume", "back", "back", "expose", "reseat", "close"]
LAST = 253_402_300_799
STEPS = 90  # entries of a table at most


class Keeper(Signer):
    """A cosigner whose times count (66.1)."""

    def __init__(self, name, seed):
        super().__init__(name, seed)
        public = b"\4" + raw_public(self.private)
        self.hash = hashlib.sha256(name.encode() + b"\n" + public).digest()[:4]
        self.vkey = f"{name}+{self.hash.hex()}+{B64(public)}"

    def line(self, checkpoint, time):
        """A line of a checkpoint, with a time."""
        signature = self.private.sign(b"cosignature/v1\ntime %d\n" % time + checkpoint)
        return f"— {self.name} {B64(self.hash + time.to_bytes(8, 'big') + signature)}\n"


class Timed(tools_class(Forger, terms_of, QUICK)):
    """A table with a clock, whose log has marks."""

    def __init__(self, rng, number):
        self.now, self.marks, self.good, self.spent, self.acts = 1_900_000_000, {}, set(), {}, Counter()
        self.keepers = [Keeper(f"keeper-{place}", rng.randbytes(32)) for place in range(rng.choice([1, 1, 2, 3]))]
        self.lines = [Signer(f"line-{place}", rng.randbytes(32)) for place, _ in enumerate(self.keepers)]
        self.arbiter, self.clocked = Signer("arbiter", rng.randbytes(32)), number % 8 != 7
        super().__init__(rng, number)

    def more_terms(self, number):
        """A clock of random limits, or none."""
        if not self.clocked:
            return {}
        rng, count = self.rng, len(self.keepers)
        start, move, bank = rng.choice([(30, 30, 0), (0, 20, 60), (40, 0, 50), (0, 40, 0), (30, 0, 0), (10, 10, 10)])
        silence = rng.random() < 0.3
        clock = [("keepers", [keeper.vkey for keeper in self.keepers]), ("lines", [line.vkey for line in self.lines] if silence else []),
                 ("quorum", rng.randrange(count // 2 + 1, count + 1)), ("tick", 5), ("start", start), ("move", move), ("bank", bank),
                 ("increment", rng.choice([0, 3]) if bank else 0), ("grace", rng.choice([0, 0, 12])), ("silence", silence)]
        return {"clock": clock, "arbiters": [] if number % 3 == 2 else [self.arbiter.vkey], "fouls": rng.choice(["warn", "record"])}

    # --- marks ---

    def mark_named(self, name):
        """A good mark (52.2.1)."""
        return self.marks.get(name)

    def mark(self, good=False):
        """A mark in the log: of the log's present tree, or an older one; by the log, or by nobody; with times, or with none."""
        rng, entries = self.rng, self.log.entries
        size = len(entries) if good or rng.random() < 0.9 else rng.randrange(len(entries) + 1)
        root = log.tree_root([hashlib.sha256(b"\0" + entry).digest() for entry in entries[:size]])
        signer = LOG if good or rng.random() < 0.97 else Signer(LOG.name, bytes(32))
        note = signer.sign(f"{LOG.name}\n{size}\n{B64(root)}\n").decode()
        text = note.partition("\n\n")[0].encode() + b"\n"
        for keeper in self.keepers:
            time = rng.choice([self.now] * 12 + [0, LAST, LAST + 1, 2 ** 63 + 5, self.now - 40])
            if good or rng.random() < 0.93:
                note += keeper.line(text if good or rng.random() < 0.97 else text + b"x", self.now if good else time)
        entry = self.organiser.sign(dumps(Obj([("pakli", "mark/v1"), ("by", self.organiser.vkey), ("note", B64(note.encode()))])) + "\n")
        index = len(entries)
        self.log.add(entry)
        try:
            checkpoint = log.mark_checkpoint(entry)
        except Malformed:
            return
        if signer is LOG:
            self.marks.setdefault(entry_hash(entry), SimpleNamespace(index=index, checkpoint=checkpoint))
        if good:
            self.good.add(entry_hash(entry))

    # --- play ---

    def play(self, steps=STEPS):
        """Messages, marks and acts, until the table is over."""
        for _ in range(steps):
            if self.table.foul or self.table.over() or self.log.error:
                break
            self.now += self.rng.choice([0, 1, 3, 8, 15, 45])
            owing, what = self.table.owing(), self.rng.random()
            if what < 0.3 and self.clocked:
                self.mark()
            elif what < 0.55 or not owing:
                self.act(self.rng.choice(KINDS))
            elif what < 0.58:
                self.log.add(self.rng.choice(self.log.entries))  # the genesis entry, or another one, again
            else:
                seat, kind = self.rng.choice(owing)
                since, before = self.table.since[seat, kind], table_copy(self.table) if self.rng.random() < 0.1 else None
                awaited = self.table.awaits(seat, kind)
                came = self.post(seat, kind, "", None)
                if came == "applied":
                    self.spent.setdefault(seat, []).append((since if awaited else self.table.head, self.table.head))
                    if before and kind in ("key", "show", "shuffle"):
                        self.rival(before)
        for _ in range(0 if self.table.foul else 2):  # after the end too
            self.act(self.rng.choice(KINDS))

    def rival(self, before):
        """What a seat could have signed in place of the last entry, or another seat: both are in the log then (52.10)."""
        now, secrets, signers, came = self.table, list(self.secrets), list(self.signers), ""
        self.table, before.line = before, None
        for _ in range(self.rng.choice([1, 1, 2, 4])):
            owing = [(seat, kind) for seat, kind in before.owing() if kind in ("key", "show", "shuffle")]
            if came in ("foul", "cannot check") or now.foul or not owing:
                break
            if self.rng.random() < 0.4:
                super().act(self.rng.choice(["agree", "pause", "resume", "reseat", "close"]))
            else:
                seat, kind = self.rng.choice(owing)
                fields, proofs = getattr(self, kind)(seat, kind, "", None)
                value = Obj([("pakli", "message/v1"), ("table", before.id), ("parent", before.head), ("seat", seat), ("kind", kind),
                             ("body", Obj(fields)), ("proofs", [self.named(proof) for proof in proofs])])
                self.log.add(self.signers[seat].sign(dumps(value) + "\n"))
            self.acts["rival put"] += 1
            if self.log.error or now.foul or self.rng.random() < 0.2:
                break  # not answered, or twice on one parent
            came, _ = before.feed(len(self.log.entries) - 1, parsed(self.log.entries[-1]))
            if self.rng.random() < 0.2:
                self.log.add(self.log.entries[-1])
        self.table, self.secrets, self.signers = now, secrets, signers

    def act(self, kind):
        """An act of a kind, or of one that lets play go on; `close` seldom."""
        if kind == "close" and self.rng.random() < 0.7:
            kind = "agree"
        if self.table.stopped is not None or self.table.paused:  # claims want the clock to run
            kind = self.rng.choice([kind, "back" if self.table.stopped is not None else "resume"])
        if self.table.genesis.ends.selfruled and self.rng.random() < 0.4:  # one leaves, and those who are left agree, or come back
            kind = self.rng.choice(["resign", "agree"]) if self.table.stopped is None else "agree"
        self.acts[kind] += 1
        if kind == "agree" and self.table.genesis.ends.selfruled:
            for seat in self.rng.sample(range(self.table.n), self.rng.randrange(1, self.table.n + 1)):
                super().act(kind, seat)
        elif kind == "timeout":
            self.timeout()
        else:
            super().act(kind)
            self.acts[f"{kind} {self.came[-1][1]}"] += 1

    def timeout(self):
        """A claim, most of whose spans and marks are right."""
        rng, table = self.rng, self.table
        if rng.random() < 0.7:
            self.mark(good=True)
            self.now += rng.choice([12, 35, 70, 300])
            self.mark(good=True)
        owing = [seat for seat, _ in table.owing()]
        seat = rng.choice(owing) if owing and rng.random() < 0.9 else rng.randrange(table.n + 1)
        since = [when for (other, _), when in table.since.items() if other == seat] or [table.head]
        done = list(self.spent.get(seat, [])) if rng.random() < 0.3 else list(table.used[seat]) if seat < table.n else []
        done = [pair for pair in done if rng.random() < 0.7][-5:] if rng.random() < 0.5 else []
        spans = [self.span(*pair) for pair in done] + [self.span(rng.choice(since), "")]
        seen, place = self.some(lambda mark: mark.checkpoint.size > table.places[table.head]), rng.randrange(len(self.keepers))
        silence = []
        for line in self.lines if rng.random() < 0.9 else self.lines[:place]:
            at = rng.choice([self.now] * 6 + [self.now - 60, LAST + 1])
            text = f"pakli-silence/v1\ntime {at}\ntable {table.id}\nparent {table.head}\nseat {seat}\n".encode()
            silence.append(B64(line.hash + at.to_bytes(8, "big") + line.private.sign(text)))
        body = Obj([("seat", seat), ("seen", seen), ("spans", spans), ("silence", silence if rng.random() < 0.9 else [])])
        signer = rng.choice([self.organiser, self.arbiter, *self.signers])
        value = Obj([("pakli", "act/v1"), ("table", table.id), ("parent", table.head), ("by", signer.vkey), ("kind", "timeout"),
                     ("body", body), ("proofs", [])])
        came = self.log.add(signer.sign(dumps(value) + "\n"))
        self.acts[f"timeout {self.log.says.get(len(self.log.entries) - 1, (came,))[-1] or came}"] += 1

    def span(self, since, done):
        """From the first mark that covers where a duty began, to the last before it was done."""
        places = self.table.places
        until = places.get(done, len(self.log.entries))
        first = self.some(lambda mark: mark.checkpoint.size > places.get(since, 0), first=True)
        return Obj([("since", since), ("done", done), ("from", first), ("to", self.some(lambda mark: mark.index < until))])

    def some(self, fits, first=False):
        """The hash of a mark that fits, mostly the last; or of any, or of none."""
        names = sorted((name for name, mark in self.marks.items() if fits(mark)), key=lambda name: self.marks[name].index)
        if self.rng.random() < 0.8:
            names = [name for name in names if name in self.good] or names
        if names and self.rng.random() < 0.93:
            return names[0 if first else -1]
        return self.rng.choice([*self.marks, self.table.head])


def main():
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default="", help="directory of the programs; where the shell finds them")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10 ** 6), help="if none is given it is drawn")
    parser.add_argument("--acts", type=int, default=1000)
    parser.add_argument("--keep", help="directory for the logs of which both differ")
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    came, tables, acts, wrong = Counter(), 0, 0, 0
    while acts < options.acts:
        table = Timed(random.Random(f"{options.seed}/{tables}"), tables)
        table.play()
        with tempfile.TemporaryDirectory() as scratch:
            keep = options.keep and os.path.join(options.keep, f"{options.seed}-{tables}")
            write_mirror(scratch, table.log.entries, table.blobs.values())
            differ = compare(table.log, *all_theirs(options.bin, scratch, {table.table.id: 0})[table.table.id], 0)
            if differ and keep:
                os.makedirs(options.keep, exist_ok=True)
                write_mirror(keep, table.log.entries, table.blobs.values())
        for what in differ[:3]:
            print("DISAGREE", f"table {tables}", table.terms, *what, sep="\n   ", flush=True)
        tables, wrong = tables + 1, wrong + bool(differ)
        acts += sum(count for kind, count in table.acts.items() if " " not in kind)
        came.update({kind: count for kind, count in table.acts.items() if " " in kind})
    print(f"{acts} acts at {tables} tables, {wrong} differences: {dict(sorted(came.items()))}")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
