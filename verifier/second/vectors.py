#!/usr/bin/python3
"""Every vector that this verifier can judge (tests; not the verifier): vectors.py [--fast] [DIR of vectors].

With --fast not those of suites whose numbers have thousands of bits, or that prove by many rounds of residues.
"""

import collections
import fnmatch
import glob
import json
import os
import shutil
import sys
import tempfile

import bundle
import draw
import extra
import log
import proofs
import seating
import table as kernel

import transcript
import verify
import wire
from residues import Residues, is_prime
from suites import QR2048, QR3072, SUITES, Deck
from wire import Malformed

H = bytes.fromhex
FAILED, COUNTS, READ = [], collections.Counter(), set()
FAST, SLOW = "--fast" in sys.argv[1:], ("qr", "schindelhauer", "sra3072")

# Files of which nothing is judged here, and why. Any other file that nobody reads is a failure.
NOT_JUDGED = {
    "README.md": "no vector", "event-bundle/*": "events (85.11), but that they are not known",
    "evidence.jsonl": "evidence against a log (82.4)", "keeper.jsonl": "keepers (66.8)",
    "report/*": "verdicts are compared, the words of a report are not (81)",
    "tarokk/*.json": "rules alone: whole tables are compared", "skat/*.json": "rules alone: whole tables are compared",
    "five-card-draw/rounds.json": "rules alone: whole tables are compared",
    "five-card-draw/showdowns.json": "rules alone: whole tables are compared"}


def check(folder, name, wanted, got):
    """Count a vector, and keep it if it disagrees."""
    COUNTS[folder] += 1
    if wanted != got:
        FAILED.append((folder, name, wanted, got))


def leave(why):
    """Count a vector that is not judged."""
    COUNTS[f"not judged: {why}"] += 1


def left(folder):
    """Files that nobody has read: by name those of NOT_JUDGED, all others fail."""
    for path in sorted(glob.glob(folder + "/**", recursive=True)):
        name = os.path.relpath(path, folder)
        if os.path.isdir(path) or os.path.realpath(path) in READ:
            continue
        why = [why for pattern, why in NOT_JUDGED.items() if fnmatch.fnmatch(name, pattern)]
        if why:
            leave(why[0])
        else:
            FAILED.append((folder, name, "some judgement", "nobody reads it"))


def lines(path):
    """The objects of a file of lines."""
    READ.add(os.path.realpath(path))
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def load(path):
    """The value of a JSON file."""
    READ.add(os.path.realpath(path))
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def outcome(judge, *values):
    """What comes of a judgement: `success`, `malformed` or `wrong`, or what it gives."""
    try:
        return judge(*values) or "success"
    except proofs.Refused:
        return "wrong"
    except Malformed:
        return "malformed"


# --- entries, transcripts, values, the log ---

def entries(folder):
    """entry.jsonl: those of tables; events are not this verifier's."""
    every = lines(folder + "/entry.jsonl")
    seats = next(wire.parse_entry(v["entry"].encode()).seats for v in every if v["name"] == "genesis")

    def judge(body):
        entry = wire.parse_entry(body)
        if entry.pakli.startswith("table/"):
            key = entry.organiser
        else:
            key = entry.by if entry.pakli == "act/v1" else seats[entry.seat]
        return "success" if wire.signed_by(entry, key) else "signature"
    for v in every:
        if v["name"].startswith(("event", "notice", "decision")) or v["name"] == "blob-attached":
            leave("entries of events (10.11 to 10.13), attachments")
        else:
            check("entry", v["name"], v["expect"], outcome(judge, v.get("entry", "").encode()))


def seatings(folder):
    """event/draws.jsonl: lots; event/events.jsonl: rounds at random, after those before. Others need standings."""
    for v in lines(folder + "/event/draws.jsonl"):
        check("event", v["seed"], v["lot"], seating.lot(H(v["seed"]), v["round"], v["player"]).hex())
    for v in lines(folder + "/event/events.jsonl"):
        met, had = collections.Counter(), collections.Counter()
        for number, done in enumerate(v["rounds"], 1):
            tables = [t["players"] for t in done["tables"]]
            if v["seating"][number - 1] == "random":
                here = [p["number"] for p in v["players"] if p["first"] <= number and number not in p["away"]]
                apart, clubs = v.get("apart", False), {p["number"]: p.get("club", "") for p in v["players"]}
                cost = seating.pair_costs(met, apart, clubs, v["groups"][number - 1] if "groups" in v else [])
                got = seating.seat_at_random(H(v["seeds"][number - 1]), number, here, v["sizes"], had, apart, cost)
                check("event", f"{v['event']} {number}", (tables, sorted(done["byes"])), got)
            else:
                leave("rounds by rank or by a plan")
            met.update(frozenset((p, q)) for t in tables for i, p in enumerate(t) for q in t[:i])
            had.update(done["byes"])


def values(folder):
    """transcript.jsonl, value.jsonl, group/qr3072.jsonl."""
    for v in lines(folder + "/transcript.jsonl"):
        frames = [[(item["label"], H(item.get("data", ""))) for item in v.get(name) or []]
                  for name in ("values", "sent")]
        tr = transcript.context(v.get("suite", ""), v.get("rules", ""), H(v["table"]), H(v["deck"]), H(v["keys"]),
                                v.get("deal", 0), H(v["parent"]), v.get("kind", ""), v.get("seat", 0),
                                v.get("slot", 0))
        tr.statement(v["statement"], *frames[0])
        for label, data in frames[1]:
            tr.absorb(label, data)
        same = tr.draw(v["label"]).hex() == v["challenge"]
        check("transcript", v["name"], v["expect"], "success" if same else "wrong")
    suite = SUITES["ristretto255-bayergroth/v1"]
    for v in lines(folder + "/value.jsonl"):
        check("value", v["name"], v["expect"], outcome(lambda v=v: getattr(suite, v["what"])(H(v["data"])) and None))
    for group, v in [(group, v) for name, group in (("qr2048", QR2048), ("qr3072", QR3072))
                     for v in lines(f"{folder}/group/{name}.jsonl")]:
        data = [H(part) for part in v.get("data") or []]
        if v["what"] == "hash":
            got = group.hash(*data)
        elif v["what"] == "product":
            got = group.add(group.element(data[0]), group.element(data[1]))
        elif v["what"] == "multiple":
            got = group.mul(group.scalar(data[0]), group.element(data[1]))
        else:
            element = lambda item, g=group: wire.need(len(item) == g.size and g.valid(item))
            scalar = lambda item, g=group: g.scalar(item) and None
            check("group", v["name"], v["expect"], outcome(element if v["what"] == "element" else scalar, data[0]))
            continue
        check("group", v["name"], v["result"], got.hex())


def logs(folder):
    """log.jsonl and cosignature.jsonl."""
    def judge(v):
        hashes = [H(item) for item in v.get("hashes") or []]
        if v["what"] == "checkpoint":
            known = log.is_logs(log.parse_checkpoint(v["note"].encode()), [wire.parse_key(v["log"], (1, 6))])
            return "success" if known else "unsigned"
        if v["what"] == "inclusion":
            wire.need(v.get("index", 0) < v.get("size", 0))
            same = extra.inclusion_root(H(v["leaf"]), v.get("index", 0), v["size"], hashes) == H(v["root"])
        else:
            wire.need(v.get("old", 0) <= v.get("size", 0))
            same = log.consistent(v.get("old", 0), H(v["oldRoot"]), v["size"], H(v["root"]), hashes)
        return "success" if same else "broken"
    for v in lines(folder + "/log.jsonl"):
        check("log", v["name"], v["expect"], outcome(judge, v))
    for v in lines(folder + "/cosignature.jsonl"):
        policy, note = extra.parse_policy(v["policy"]), log.parse_checkpoint(v["note"].encode())
        got = {True: "success", False: "unsatisfied", None: "unsigned"}[extra.satisfied(policy, note)]
        check("cosignature", v["name"], v["expect"], got if log.is_logs(note, policy.logs) else "unsigned")


# --- proofs ---

def proof_files(folder):
    """proof/*.jsonl."""
    for name in "schindelhauer-test/v1", "schindelhauer-test-chosen40/v1":
        SUITES[name] = extra.Arranged(name, 32)
    for path in sorted(glob.glob(folder + "/proof/*.jsonl")):
        for v in lines(path):
            if v["suite"] not in SUITES:
                leave(f"suite {v['suite']}")
            elif FAST and v["suite"].startswith(SLOW):
                leave("suites that are slow")
            else:
                judge = proof_vector if "relation" in v else deal_vector
                check("proof", f"{v['suite']} {v['name']}", v["expect"], outcome(judge, v))


def decoded(v, name):
    """The values of a list in hexadecimal."""
    return [H(text) for text in v.get(name, ())]


def card_reader(suite, deck):
    """What reads a card: its bytes, or `face` and a number."""
    return lambda text: suite.open_card(deck.elements[int(text[5:])]) if text.startswith("face") else suite.card(H(text))


def deal_vector(v):
    """Open cards, keys, the joint key, and a card that tokens open."""
    suite = SUITES[v["suite"]]
    deck = Deck(v["deckName"], v["faces"]).of(suite.group)
    opened = [suite.open_card(element) for element in deck.elements]
    encoded = [bytes([card]) if isinstance(card, int) else card if isinstance(card, bytes) else b"".join(card)
               for card in opened]
    wire.need(encoded == decoded(v, "open"), "open")
    keys, secrets = [suite.key(key) for key in decoded(v, "seatKeys")], decoded(v, "secrets")
    if isinstance(suite, Residues):
        primes = [(x[:len(x) // 2], x[len(x) // 2:]) for x in secrets]
        wire.need([(int.from_bytes(p, "big") * int.from_bytes(q, "big")).to_bytes(suite.size, "big") for p, q in primes] == keys)
        suite = suite.under(keys, len(deck.faces))
    else:
        wire.need([suite.group.base(int.from_bytes(x, "little")) for x in secrets] == keys, "keys")
    wire.need(suite.joint(keys).hex() == v["joint"], "joint")
    card = suite.card(H(v["cards"][0]))
    for token in decoded(v, "tokens"):
        card = suite.strip(card, suite.token(token))
    wire.need(suite.face(card, deck) == v.get("shows", 0), "face")


def proof_vector(v):
    """A proof, or what is disclosed of a step where the suite defers."""
    suite, proof, relation = SUITES[v["suite"]], H(v.get("proof", "")), v["relation"]
    deck = Deck(v["deckName"], v["faces"]).of(suite.group)
    suite = suite.under(decoded(v, "seatKeys"), len(deck.faces))
    joined = lambda data: b"".join(suite.key(data[at:at + suite.size]) for at in range(0, len(data), suite.size))
    read = joined if isinstance(suite, Residues) else suite.key
    card, key = card_reader(suite, deck), lambda name="key": read(H(v[name]))
    cards = lambda name="cards": [card(text) for text in v[name]]
    tr = transcript.context(v["suite"], v["rules"], H(v["table"]), H(v["deck"]), H(v["keys"]),
                            v.get("deal", 0), H(v["parent"]), v["kind"], v.get("seat", 0), v.get("slot", 0))
    tokens, faces = [suite.token(token) for token in decoded(v, "tokens")], set(v.get("set", ()))
    if suite.defers and relation != "ownership":
        return disclosed(suite, relation, key("by" if relation == "shuffle" else "key"), cards, tokens, proof)
    statement = {
        "ownership": lambda: (key(),), "reveal": lambda: (key(), cards(), tokens),
        "arrange": lambda: (key(), cards("in"), cards("out"), v["family"]),
        "mint": lambda: (key(), deck, *cards(), sorted(faces)),
        "transfer": lambda: (key("from"), key("to"), card(v["old"]), card(v["new"])),
        "shuffle": lambda: (key(), cards("in"), cards("out"), key("by") if "by" in v else None),
        "condition": lambda: (key(), deck, cards(), faces, v.get("min", 0), v.get("max", 0))}[relation]()
    if suite.asks and relation == "shuffle":
        size = int.from_bytes(proof[:2], "big")
        wire.need(len(proof) >= 2 + size and size == 32, "commitment")
        return suite.prove("answer", tr, proof[34:], *statement, (proof[2:34], [H("010203"), H("040506")]))
    return suite.prove(relation, tr, proof, *statement)


def disclosed(suite, relation, key, cards, tokens, data):
    """A lock, and the order of a shuffle, that were disclosed (33.7)."""
    size = suite.group.size
    if relation == "shuffle":
        before, after, order = cards("in"), cards("out"), list(data[size:])
        suite.shuffle_form(before, after)
        lock = suite.is_lock(data[:size], key)
        wire.need(lock is not None and sorted(order) == list(range(len(before))), "lock")
        if suite.locked(lock, [before[place] for place in order]) == after:
            return "success"
        return "order" if sorted(suite.locked(lock, before)) == sorted(after) else "wrong"
    suite.reveal_form(cards(), tokens)
    lock = suite.is_lock(data, key)
    wire.need(lock is not None, "lock")
    return "success" if suite.locked(lock, tokens) == cards() else "wrong"


def moduli(folder):
    """Keys of residues, which have no vectors but good ones: each breaks one rule of 32.1.2 or 32.1.3."""
    suite = extra.Arranged("schindelhauer-test/v1", 32)
    deal = next(v for v in lines(folder + "/proof/schindelhauer-test-v1.jsonl") if v["name"] == "deal")
    good, other = decoded(deal, "seatKeys")[:2]
    p, q = (int.from_bytes(decoded(deal, "secrets")[0][at:at + 16], "big") for at in (0, 16))
    number = int.from_bytes(good, "big")
    written = lambda value: value.to_bytes(32, "big")
    first = lambda start, step, fits: next(value for value in range(start, 1 << 256, step) if fits(value))
    small = lambda value: any(value % d == 0 for d in range(3, 1 << 16, 2))
    tried = {"good": (good, "success"), "short": (good[1:], "malformed"), "long": (b"\0" + good, "malformed"),
             "highest bit": (written(number >> 1 | 1), "malformed"), "3 modulo 4": (written(number + 2), "malformed"),
             "small factor": (written(first(number + 4, 4, lambda v: v % 65_521 == 0)), "malformed"),
             "prime": (written(first(1 << 255 | 1, 4, is_prime)), "malformed"),
             "square": (written(first(3 << 126 | 1, 2, lambda v: not small(v)) ** 2), "malformed"),
             "other": (written(first(number + 4, 4, lambda v: not small(v) and not is_prime(v))), "success")}
    for name, (data, wanted) in tried.items():
        check("modulus", name, wanted, outcome(lambda data=data: suite.key(data) and None))
    check("modulus", "of its own primes", (True, number), (is_prime(p) and is_prime(q), p * q))
    shared = written(first(1 << 127 | 3, 2, is_prime) * p)
    check("modulus", "common factor", (True, True, False), tuple(suite.clashes(good, [key]) for key in (good, shared, other)))


# --- tables and bundles ---

def bundles(folder):
    """bundle/vectors.json."""
    for v in load(folder + "/bundle/vectors.json"):
        READ.add(os.path.realpath(f"{folder}/bundle/{v['file']}"))
        keys, path = [wire.parse_key(key, (1, 6)) for key in v["log"]], f"{folder}/bundle/{v['file']}"
        report = verify.verify(path, keys)[0]
        against = [v["against"]] if isinstance(v.get("against"), str) else v.get("against") or []
        try:
            if (v.get("policy") or against) and "verdict" in report:
                source = verify.read_source(path, keys)
                for other in against:
                    extra.compare(source, verify.read_source(f"{folder}/bundle/{other}", keys))
                if v.get("policy") and not extra.satisfied(extra.parse_policy(v["policy"]), source.checkpoint):
                    raise log.CannotCheck("policy", "L4-cosigners")
        except log.CannotCheck as error:
            report = verify.cannot("", error)
        failed = report.get("check") or (report.get("findings") or [{}])[0].get("check")
        got = (report.get("verdict") or "cannot check", failed if v.get("check") else None)
        check("bundle", v["file"], (v["outcome"], v.get("check")), got)


def events(folder):
    """event-bundle: what is not known is not said to be altered, nor to be missing."""
    for v in load(folder + "/event-bundle/vectors.json"):
        path = f"{folder}/event-bundle/{v['event']}"
        with open(path, "rb") as file:
            if file.read(22) == b"pakli-bundle/v2\nevent ":
                keys = [wire.parse_key(v["log"], (1, 6))]
                check("event bundle", v["event"], {"table": v["event"], "error": bundle.NO_EVENTS}, verify.verify(path, keys)[0])
    with tempfile.TemporaryDirectory() as directory:
        later = os.path.join(directory, "later.pakli")
        with open(later, "wb") as file:
            file.write(b"pakli-bundle/v3\ntable of a later version\n")
        check("event bundle", "a later format", "bundles of version 3 are not known here", verify.verify(later, keys)[0]["error"])
        shutil.copy(path, os.path.join(directory, "event.pakli"))
        check("event bundle", "a directory", bundle.NO_EVENTS, verify.verify(directory, keys)[0]["error"])


class Shown:
    """A source that shows these entries."""
    whole = True

    def __init__(self, shown):
        self.entries = dict(enumerate(shown))

    def blob(self, _):
        """No table of the vectors has blobs."""

    mark = blob  # and none has marks


def tables(folder):
    """table/*variants.jsonl."""
    for path in sorted(glob.glob(folder + "/table/*variants.jsonl")):
        for v in lines(path):
            base = [text.encode() for text in lines(f"{folder}/{v['base']}")]
            if "/asked" in v["base"]:
                leave("challenges that seats choose (43)")
                continue
            check("table", v["name"], wanted_of(v), got_of(v, base))


def wanted_of(v):
    """What a variant expects."""
    foul = v.get("verdict") == "foul"
    blame = (v["check"], v.get("at", 0), v.get("seat", 0)) if foul else None
    return v.get("verdict") or None, v.get("applied", 0), v.get("void", 0), v.get("result"), blame


def got_of(v, shown):
    """What comes of a variant."""
    identity, at, change = wire.entry_hash(shown[0]), v.get("at", 0), v.get("change")
    root = log.tree_root([H(wire.entry_hash(data)) for data in shown])
    if change == "cut":
        shown = shown[:at]
    elif change in ("replace", "altered"):
        shown = shown[:at] + [v["entry"].encode()] + shown[at + 1:]
    elif change == "insert":
        shown = shown[:at] + [v["entry"].encode()] + shown[at:]
    if change == "altered" and log.tree_root([H(wire.entry_hash(data)) for data in shown]) != root:
        return "log broken", v.get("applied", 0), v.get("void", 0), None, None
    try:
        report = verify.replay(Shown(shown), identity)
    except log.CannotCheck:
        return None, v.get("applied", 0), v.get("void", 0), None, None
    foul = report.get("findings", [None])[0]
    return (report["verdict"], report["applied"], report["void"], report.get("result"),
            foul and (foul["check"], foul["index"], foul["seat"]))


# --- rules without cryptography ---

def chips(folder):
    """five-card-draw/*.json: hands, pots, totals, prizes."""
    of = lambda name: load(f"{folder}/five-card-draw/{name}.json")
    for v in of("hands"):
        one, other = (draw.strength([draw.NAMES.index(face) for face in v[side]], v.get("wheel", True)) for side in "xy")
        check("five-card-draw", v["id"], v["than"], ">" if one > other else "=" if one == other else "<")
    for v in of("pots"):
        back = draw.uncalled(v["paid"])
        found = draw.pots([paid - more for paid, more in zip(v["paid"], back)], v["live"])
        hands = {seat: (v["strength"][seat],) for seat in v["live"]}
        received, _ = draw.award(found, hands, len(back), v["dealer"])
        got = [{"chips": pot.chips, "claimants": pot.claimants} for pot in found]
        check("five-card-draw", v["id"], (v["back"], v["receives"], v["pots"]),
              (back, [a + b for a, b in zip(received, back)], got))
    for v in of("totals"):
        state = kernel.SimpleNamespace(**{name: v[name] for name in ("height", "step", "count")})
        got = draw.totals(v["limit"], v["unit"], v["unit"], 4, state, v["own"], v["stack"], v["middle"])
        check("five-card-draw", v["id"], (v["least"], v["greatest"]), got)
    for v in of("prizes"):
        left = [seat["chips"] if not seat["deal"] else 0 for seat in v["standings"]]
        out = {seat: (one["deal"], one["chips"], v["dealer"]) for seat, one in enumerate(v["standings"]) if one["deal"]}
        got = [prize - v["stack"] for prize in draw.prizes(left, out, v["prizes"], v["stack"], v["dealer"])]
        check("five-card-draw", v["id"], v["result"], got)


def main():
    """The command."""
    here = os.path.dirname(os.path.abspath(__file__))
    given = [word for word in sys.argv[1:] if word != "--fast"]
    folder = given[0] if given else os.path.join(here, "..", "..", "docs", "spec", "vectors")
    for part in (entries, values, logs, moduli, proof_files, bundles, events, seatings, tables, chips, left):
        part(folder)
    for failure in FAILED:
        print(*failure, sep="\n   ")
    for what, count in sorted(COUNTS.items()):
        print(f"{count:6} {what}")
    print(f"{len(FAILED)} disagree")
    sys.exit(1 if FAILED else 0)


if __name__ == "__main__":
    main()
