#!/usr/bin/python3
"""Logs that this program plays and proves itself, with stacked decks and wrong last moves (tests).

    forge.py [--bin DIR] [--seed N] [--logs N]

Both seats of a table of Schwarzer Peter are the forger's, who knows every card: he says of each log what must
come of it, and both verifiers are asked. The provers are those of 40.2 to 40.5.
"""

import argparse
import os
import random
import tempfile

import table as kernel
import verify
import wire
from agree import B64, LOG, Signer, theirs, write_mirror
from proofs import commit, joined, powers, shuffle_frames
from suites import RISTRETTO as G
from wire import Obj, dumps

ORDER = G.order
raw = lambda number: (number % ORDER).to_bytes(32, "little")


class Prover:
    """Honest provers of chapter 40; `rng` draws what is random."""

    def __init__(self, rng):
        self.rng = rng

    def some(self, count=None):
        """A random scalar, or a list of them."""
        one = lambda: self.rng.randrange(1, ORDER)
        return one() if count is None else [one() for _ in range(count)]

    def ownership(self, tr, x):
        """40.2."""
        tr.statement("ownership/v1", ("key", G.base(x)))
        w = self.some()
        tr.absorb("T", G.base(w))
        return G.base(w) + raw(w + tr.scalar("c", ORDER) * x)

    def reveal(self, tr, x, cards, tokens):
        """40.3."""
        tr.statement("reveal/v1", ("key", G.base(x)), ("cards", joined(cards)), ("tokens", tokens))
        alphas, w = [1] + [tr.scalar("alpha", ORDER) for _ in cards[1:]], self.some()
        t1, t2 = G.base(w), G.mul(w, G.combine(*((alpha, card[0]) for alpha, card in zip(alphas, cards))))
        tr.absorb("T1", t1)
        tr.absorb("T2", t2)
        return t1 + t2 + raw(w + tr.scalar("c", ORDER) * x)

    def transfer(self, tr, x, receiver, old, new, r):
        """40.4."""
        frames = ("from", G.base(x)), ("to", receiver), ("old", joined([old])), ("new", joined([new]))
        tr.statement("transfer/v1", *frames)
        v, w = self.some(2)
        sent = [G.base(v), G.base(w), G.combine((w, receiver), (-v, old[0]))]
        for label, value in zip(("T1", "T2", "T3"), sent):
            tr.absorb(label, value)
        c = tr.scalar("c", ORDER)
        return b"".join(sent) + raw(v + c * x) + raw(w + c * r)

    def shuffle(self, tr, key, before, after, pi, rho):
        """40.5: π is a list of places from 0, and after_i is before_π(i) with the factor ρ_i."""
        n = len(before)
        tr.statement(*shuffle_frames("shuffle/bayer-groth/v1", key, before, after))
        pi, (r, s, r_d, s_1, s_x, r_0, tau) = [place + 1 for place in pi], self.some(7)
        a_ = commit(G, pi, r)
        tr.absorb("A", a_)
        x = tr.scalar("x", ORDER)
        b = [pow(x, place, ORDER) for place in pi]
        b_ = commit(G, b, s)
        tr.absorb("B", b_)
        y, z = tr.scalar("y", ORDER), tr.scalar("z", ORDER)
        d = [(y * place + value - z) % ORDER for place, value in zip(pi, b)]
        p = [d[0]]
        for value in d[1:]:
            p.append(p[-1] * value % ORDER)
        d2, a = self.some(n), self.some(n)
        delta = [d2[0], *self.some(n - 2), 0]
        values = {"C_d": commit(G, d2, r_d),
                  "C_delta": commit(G, [-delta[i] * d2[i + 1] for i in range(n - 1)], s_1),
                  "C_Delta": commit(G, [delta[i + 1] - d[i + 1] * delta[i] - p[i] * d2[i + 1] for i in range(n - 1)], s_x),
                  "C_0": commit(G, a, r_0)}
        e = [G.add(G.base(tau) if side == 0 else G.mul(tau, key), G.combine(*zip(a, (card[side] for card in after))))
             for side in (0, 1)]
        for label, value in values.items():
            tr.absorb(label, value)
        tr.absorb("E", *e)
        c = tr.scalar("c", ORDER)
        tilde_b = [c * one + other for one, other in zip(p, delta)]
        scalars = [*(c * one + two for one, two in zip(d, d2)), *tilde_b[1:-1], *(c * one + two for one, two in zip(b, a)),
                   c * (y * r + s) + r_d, c * s_x + s_1, c * s + r_0, tau - c * sum(u * v for u, v in zip(rho, b))]
        return b"".join([a_, b_, *values.values(), *e]) + b"".join(map(raw, scalars))


class Forger:
    """A table whose seats are all the forger's."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.prover = Prover(self.rng)
        signers = [Signer(name, self.rng.randbytes(32)) for name in ("organiser", "anna", "bela")]
        self.signers, nonce = signers[1:], B64(self.rng.randbytes(16))
        genesis = Obj([("pakli", "table/v1"), ("game", "schwarzer-peter/v1"), ("suite", "ristretto255-bayergroth/v1"),
                       ("options", Obj([("rules", "article")])), ("deals", 1), ("fouls", "record"),
                       ("clock", Obj([("key", ""), ("move", 0), ("bank", 0)])), ("organiser", signers[0].vkey),
                       ("seats", [signer.vkey for signer in self.signers]), ("nonce", nonce)])
        self.entries = [signers[0].sign(dumps(genesis) + "\n")]
        self.table = kernel.Table(wire.parse_entry(self.entries[0]), 0, lambda name: None)
        self.secrets = self.prover.some(2)

    def post(self, seat, kind, body, proofs):
        """Sign a message on the head, and apply it."""
        value = Obj([("pakli", "message/v1"), ("table", self.table.id), ("parent", self.table.head), ("seat", seat),
                     ("kind", kind), ("body", Obj(body)), ("proofs", [B64(proof) for proof in proofs])])
        self.entries.append(self.signers[seat].sign(dumps(value) + "\n"))
        return self.table.feed(len(self.entries) - 1, wire.parse_entry(self.entries[-1]))

    def face(self, card):
        """The face of a card, which the forger can always read."""
        (a, b), off = self.table.cards[card]
        for seat in {0, 1} - off:
            b = G.sub(b, G.mul(self.secrets[seat], a))
        return self.table.deck.shows[b]

    def step(self, wrong=None):
        """What is owed next, honestly, or with something wrong; gives what came of it."""
        seat, kind = self.table.owing()[0]
        x, tr = self.secrets[seat], self.table.context(kind, seat, 0)
        if kind == "key":
            proof = self.prover.ownership(tr, x if wrong != "proof" else x + 1)
            return self.post(seat, kind, [("key", B64(G.base(x)))], [proof])
        if kind == "move":
            return self.move(seat, wrong)
        duty = next(step for step in self.table.steps if step.seats[0] == seat)
        cards = duty.cards
        if kind == "show":
            cards = [card for card in cards if duty.to[card] != seat and seat not in self.table.cards[card][1]]
            return self.tokens(seat, kind, [], cards, wrong)
        before = [self.table.cards[card][0] for card in cards]
        if kind == "give":
            r, receiver = self.prover.some(), self.table.keys[duty.to]
            a, b = before[0]
            masked = (G.base(r), G.add(G.sub(b, G.mul(x, a)), G.mul(r, receiver)))
            if wrong == "card":
                masked = (masked[0], G.add(masked[1], G.generator))
            proof = self.prover.transfer(tr, x, receiver, before[0], masked, r)
            return self.post(seat, kind, [("cards", [B64(joined([masked]))])], [proof])
        key = self.table.keys[seat] if kind == "permute" else G.sum(self.table.keys)
        return self.shuffled(seat, kind, tr, key, before, wrong)

    def shuffled(self, seat, kind, tr, key, before, wrong):
        """A shuffle; a wrong one has a card twice, and is proved as if it had not."""
        pi, rho = list(range(len(before))), self.prover.some(len(before))
        if not self.stacked:
            self.rng.shuffle(pi)
        taken = [pi[1], *pi[1:]] if wrong == "twice" else pi
        after = [(G.add(before[i][0], G.base(r)), G.add(before[i][1], G.mul(r, key))) for i, r in zip(taken, rho)]
        proof = self.prover.shuffle(tr, key, before, after, pi, rho)
        return self.post(seat, kind, [("cards", [B64(joined([card])) for card in after])], [proof])

    def tokens(self, seat, kind, body, cards, wrong):
        """Tokens for cards, which a wrong secret may have made."""
        x = self.secrets[seat]
        values = [self.table.cards[card][0] for card in cards]
        tokens = [G.mul(x + (wrong == "token"), a) for a, _ in values]
        tr = self.table.context(kind, seat, 0)
        proofs = [self.prover.reveal(tr, x, values, tokens)] if cards else []
        return self.post(seat, kind, [*body, ("tokens", list(map(B64, tokens)))], proofs)

    def move(self, seat, wrong):
        """Lay down a pair if there is one, or draw a card."""
        game, names = self.table.play.game, self.table.deck.faces
        hand = {card: names[self.face(card)] for card in game.hands[seat]}
        pairs = [(one, two) for one in hand for two in hand if one < two and hand[one][:-1] == hand[two][:-1] != ""]
        trial = Obj([("lay", [])])
        if not self.lays():
            drawn = Obj([("from", 1 - seat), ("position", 0 if wrong != "rules" else 99)])
            return self.post(seat, "move", [("move", Obj([("draw", drawn)])), ("tokens", [])], [])
        laid = [list(pairs[0])] if pairs else []
        if wrong == "rules":
            laid = [sorted(hand)[:2]] if not pairs else [list(pairs[0])] * 2
        said = dict(hand)
        if wrong == "face" and laid:
            other = next(name for name in names[1:] if name[:-1] != hand[laid[0][0]][:-1])
            said[laid[0][0]], said[laid[0][1]] = other[:-1] + "a", other[:-1] + "b"
        trial = Obj([("lay", [[Obj([("card", card), ("face", said[card])]) for card in pair] for pair in laid])])
        return self.tokens(seat, "move", [("move", trial)], [card for pair in laid for card in pair], wrong)

    def lays(self):
        """Whether the game asks for pairs, or for a draw."""
        trial = kernel.copy.deepcopy(self.table.play)
        seat = self.table.owing()[0][0]
        try:
            trial.advance((seat, Obj([("lay", [])]), {}))
            return True
        except kernel.RuleError:
            return False

    def play(self, length, wrong, stacked):
        """So many honest messages, and then one with something wrong; what was expected, and what came."""
        self.stacked = stacked
        while len(self.entries) <= length and self.table.owing():
            assert self.step() == ("applied", None)
        while self.table.owing() and not self.fits(wrong):
            assert self.step() == ("applied", None)
        return self.step(wrong) if self.table.owing() else ("applied", None)

    def fits(self, wrong):
        """Whether what is owed can be wrong in this way."""
        seat, kind = self.table.owing()[0]
        pair = kind == "move" and self.lays() and any(
            self.face(one) + 1 == self.face(two) and self.face(one) % 2 for one in self.table.play.game.hands[seat]
            for two in self.table.play.game.hands[seat])
        return {"proof": kind == "key", "twice": kind in ("shuffle", "permute"), "token": kind == "show" or pair,
                "card": kind == "give", "face": pair, "rules": kind == "move", None: True}[wrong]


EXPECTED = {"proof": ("foul", "P1-ownership"), "twice": ("foul", "P2-shuffle"), "token": ("foul", "P3-reveal"),
            "card": ("foul", "P4-transfer"), "face": ("foul", "E7-face"), "rules": ("foul", "E4-rules"),
            None: ("applied", None)}


def main():
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", default="", help="directory of the programs; where the shell finds them")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--logs", type=int, default=21)
    options = parser.parse_args()
    wrongs, disagree = list(EXPECTED), 0
    for number in range(options.logs):
        forger = Forger(options.seed * 1000 + number)
        wrong = wrongs[number % len(wrongs)]
        length = {"proof": 0, "twice": 2}.get(wrong, 4 + 5 * (number // len(wrongs)))
        came = forger.play(length, wrong, number % 2 == 0)
        with tempfile.TemporaryDirectory() as directory:
            write_mirror(directory, forger.entries)
            own = verify.verify(directory, [wire.parse_key(LOG.vkey)])[0]
            report, steps = theirs(options.bin, LOG.vkey, forger.table.id, directory)
        last = steps.get(len(forger.entries) - 1)
        same = own.get("verdict") == report.get("verdict") and came == last == EXPECTED[wrong]
        disagree += not same
        print(number, wrong, len(forger.entries), own.get("verdict"), came, last, "" if same else "DISAGREE", flush=True)
    print(f"{options.logs} logs, {disagree} disagree")
    raise SystemExit(1 if disagree else 0)


if __name__ == "__main__":
    main()
