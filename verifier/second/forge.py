#!/usr/bin/python3
"""Logs that this program proves itself, with stacked decks, false proofs and wrong last moves (tests).

    forge.py [--bin DIR] [--seed N] [--rounds N] [--tables N]

A game that the program `play` has played says who moved and how. The forger has all seats, with keys, secrets,
masks and proofs of its own (provers.py), and stacks the deck so that the same cards come. Where it keeps to the rules the
result must be the same. Otherwise it does one thing that is wrong; it says what must be found, and both verifiers are asked.
"""

import argparse
import hashlib
import os
import random
import sys
import tempfile
from collections import Counter

import table as kernel
import wire
from agree import Branch, all_theirs, compare, opens, play_all
from branches import play_copy
from game import RuleError
from mutants import alter_json, field, replace
from proofs import joined
from provers import ORDER, Prover, raw
from suites import RISTRETTO as G
from tools import tools_class
from wire import Obj, dumps
from writing import B64, Signer, genesis_entry, write_mirror

MASKS, LOCKS, OPEN = "ristretto255-bayergroth/v1", "sra255-bayergroth/v1", "sra255-disclosed/v1"
SHUFFLES = {MASKS: "shuffle", "ristretto255-bayergroth/v2": "two_columns", "ristretto255-tereliuswikstrom/v1": "terelius",
            "ristretto255-cutandchoose/v1": "cut_and_choose"}
TABLES = [("tarokk", MASKS, 4, {"preset": "cup"}), ("tarokk", MASKS, 4, {}), ("skat", MASKS, 3, {"ramsch": "schieber"}), ("skat", MASKS, 3, {}),
          ("schwarzer-peter", MASKS, 2, {"rules": "article"}), ("schwarzer-peter", MASKS, 3, {}),
          ("schwarzer-peter", "ristretto255-bayergroth/v2", 2, {"rules": "article"}),
          ("schwarzer-peter", "ristretto255-tereliuswikstrom/v1", 3, {}),
          ("schwarzer-peter", "ristretto255-cutandchoose/v1", 2, {"rules": "article"}),
          ("five-card-draw", MASKS, 2, {}), ("five-card-draw", LOCKS, 3, {}), ("five-card-draw", OPEN, 2, {}), ("draw", OPEN, 3, {})]
LEAST = 60  # logs of a round: each table has some that every game of it can be made to
# What is wrong, the kinds of messages that can be so, and the check that finds it.
WRONG = {"nothing": ((), ""), "owner": (("key",), "P1-ownership"), "twice": (("shuffle", "permute"), "P2-shuffle"),
         "token": (("show", "move"), "P3-reveal"), "given": (("give", "return"), "P4-transfer"),
         "condition": (("move",), "P5-condition"), "rules": (("move",), "E4-rules"), "face": (("move",), "E7-face"),
         "locked": (("shuffle",), "D2-step"), "unlocked": (("show",), "D2-step"), "order": (("disclose",), "D1-lock"),
         "scalar": (("disclose",), "D1-lock"), "disputed": (("show", "move"), "D3-dispute")}


class Source:
    """A game that was played: its messages, what was open before each, and what their conditions are."""

    def __init__(self, game):
        self.genesis, self.terms, self.entries = game.genesis, game.what, game.entries
        self.values = [wire.parse_json(entry.split(b"\n\n")[0].decode()) for entry in game.entries]
        table = kernel.Table(game.genesis, 0, lambda name: game.find.get(name.hash))
        self.known, self.claims, self.deals, self.faces, self.hands = [{}], [[]], [0], {}, {}
        self.ambiguous = set()  # the moves that the rules accept with another face as well
        for index, entry in enumerate(map(wire.parse_entry, game.entries[1:]), 1):
            if entry.kind == "permute":
                step = next(step for step in table.steps if (step.kind, step.seats[0]) == ("permute", entry.seat))
                self.hands.setdefault(table.begun, []).append((index, list(step.cards)))
            self.known.append(dict(table.faces))
            self.deals.append(table.begun)
            claims = terms_of(table, entry.seat, field(entry.body, "move"))[1] if entry.kind == "move" else []
            if entry.kind == "move" and has_other_face(table, entry.seat, field(entry.body, "move")):
                self.ambiguous.add(index)
            self.claims.append([(claim, self.is_early(claim, index, table.begun)) for claim in claims])
            deal, steps = table.begun, len(table.play.history)
            assert table.feed(index, entry) == ("applied", None)
            for faces in [table.faces] if table.begun == deal else [step[2] for step in table.play.history[steps:]]:
                self.faces.setdefault(deal, {}).update(faces)
        self.result, self.deck = table.result(), table.deck

    def is_early(self, claim, index, deal):
        """Whether a condition is about cards as they lay before their hand was permuted (50.8)."""
        permuted = {card for number, cards in self.hands.get(deal, []) if number < index for card in cards}
        return claim.dealt or not permuted & set(claim.cards)

    def stack(self, rng, false=None):
        """The faces of each deal so that all conditions hold; or those before the message `false`, and not its own."""
        last = len(self.values) if false is None else false
        shown = {}
        for deal in self.faces:
            hold = [claim for number in range(last) for claim in self.claims[number] if self.deals[number] == deal]
            lies = false is not None and deal == self.deals[false]
            hands = [cards for number, cards in self.hands.get(deal, []) if not lies or number < false]
            known = self.known[false] if lies else self.faces[deal]
            shown[deal] = self.arranged(rng, known, hands, hold, self.claims[false] if lies else [])
        return None if None in shown.values() else shown

    def arranged(self, rng, known, hands, hold, false):
        """Faces as dealt and as they lie in the end, where some are known, so that conditions hold, and not all of `false`."""
        every = range(len(self.deck.faces))
        free = [card for card in every if card not in known]
        rest = [face for face in every if face not in known.values()]
        for _ in range(30):
            rng.shuffle(rest)
            late = {**known, **dict(zip(free, rest))}
            early = dict(late)
            for _ in range(300):
                bad = [claim for claim in hold if not is_true(claim, early, late)]
                if not bad and not (false and all(is_true(claim, early, late) for claim in false)):
                    return early, late
                one = rng.choice([card for claim, _ in bad or false for card in claim.cards])
                hand = next((cards for cards in hands if one in cards), [])
                if one in free and (len(free) > len(hand) < 2 or rng.random() < 0.5):
                    swap_faces(early, late, late[one], late[rng.choice(free)])
                elif hand:
                    two = rng.choice(hand)
                    early[one], early[two] = early[two], early[one]
        return None


def swap_faces(early, late, one, two):
    """Let two faces change their places."""
    for faces in (early, late):
        at = {face: card for card, face in faces.items()}
        faces[at[one]], faces[at[two]] = two, one


def is_true(claim, early, late):
    """Whether a condition holds of these faces."""
    claim, is_early = claim
    shown = early if is_early else late
    return claim.low <= sum(shown[card] in claim.faces for card in claim.cards) <= claim.high


def terms_of(table, seat, move):
    """What a move turns up and proves; RuleError if the rules do not accept it."""
    trial = play_copy(table.play)
    trial.advance((seat, move, dict(table.faces)))
    return list(trial.game.opened), [claim for claim in trial.game.claims if claim.says_something()]


def has_other_face(table, seat, move):
    """Whether the rules accept a move also with another face of a card that it turns up."""
    names = table.deck.faces
    for _, face in terms_of(table, seat, move)[0]:
        for name in names:
            try:
                terms_of(table, seat, swapped(move, names[face], name))
                if name != names[face]:
                    return True
            except RuleError:
                continue
    return False


class Forger:
    """A table whose seats are all the forger's."""

    def __init__(self, rng, source, wrong, place, shown):
        self.rng, self.source, self.wrong, self.place, self.shown = rng, source, wrong, place, shown
        self.prover, count = Prover(rng), len(source.genesis.seats)
        self.signers = [Signer(f"seat-{seat}", rng.randbytes(32)) for seat in range(count)]
        self.organiser, self.blobs = Signer("organiser", rng.randbytes(32)), {}
        entry = genesis_entry(self.organiser, self.signers, source.terms, rng.randbytes(16))
        self.table = kernel.Table(wire.parse_entry(entry), 0, lambda name: self.blobs.get(name.hash))
        self.log, self.suite = Branch(self.table, [entry], {}), self.table.suite
        self.secrets, self.orders, self.lying = [None] * count, {}, []

    def play(self):
        """The messages of the source, until the one that is wrong; then what is owed, until it is found."""
        for number, value in enumerate(self.source.values[1:], 1):
            wrong = self.wrong if number == self.place else ""
            seat, kind = field(value, "seat"), field(value, "kind")
            if self.table.dispute:
                break
            came = self.post(seat, kind, wrong, field(value, "body"))
            if came == "foul":
                return
            assert came == "applied", (number, kind, self.log.says)
        while not self.table.foul and self.table.owing():
            seat, kind = self.table.owing()[0]
            assert kind == "disclose" and self.post(seat, kind, "", None) in ("applied", "foul")

    def post(self, seat, kind, wrong, body):
        """Make a message and sign it; what comes of it."""
        kind = "dispute" if wrong == "disputed" else kind
        make = {"return": self.give, "permute": self.shuffle}.get(kind) or getattr(self, kind)
        fields, proofs = make(seat, kind, wrong, body)
        value = Obj([("pakli", "message/v1"), ("table", self.table.id), ("parent", self.table.head), ("seat", seat),
                     ("kind", kind), ("body", Obj(fields)), ("proofs", [self.named(proof) for proof in proofs])])
        return self.log.add(self.signers[seat].sign(dumps(value) + "\n"))

    def named(self, proof):
        """A proof as an entry has it: a long one is a blob."""
        if len(proof) <= wire.MAX_INLINE:
            return B64(proof)
        name = hashlib.sha256(proof).hexdigest()
        self.blobs[name] = proof
        return f"sha256:{name}:{len(proof)}"

    def step(self, seat, kind):
        """The step that is owed."""
        return next(step for step in self.table.steps if (step.kind, step.seats[0]) == (kind, seat))

    def key(self, seat, _kind, wrong, _body):
        x = self.secrets[seat] = self.prover.some()
        proof = self.prover.ownership(self.table.context("key", seat, 0), x + (wrong == "owner"))
        return [("key", B64(G.base(x)))], [proof]

    def shuffle(self, seat, kind, wrong, _body):
        """A shuffle; the last of a deal stacks it. A wrong one has a card twice, or one that is none."""
        table, step = self.table, self.step(seat, kind)
        before, x = [table.cards[card][0] for card in step.cards], self.secrets[seat]
        pi = list(range(len(before)))
        if kind == "shuffle":
            if step.seats == table.order:
                self.lying = list(pi)
            if len(step.seats) == 1:
                pi = [self.lying.index(self.shown[table.begun][0][card]) for card in step.cards]
            else:
                self.rng.shuffle(pi)
            self.lying = [self.lying[place] for place in pi]
            self.orders[seat, table.begun] = pi, x
        else:
            early, late = self.shown[table.begun]
            pi = [step.cards.index(next(card for card in step.cards if early[card] == late[other])) for other in step.cards]
        taken = [pi[1], *pi[1:]] if wrong == "twice" else pi
        tr = table.context(kind, seat, 0)
        if self.suite.per_deal:
            after = self.suite.locked(x, [before[place] for place in taken])
            if wrong == "locked":
                spot = self.rng.randrange(len(after))
                after[spot] = G.mul(self.prover.some(), after[spot])
            proofs = [] if self.suite.defers else [self.prover.lock(tr, x, before, after, pi)]
            return [("cards", list(map(B64, after)))], proofs
        key = table.keys[seat] if kind == "permute" else G.sum([table.keys[other] for other in table.order])
        rho = self.prover.some(len(before))
        after = [(G.add(before[i][0], G.base(r)), G.add(before[i][1], G.mul(r, key))) for i, r in zip(taken, rho)]
        prove = getattr(self.prover, SHUFFLES[self.suite.name])
        return [("cards", [B64(joined([card])) for card in after])], [prove(tr, key, before, after, pi, rho)]

    def show(self, seat, kind, wrong, _body):
        step = self.step(seat, kind)
        owed = [card for card in step.cards if step.to[card] != seat and seat not in self.table.cards[card][1]]
        tokens, proofs = self.tokens(seat, kind, owed, wrong)
        return [("tokens", tokens)], proofs

    def tokens(self, seat, kind, cards, wrong):
        """Tokens for cards, of which a wrong secret may have made the last, and their proof."""
        values, x = [self.table.cards[card][0] for card in cards], self.secrets[seat]
        token = (lambda x, card: G.mul(pow(x, -1, ORDER), card)) if self.suite.per_deal else (lambda x, card: G.mul(x, card[0]))
        found = [token(x, value) for value in values]
        if found and wrong in ("token", "unlocked"):
            found[-1] = token(x + 1, values[-1])
        tr = self.table.context(kind, seat, 0)
        prove = self.prover.unlock if self.suite.per_deal else self.prover.reveal
        return list(map(B64, found)), [prove(tr, x, values, found)] if cards and not self.suite.defers else []

    def give(self, seat, kind, wrong, _body):
        table, step, x, proofs, sent = self.table, self.step(seat, kind), self.secrets[seat], [], []
        receiver = table.keys[step.to] if kind == "give" else G.sum([table.keys[other] for other in table.order])
        for slot, card in enumerate(step.cards):
            old, r = table.cards[card][0], self.prover.some()
            new = (G.base(r), G.add(G.sub(old[1], G.mul(x, old[0])), G.mul(r, receiver)))
            if wrong == "given" and slot == 0:
                new = (new[0], G.add(new[1], G.generator))
            proofs.append(self.prover.transfer(table.context(kind, seat, slot), x, receiver, old, new, r))
            sent.append(B64(joined([new])))
        return [("cards", sent)], proofs

    def move(self, seat, kind, wrong, body):
        """A move of the source, or one that is not allowed, or with a face that a card does not have."""
        move, table = field(body, "move"), self.table
        if wrong == "rules":
            move = self.refused(seat, move)
        elif wrong == "face":
            move = self.other_face(seat, move)
        opened, claims = ([], []) if wrong == "rules" else terms_of(table, seat, move)
        tokens, proofs = self.tokens(seat, kind, [card for card, _ in opened], wrong)
        for claim in claims:
            values = [table.dealt[card][1] if claim.dealt else table.cards[card][0] for card in claim.cards]
            lying = self.shown[table.begun][not self.is_early(claim)]
            shown, tr = [lying[card] for card in claim.cards], table.context(kind, seat, len(proofs))
            proofs.append(self.prover.condition(tr, self.secrets[seat], table.deck, values, shown, claim.faces, claim.low, claim.high))
        return [("move", move), ("tokens", tokens)], proofs

    def is_early(self, claim):
        """Whether a condition of the next message is about cards that are not permuted yet."""
        return self.source.is_early(claim, len(self.log.entries), self.table.begun)

    def refused(self, seat, move):
        """A move like this one that the rules do not accept."""
        while True:
            other = alter_json(self.rng, move, ["pass", "take", "solo", "18", "fold", "N"])
            try:
                terms_of(self.table, seat, Obj(other))
            except RuleError:
                if isinstance(other, Obj) and canonical(other):
                    return other

    def other_face(self, seat, move):
        """The move with a face that is another card's, and of which all conditions are true."""
        opened, _ = terms_of(self.table, seat, move)
        names = self.table.deck.faces
        for card, face in opened:
            for name in self.rng.sample(list(names), len(names)):
                other = swapped(move, names[face], name) if name != names[face] else move
                try:
                    turned, claims = terms_of(self.table, seat, other)
                except RuleError:
                    continue
                if (card, face) not in turned and all(
                        is_true((claim, self.is_early(claim)), *self.shown[self.table.begun]) for claim in claims):
                    return other
        return None

    def disclose(self, seat, _kind, wrong, _body):
        deals = []
        for lock in self.table.undisclosed(seat):
            order, x = self.orders[seat, lock.deal]
            order = list(order)
            if wrong == "order":
                order[0], order[1] = order[1], order[0]
            scalar = raw(x + (wrong == "scalar"))
            deals.append(Obj([("deal", lock.deal), ("lock", B64(scalar)), ("order", B64(bytes(order)))]))
        return [("deals", deals)], []

    def dispute(self, seat, _kind, _wrong, _body):
        return [("card", next(card for card in range(len(self.table.cards)) if self.table.holds(seat, card)))], []


def canonical(value):
    """Whether a value is read as it is written."""
    try:
        return dumps(wire.parse_json(dumps(value))) == dumps(value)
    except wire.Malformed:
        return False


def swapped(value, old, new):
    """A JSON value with another string in place of one."""
    if isinstance(value, list):
        return type(value)(tuple([item[0], swapped(item[1], old, new)]) if isinstance(item, tuple) else swapped(item, old, new)
                           for item in value)
    return new if value == old and isinstance(value, str) else value


def places(source, wrong):
    """The messages of a source that can be wrong in this way."""
    defers = source.terms["suite"] == OPEN
    if (wrong in ("locked", "unlocked", "order", "scalar", "disputed")) != defers and wrong not in ("nothing", "owner", "twice", "rules", "face"):
        return []
    found = []
    for number, value in enumerate(source.values[1:], 1):
        body, kind = field(value, "body"), field(value, "kind")
        fits = kind in WRONG[wrong][0]
        if wrong == "condition":
            fits = fits and source.claims[number]
        elif wrong in ("token", "unlocked", "face"):
            fits = fits and field(body, "tokens") and (wrong != "face" or number in source.ambiguous)
        elif wrong == "disputed":
            fits = fits and kind == "move"
        if fits:
            found.append(number)
    return found


def forge(rng, source, wrong):
    """A log with this wrong, or nothing if no deck fits a message that is so."""
    able = [None] if wrong == "nothing" else places(source, wrong)
    for place in rng.sample(able, len(able)):
        shown = source.stack(rng, place if wrong == "condition" else None)
        if shown is None:
            continue
        forger = Forger(rng, source, wrong, place, shown)
        if wrong == "face" and not fits_face(forger, place):
            continue
        forger.play()
        return forger
    return None


def fits_face(forger, place):
    """Whether another face can be said of a card that this message turns up."""
    until = Forger(random.Random(0), forger.source, "", None, forger.shown)
    for value in until.source.values[1:place]:
        until.post(field(value, "seat"), field(value, "kind"), "", field(value, "body"))
    value = until.source.values[place]
    return until.other_face(field(value, "seat"), field(field(value, "body"), "move")) is not None


def sources(options, number):
    """A game of each table, or of some that the seed chooses."""
    found = []
    for place in sorted(random.Random(f"{options.seed}/{number}").sample(range(len(TABLES)), options.tables)):
        game, suite, seats, chosen = TABLES[place]
        terms = {"game": game, "suite": suite, "seats": seats, "options": chosen, "deals": 1, "fouls": "record", "ends": None}
        assert opens(terms)
        found.append((random.Random(f"{options.seed}/{number}/{place}"), terms))
    return [Source(game) for game in play_all(options.bin, found)]


def check(forger, report, steps, first):
    """What differs between what must be found and what the verifiers say."""
    expected, source = WRONG[forger.wrong][1], forger.source
    own = forger.log.own()
    found = own.get("findings", [{}])[0].get("check", "")
    wrong = compare(forger.log, report, steps, first)
    if found != expected or not expected and own.get("result") != source.result:
        wrong.append(("expected", expected or source.result, found or own.get("result")))
    return wrong


def forge_tools(options, count):
    """Tables of the toolbox with acts, and what differs between what both verifiers say of them."""
    make = tools_class(Forger, terms_of, SHUFFLES)
    made = [make(random.Random(f"{options.seed}/tools/{number}"), number) for number in range(count)]
    entries, firsts, blobs, came = [], {}, {}, Counter()
    for forger in made:
        forger.play(60)
        firsts[forger.table.id] = len(entries)
        entries += forger.log.entries
        blobs.update(forger.blobs)
        came.update(f"{kind} {what}" for kind, what in forger.came)
    found = judged(options.bin, entries, blobs, firsts)
    differ = [(forger, compare(forger.log, *found[forger.table.id], firsts[forger.table.id])) for forger in made]
    print(f"{count} tables of the toolbox: {dict(sorted(came.items()))}")
    return [(forger.terms, *wrong[:3]) for forger, wrong in differ if wrong]


def judged(binary, entries, blobs, firsts):
    """What pakli-verify says of the tables of a log."""
    with tempfile.TemporaryDirectory() as directory:
        write_mirror(directory, entries, blobs.values())
        return all_theirs(binary, directory, firsts)


def main():
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default="", help="directory of the programs; where the shell finds them")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10 ** 6))
    parser.add_argument("--rounds", type=int, default=1, help="games of each table, of which all is forged that can be")
    parser.add_argument("--tables", type=int, default=len(TABLES), help="so many of the tables in a round")
    options = parser.parse_args()
    print(f"seed {options.seed}")
    planned, count, disagree, forged, missing = 0, 0, 0, {}, []
    for number in range(options.rounds):
        for source in sources(options, number):
            able = [wrong for wrong in WRONG if wrong == "nothing" or places(source, wrong)]
            forgers = [forge(random.Random(f"{options.seed}/{number}/{wrong}"), source, wrong) for wrong in able]
            planned += len(able)
            missing += [(source.terms, wrong) for wrong, forger in zip(able, forgers) if not forger]
            entries, firsts, blobs = [], {}, {}
            for forger in filter(None, forgers):
                firsts[forger.table.id] = len(entries)
                entries += forger.log.entries
                blobs.update(forger.blobs)
            found = judged(options.bin, entries, blobs, firsts)
            for forger in filter(None, forgers):
                differ = check(forger, *found[forger.table.id], firsts[forger.table.id])
                count, disagree = count + 1, disagree + bool(differ)
                forged[forger.wrong] = forged.get(forger.wrong, 0) + 1
                if differ:
                    print("DISAGREE", source.terms, forger.wrong, forger.place, *differ[:3], sep="\n   ", flush=True)
    print(f"{count} of {planned} logs that there should be, {disagree} disagree: {forged}")
    for terms, wrong in missing:
        print("NOT MADE", wrong, terms)
    tools = forge_tools(options, -(-8 * options.rounds * options.tables // len(TABLES)))
    for differ in tools:
        print("DISAGREE", *differ, sep="\n   ")
    least = LEAST * options.rounds if options.tables == len(TABLES) else 2 * options.rounds * options.tables
    if count < least:
        print(f"fewer than {least} logs")
    sys.exit(1 if disagree or tools or missing or count < least else 0)


if __name__ == "__main__":
    main()
