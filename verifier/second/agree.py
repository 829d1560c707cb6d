#!/usr/bin/python3
"""Do this verifier and pakli-verify agree? Fresh games, and mutants of their entries (tests; not the verifier).

    agree.py [--bin DIR] [--seed N] [--games N] [--mutants N] [--keep DIR] [--jobs N]

Games are played by the program `play`: each game with each suite, number of seats and rule set in turn, of
the slow suites some, which the seed chooses, and a few over squares and where others ask for proofs; the other
options are random. Then altered entries are put
between those of a game, in a log of one's own. Those that are void stay where they are. Each other one ends a log,
or is followed by more. What each program says of each entry is compared: applied, void, attempt or foul, by which
check; and of each log the verdict, the seat, the entry and the check, or the result.
"""

import argparse
import base64
import glob
import hashlib
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from types import SimpleNamespace

import draw
import log
import skat
import table as kernel
import tarokk
import verify
import wire
from branches import table_copy
from mutants import KINDS, Mutator, field
from writing import B64, LOG, Signer, genesis_entry, write_mirror

# Of each game the numbers of seats, and an option whose values are taken in turn.
SHAPES = {"tarokk": ((4, 5), "preset", ("book", "cup", "bga")),
          "skat": ((3, 4), "ramsch", ("off", "simple", "schieber")),
          "five-card-draw": (range(2, 7), "rules", ("table", "by-email")),
          "schwarzer-peter": (range(2, 9), "rules", ("", "article")),
          "draw": (range(2, 9), "", ("",)),
          "toolbox": ((2, 5, 8), "faces", ("", "6"))}
SLOW = ("ristretto255-cutandchoose/v1", "sra3072-disclosed/v1", "schindelhauer2048-cutandchoose/v1")
MATRIX_SEATS = 3  # of a game over residues, at most: proofs are of megabytes
# Over numbers of thousands of bits a game takes this verifier half a minute, and others ask for the proofs of some (43): a few
# of the shortest games of one suite of each. The others of these are in the vectors.
FEW = {"ristretto255-cutandchoose-chosen40/v1": ("draw", "schwarzer-peter"), "qr2048-bayergroth/v1": ("draw",)}
PLAYED = [suite for suite in kernel.SUITES if not suite.startswith(("qr", "schindelhauer3072")) and "chosen" not in suite]
AT_ONCE = 10  # games in one log


def run(*command, given=""):
    """The output of a program, whatever its exit code."""
    done = subprocess.run(command, input=given.encode(), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=900,
                          check=False, env={**os.environ, "GOMAXPROCS": "1"})
    return done.stdout.decode()


# --- games -------------------------------------------------------------------------------

def shapes(suites):
    """Game, suite, seats, option and value of all that opens with these suites, small ones first."""
    every = [(game, suite, seats, option, value) for game, (numbers, option, values) in SHAPES.items()
             for seats in numbers for value in values for suite in suites]
    few = lambda shape: shape[2] <= MATRIX_SEATS or not shape[1].startswith("schindelhauer")
    return sorted((shape for shape in every if few(shape) and opens(basic(*shape))), key=lambda shape: shape[2])


def basic(game, suite, seats, option, value):
    """The terms of a table of this shape."""
    return {"game": game, "suite": suite, "seats": seats, "options": {option: value} if value else {},
            "deals": 1, "fouls": "record", "ends": None}


def plan(seed, count):
    """So many shapes: of a thousand one in a hundred of each slow suite, of a hundred and more some of those of which few
    are played; the others in turn, from where the seed says."""
    quick = shapes([suite for suite in PLAYED if suite not in SLOW])
    random.Random(0).shuffle(quick)
    found, some = [], min(10, count // 100 if count >= 1000 else count // 100 and 1)
    for suite, games in FEW.items():
        small = [shape for shape in shapes([suite]) if shape[0] in games and shape[2] == 2]
        found += [small[(some * (seed - 1) + place) % len(small)] for place in range(some)]
    for suite in SLOW:
        rare = shapes([suite])
        some = count // 100 if count >= 1000 else 0
        found += [rare[(some * (seed - 1) + place) % len(rare)] for place in range(some)]
    left = count - len(found)
    return found + [quick[(left * (seed - 1) + place) % len(quick)] for place in range(left)]


def random_options(rng, game):
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
    if game == "schwarzer-peter":
        return {"pack": rng.choice(["32", "32", "52"]), "odd": rng.choice(["jack", "queen"]),
                "pair": rng.choice(["colour", "rank"]), "last-holder": rng.choice(["loses", "wins"])}
    return {}


def random_terms(rng, shape):
    """Terms of a table of this shape, with random options and ends."""
    found, (game, suite, _, option, value) = basic(*shape), shape
    if suite not in SLOW and suite not in FEW:
        found["deals"] = rng.choice({"five-card-draw": [2, 2, 4], "schwarzer-peter": [1, 1, 2]}.get(game, [1, 1, 1, 1, 2]))
    if value != "article":
        found["options"] = {**random_options(rng, game), **found["options"]}
        if not value:
            found["options"].pop(option, None)
    if not suite.endswith("disclosed/v1") and "chosen" not in suite and rng.random() < 0.4:
        late, forfeit = rng.choice([("undo", 0), ("forfeit", 3)])
        found["ends"] = [("late", late), ("forfeit", forfeit), ("resign", True), ("agree", True)] + [("selfruled", True)] * (rng.random() < 0.4)
        found["fouls"] = rng.choice(["warn", "record"])
    return found


def opens(terms):
    """Whether this verifier would open a table with these terms."""
    game, suite = kernel.GAMES[terms["game"] + "/v1"], kernel.SUITES[terms["suite"]]
    try:
        return game(terms["seats"], terms["deals"], terms["options"], suite).needs <= suite.relations
    except kernel.RuleError:
        return False


class Game:
    """A game that was played: its entries, its blobs, and the keys that sign."""

    def __init__(self, what, entries, blobs, signers):
        self.what, self.entries = what, entries
        self.signers = {signer.vkey: signer for signer in signers}
        self.genesis = wire.parse_entry(self.entries[0])
        self.id = self.genesis.hash
        self.find = {hashlib.sha256(blob).hexdigest(): blob for blob in blobs}

    def signer(self, key):
        """Who signs for a verifier key."""
        return self.signers[key.spelling]


def asked(rng, terms):
    """What the program `play` is asked for, and who signs there."""
    signers = [Signer(f"seat-{seat}" if seat else "organiser", rng.randbytes(32)) for seat in range(terms["seats"] + 1)]
    entry = genesis_entry(signers[0], signers[1:], terms, rng.randbytes(16))
    return signers, {"genesis": B64(entry), "organiser": signers[0].skey(), "seats": [signer.skey() for signer in signers[1:]],
                     "seed": rng.getrandbits(63), "bots": rng.random() < 0.4, "most": 300}


def drawn(rng, shape):
    """Terms of a table of a shape that opens, after such as contradict one another."""
    found = []
    while not found or not opens(found[-1]):
        found.append(random_terms(rng, shape))
    return found[-4:]


def play_all(binary, tables):
    """The games of some tables, each with what it is called; None where one does not open."""
    made = [(terms, *asked(rng, terms)) for rng, terms in tables]
    text = "".join(json.dumps(table) + "\n" for _, _, table in made)
    lines = run(os.path.join(binary, "play"), given=text).splitlines()
    if len(lines) != len(made):
        raise RuntimeError("the program play has failed")
    for (terms, signers, _), line in zip(made, lines):
        log_ = json.loads(line)
        entries, blobs = (list(map(base64.b64decode, log_.get(name, []))) for name in ("entries", "blobs"))
        yield Game(terms, entries, blobs, signers) if entries else None


def demo(binary, directory, terms):
    """A game of the bots of `pakli demo`, and its log."""
    given = ["--game", terms["game"], "--seats", str(terms["seats"]), "--suite", terms["suite"], "--deals", str(terms["deals"]),
             "--fouls", terms["fouls"]]
    given += [word for name, value in terms["options"].items() for word in ("--option", f"{name}={value}")]
    run(os.path.join(binary, "pakli"), "demo", "--data", directory, "--json", *given, *(["--resign", "--agree"] if terms["ends"] else []))
    run(os.path.join(binary, "pakli"), "backup", "--data", directory + "/log", directory + "/mirror")
    with open(directory + "/log/log.vkey", encoding="utf-8") as file:
        vkey = file.read().strip()
    source = log.Mirror(directory + "/mirror", [wire.parse_key(vkey)])
    blobs = [open(path, "rb").read() for path in glob.glob(directory + "/mirror/v1/blobs/*")]
    signers = [Signer.of_file(path) for path in glob.glob(directory + "/*.seat")]
    return Game(terms, list(source.entries.values()), blobs, signers), vkey


# --- what both say of a log --------------------------------------------------------------

def summary(report, first=0):
    """What is compared of two reports of one table, whose genesis entry is the log's `first`."""
    found = dict((report.get("findings") or [{}])[0])
    verdict = report.get("verdict") or "cannot check"
    if verdict == "cannot check":
        return (verdict,)
    for name in ("index", "shown_by"):
        found[name] = found[name] - first if name in found else None
    same = {key: report.get(key) or 0 for key in ("applied", "void", "acts", "attempted")}
    return (verdict, tuple(same.items()), tuple(report.get("result") or ()),
            tuple(found.get(key, 0) for key in ("check", "index", "seat", "shown_by")))


def theirs(binary, vkey, identity, mirror):
    """The report of pakli-verify on one table, and its word on each entry."""
    text = run(os.path.join(binary, "pakli-verify"), "--log", vkey, "--table", identity, "--format", "json", mirror)
    try:
        return with_steps(json.loads(text))
    except ValueError:
        return {"error": text}, {}


def with_steps(report, first=0):
    """A report, and what it says of each entry, by its place in the table's part of the log."""
    return report, {step["index"] - first: (step["status"], step.get("check")) for step in report.get("trace") or []}


def all_theirs(binary, mirror, firsts):
    """The same of all tables of a log, by id; `firsts` are the indexes of their genesis entries."""
    with tempfile.TemporaryDirectory() as reports:
        run(os.path.join(binary, "pakli-verify"), "--log", LOG.vkey, "--all", "--format", "json", "-o", reports, mirror)
        if not os.path.exists(reports + "/index.json"):
            raise RuntimeError(f"pakli-verify says nothing of {mirror}")
        found = {}
        for identity, first in firsts.items():
            path = f"{reports}/{identity}.json"
            found[identity] = {}, {}
            if os.path.exists(path):
                with open(path, encoding="utf-8") as file:
                    found[identity] = with_steps(json.load(file), first)
        return found


# --- logs with mutants -------------------------------------------------------------------

class Branch:
    """A log of one table: its entries, and what this verifier says of each."""

    def __init__(self, table, entries, says, error=None):
        self.table, self.entries, self.says, self.error = table, entries, says, error

    def copy(self):
        """Another log that begins as this one."""
        return Branch(table_copy(self.table), list(self.entries), dict(self.says))

    def add(self, entry):
        """One more entry; what becomes of it, or nothing if it does not concern the table."""
        index, parsed = len(self.entries), verify.parsed(entry)
        self.entries.append(entry)
        genesis = self.table.genesis
        if not parsed or parsed.hash != genesis.hash and not wire.concerns(parsed, genesis):
            return None
        try:
            self.says[index] = self.table.feed(index, parsed)
            return self.says[index][0]
        except log.CannotCheck as error:
            self.error = error
            return "cannot check"

    def over(self):
        """Whether nothing can come of another entry."""
        return self.error or self.table.foul

    def own(self):
        """What this verifier says of the log."""
        return {"error": str(self.error)} if self.error else {"table": self.table.id, **verify.findings(self.table)}


class Line:
    """The logs of one game: the honest one with what is void put into it, and those that end otherwise."""

    def __init__(self, rng, game):
        self.rng, self.game, self.mutator = rng, game, Mutator(rng, game)
        self.tried, self.came = Counter(), Counter()
        table = kernel.Table(game.genesis, 0, self.find)
        self.main, self.others = Branch(table, game.entries[:1], {}), []

    def find(self, name):
        """A blob, also of a mutant."""
        return log.checked_blob(name, self.game.find.get(name.hash))

    def walk(self, count, first):
        """Put in so many mutants, whose kinds go on from `first`, and what is honest."""
        targets = self.targets(count, first)
        for place in range(1, len(self.game.entries)):
            for kind in targets.get(place, ()):
                self.mutate(kind, place)
            self.main.add(self.game.entries[place])

    def targets(self, count, first):
        """Kinds of mutants by place: each kind of entry with each kind of mutant, in turn."""
        places = {}
        for place, value in enumerate(self.mutator.values[1:], 1):
            places.setdefault(field(value, "kind"), []).append(place)
        entries, kinds = sorted(places), [kind for kind in KINDS if kind != "act" or self.main.table.second]
        targets = {}
        for number in range(first, first + count):
            entry, kind = entries[number % len(entries)], kinds[number // len(entries) % len(kinds)]
            targets.setdefault(self.rng.choice(places[entry]), []).append(kind)
            self.tried[entry, kind] += 1
        return targets

    def made(self, kind, place, table):
        """A mutant, whose blobs are at hand then."""
        if kind == "act":
            return self.mutator.act(table)[0]
        entry, blobs = self.mutator.mutant(kind, place, table)
        self.game.find.update({hashlib.sha256(blob).hexdigest(): blob for blob in blobs})
        return entry

    def mutate(self, kind, place):
        """A mutant before a place: kept there if it is void, or else at the end of a log, with what follows."""
        trial = self.main.copy()
        came = trial.add(self.made(kind, place, trial.table))
        self.came[came] += 1
        if came in (None, "void"):
            self.main = trial
            return
        self.others.append(trial)
        if came != "foul":
            self.follow(trial, place, kind)

    def follow(self, trial, place, kind):
        """After a mutant that is applied: more, and the honest rest, signed anew on the head that there is now."""
        for _ in range(self.rng.randrange(1, 9) if kind == "act" else 2):
            if not trial.over():
                other = "act" if kind == "act" else self.rng.choice(["rules", "again", "body"])
                self.came[trial.add(self.made(other, place, trial.table))] += 1
        void = 0
        for later in range(place, len(self.game.entries)):
            if trial.over() or void > 3:
                return
            void = void + 1 if trial.add(self.mutator.after(later, trial.table)[0]) == "void" else 0


def check_lines(binary, lines, directory):
    """The disagreements about the logs of some games, several of which are in one log at a time."""
    wrong = []
    for number in range(max((1 + len(line.others) for line in lines), default=0)):
        part = [(line, [line.main, *line.others][number]) for line in lines if number <= len(line.others)]
        entries, blobs, firsts = [], {}, {}
        for line, branch in part:
            firsts[line.game.id] = len(entries)
            entries += branch.entries
            blobs.update(line.game.find)
        mirror = os.path.join(directory, str(number))
        write_mirror(mirror, entries, blobs.values())
        found = all_theirs(binary, mirror, firsts)
        for line, branch in part:
            first = firsts[line.game.id]
            differ = compare(branch, *found[line.game.id], first)
            if differ:
                wrong.append((line.game.what, mirror, first, differ))
        if not wrong:
            shutil.rmtree(mirror)
    return wrong


def compare(branch, report, steps, first):
    """Where both differ about a log: the index in the table's part, what each says, and the entry."""
    own, their = summary(branch.own()), summary(report, first)
    if branch.error and own == their:
        return []
    wrong = [(index, branch.says.get(index), steps.get(index), branch.entries[index][:700])
             for index in sorted(set(branch.says) | set(steps)) if index
             if branch.says.get(index) != steps.get(index) and not applied_later(branch, index)]
    return wrong + ([("verdict", own, their)] if own != their else [])


def applied_later(branch, index):
    """A disclosure that shows another entry to be foul is applied, and the other foul, in a trace (51.4.6)."""
    foul = branch.table.foul
    return foul is not None and foul.shown_by is not None and index in (foul.index, foul.shown_by)


def check_demo(binary, game, vkey, mirror):
    """The disagreements about an honest game, in the log where it was played."""
    own = verify.verify(mirror, [wire.parse_key(vkey)])[0]
    report, _ = theirs(binary, vkey, game.id, mirror)
    return [] if summary(own) == summary(report) else [("game", summary(own), summary(report), own.get("error"))]


# --- the command -------------------------------------------------------------------------

def some_games(options, part, directory):
    """Play some games of the plan, mutate them and compare."""
    found = SimpleNamespace(games=0, refused=0, tried=Counter(), came=Counter(), wrong=[])
    lines = []
    for game, (number, _, mutants, first) in zip(fresh_games(options, part, directory, found), part):
        line = Line(random.Random(f"{options.seed}/{number}/mutants"), game)
        line.walk(mutants, first)
        lines.append(line)
        found.games += 1
        found.tried += line.tried
        found.came += line.came
    found.wrong += check_lines(options.bin, lines, os.path.join(directory, f"{options.seed}-{part[0][0]}"))
    used = os.times()
    found.used = os.getpid(), used.user + used.system, used.children_user + used.children_system
    return found


def fresh_games(options, part, directory, found):
    """The games of a part, of which one in twenty is played by `pakli demo`."""
    tables = [(random.Random(f"{options.seed}/{number}"), shape) for number, shape, *_ in part]
    tables = [(rng, terms) for rng, shape in tables for terms in drawn(rng, shape)]
    games = []
    for (_, terms), game in zip(tables, play_all(options.bin, tables)):
        if opens(terms) != (game is not None):
            found.wrong.append((terms, "", 0, [("OPENED", opens(terms), game is not None)]))
        if opens(terms):
            games.append(game)
        found.refused += not opens(terms)
    for place, (number, *_) in enumerate(part):
        if number % 20 == 10 and not games[place].what["suite"].startswith("schindelhauer"):  # no server allows it unasked
            path = os.path.join(directory, f"{options.seed}-demo-{number}")
            games[place], vkey = demo(options.bin, path, games[place].what)
            differ = check_demo(options.bin, games[place], vkey, path + "/mirror")
            found.wrong += [(games[place].what, path, 0, differ)] if differ else []
    return games


def parts(options):
    """The plan in parts of games: number, shape, mutants, and the number of the first of these."""
    shaped = plan(options.seed, options.games)
    weights = [1 if shape[1] in SLOW or shape[1].startswith("qr") else 5 for shape in shaped]
    total, taken, numbered = sum(weights), 0, []
    for number, (shape, weight) in enumerate(zip(shaped, weights)):
        first = options.mutants * taken // total
        taken += weight
        numbered.append((number, shape, options.mutants * taken // total - first, first))
    step = max(1, min(AT_ONCE, -(-len(numbered) // options.jobs)))
    return [numbered[at:at + step] for at in range(0, len(numbered), step)]


def main():
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default="", help="directory of the programs; where the shell finds them")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1, 10 ** 6), help="if none is given it is drawn")
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--mutants", type=int, default=2000)
    parser.add_argument("--keep", help="directory for games and logs, which stay there; what it has is not played again")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    start = time.time()
    directory = options.keep or tempfile.mkdtemp(prefix="agree-")
    os.makedirs(directory, exist_ok=True)
    with ProcessPoolExecutor(options.jobs) as pool:
        found = [pool.submit(some_games, options, part, directory) for part in parts(options)]
        results = [show(future.result()) for future in found]
    tell(results, time.time() - start)
    wrong = sum(len(result.wrong) for result in results)
    sys.exit(1 if wrong or sum(result.games for result in results) < options.games else 0)


def show(result):
    """Print the disagreements of a part."""
    for what, mirror, first, differ in result.wrong:
        print("DISAGREE", json.dumps(what))
        print(f"   log {mirror}, of which the table begins at {first}, under the key {LOG.vkey}")
        for item in differ[:3]:
            print("   ", *item, sep="\n      ", flush=True)
    return result


def tell(results, seconds):
    """Print what was done."""
    tried, came = sum((r.tried for r in results), Counter()), sum((r.came for r in results), Counter())
    used = {r.used[0]: r.used[1:] for r in results}
    own, programs = (sum(pair[side] for pair in used.values()) for side in (0, 1))
    outcomes = ", ".join(f"{count} {name or 'no message'}" for name, count in came.most_common())
    print(f"{sum(r.games for r in results)} games, {sum(r.refused for r in results)} others refused by both")
    print(f"{sum(came.values())} mutants: {outcomes}")
    print(f"{len(tried)} pairs of a kind of entry and a kind of mutant")
    print(f"{sum(len(r.wrong) for r in results)} logs with disagreements; {seconds:.0f} s, processor time {own:.0f} s here and {programs:.0f} s in pakli")


if __name__ == "__main__":
    main()
