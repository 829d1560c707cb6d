"""Tables of the toolbox with acts, which the forger plays without any rules' help but its own (tests; not the verifier).

Moves and acts are right, or wrong in a way that rules, proofs or entitlement have to find; each of `OPS` is tried.
"""

import hashlib

import table as kernel
import wire
from agree import Branch
from game import RuleError
from proofs import FAMILIES, add_cards, encrypt, joined
from provers import Prover
from suites import RISTRETTO as G
from toolbox import FIELDS, NEW, OPS
from wire import Obj, dumps
from writing import B64, Signer, genesis_entry

ACTS = ["resign", "agree", "agree", "pause", "resume", "back", "expose", "expose", "reseat", "close"]


def table_stopped(table):
    """Whether nothing is owed because a seat has left."""
    return table.stopped is not None


def tools_class(forger, terms_of, shuffles):
    """A forger of such tables; what it has in common with the other is given."""

    class Tools(forger):
        """A table of the toolbox whose seats are all the forger's."""

        def __init__(self, rng, number):
            self.rng, self.prover, self.blobs = rng, Prover(rng), {}
            seats, faces = rng.choice([2, 2, 3, 4]), rng.choice([2, 4, 6, 9])
            ends = [("late", "undo"), ("forfeit", 0)] if number % 2 else [("late", "forfeit"), ("forfeit", 3)]
            ends += [("resign", True), ("agree", True)] + [("selfruled", True)] * (number % 3 == 2)
            self.terms = {"game": "toolbox", "suite": list(shuffles)[number % len(shuffles)], "seats": seats,
                          "options": {"faces": str(faces)}, "deals": 1, "fouls": "warn",
                          "ends": ends, **self.more_terms(number)}
            self.signers = [Signer(f"seat-{seat}", rng.randbytes(32)) for seat in range(seats)]
            self.organiser = Signer("organiser", rng.randbytes(32))
            entry = genesis_entry(self.organiser, self.signers, self.terms, rng.randbytes(16))
            self.table = kernel.Table(wire.parse_entry(entry), 0, lambda name: self.blobs.get(name.hash), self.mark_named)
            self.log, self.suite = Branch(self.table, [entry], {}), self.table.suite
            # Before the first shuffle nothing is undone here.
            self.secrets, self.shares, self.came, self.shuffled = [None] * seats, {}, [], False

        def more_terms(self, _number):
            """Terms besides."""
            return {}

        def mark_named(self, _name):
            """A good mark of the log: here there are none."""
            return None

        def play(self, steps):
            """So many entries, or until the table is over."""
            for number in range(steps):
                owing = self.table.owing()
                if self.table.foul or self.table.over():
                    return
                if owing and self.holders() and self.rng.random() < 0.07:
                    self.act("resign")
                    continue
                if not owing or self.rng.random() < 0.12 and self.shuffled:
                    usual = ["expose", "expose", "back", "reseat"] if table_stopped(self.table) else ACTS[:-1]
                    self.act(self.rng.choice(usual if number < steps - 5 else ACTS))
                    continue
                seat, kind = self.rng.choice(owing)
                wrong = self.rng.choice(["twice", "given", "token"]) if self.rng.random() < 0.02 and kind != "key" else ""
                self.came.append((kind, self.post(seat, kind, wrong, None)))

        def holders(self):
            """The seats that hold a card."""
            table, cards = self.table, range(len(self.table.cards))
            return [seat for seat in range(table.n) if any(table.holds(seat, card) for card in cards)]

        # --- steps ---

        def joint(self):
            return G.sum([self.table.keys[seat] for seat in self.table.order])

        def shuffle(self, seat, kind, wrong, _body):
            """A shuffle, a mix, or a permuted hand, in any order."""
            step, table = self.step(seat, kind), self.table
            before = [table.cards[card][0] for card in step.cards]
            if len(before) == 1:
                return self.arranged(seat, kind, "cut", before)
            key, pi, rho = table.keys[seat] if kind == "permute" else self.joint(), list(range(len(before))), self.prover.some(len(before))
            self.rng.shuffle(pi)
            taken = [pi[1], *pi[1:]] if wrong == "twice" else pi
            after = [add_cards(G, before[i], encrypt(G, key, r)) for i, r in zip(taken, rho)]
            prove = getattr(self.prover, shuffles[self.suite.name])
            return self.cards(after), [prove(table.context(kind, seat, 0), key, before, after, pi, rho)]

        mix = shuffle

        def cards(self, cards):
            return [("cards", [B64(joined([card])) for card in cards])]

        def cut(self, seat, kind, wrong, _body):
            before = [self.table.cards[card][0] for card in self.step(seat, kind).cards]
            return self.arranged(seat, kind, kind, before, wrong == "twice")

        insert = cut

        def arranged(self, seat, kind, family, before, wrong=False):
            """A cut, or an insertion at any place."""
            k, rho, key = self.rng.randrange(len(before)), self.prover.some(len(before)), self.joint()
            after = [add_cards(G, before[i], encrypt(G, key, r)) for i, r in zip(FAMILIES[family](len(before), k), rho)]
            proof = self.prover.arrange(self.table.context(kind, seat, 0), key, before, after, family, k, rho)
            return self.cards(after[::-1] if wrong else after), [proof]

        def mint(self, seat, kind, wrong, _body):
            """New cards, each of any face of its set."""
            step, key, made, proofs, deck = self.step(seat, kind), self.joint(), [], [], self.table.deck
            for slot, faces in enumerate(step.cards):
                k, r = self.rng.randrange(len(faces)), self.prover.some()
                element = G.generator if wrong else deck.elements[faces[k]]
                made.append((G.base(r), G.add(element, G.mul(r, key))))
                proofs.append(self.prover.mint(self.table.context(kind, seat, slot), key, deck, made[-1], faces, k, r))
            return self.cards(made), proofs

        def face(self, card):
            """What a card shows under all secrets."""
            (a, b), off = self.table.cards[card]
            for seat in self.table.all - off:
                b = G.sub(b, G.mul(self.secrets[seat], a)) if a != G.zero else b
            return self.table.deck.shows.get(b)

        # --- moves ---

        def move(self, seat, kind, wrong, _body):
            """A move that the rules accept, or seldom one that they do not."""
            while True:
                move = Obj(self.proposal(seat))
                try:
                    opened, claims = terms_of(self.table, seat, move)
                    break
                except RuleError:
                    if self.rng.random() < 0.03:
                        return [("move", move), ("tokens", [])], []
            tokens, proofs = self.tokens(seat, kind, [card for card, _ in opened], wrong)
            for claim in claims:
                values, tr = [self.table.cards[card][0] for card in claim.cards], self.table.context(kind, seat, len(proofs))
                if all(self.table.holds(seat, card) for card in claim.cards):
                    shown = [self.face(card) for card in claim.cards]
                    if len(claim.faces) == len(self.table.deck.faces) and claim.high < len(values):
                        proofs.append(bytes(96))  # that a card has a face of none: it has no argument (45.2)
                        continue
                    proofs.append(self.prover.condition(tr, self.secrets[seat], self.table.deck, values, shown, claim.faces,
                                                        claim.low, claim.high))
            return [("move", move), ("tokens", tokens)], proofs

        def proposal(self, seat):
            """The fields of a move, most of which make sense."""
            rng, game, count = self.rng, self.table.play.game, len(self.table.deck.faces)
            throwing = len(self.table.play.duties[0].seats) < self.table.n or seat in self.shares
            usual = ["deal", "deal", "give", "draw", "return", "insert", "state", "permute", "show", "take", "private", "cut", "mask"]
            op = rng.choice(["commit", "reveal"] if throwing and rng.random() < 0.98 else usual if self.shuffled and rng.random() < 0.7 else list(OPS))
            if op == "end" and rng.random() < 0.95 or not self.shuffled and not throwing and rng.random() < 0.4:
                op = "deck"
            piles = [name for name, cards in game.piles.items() if cards] or ["p"]
            hand, pile = sorted(game.hands[seat]), rng.choice(piles)
            other = sorted(sum(game.hands, [])) if op == "draw" or rng.random() < 0.05 else hand
            there = game.piles.get(pile, [])
            some = lambda cards: rng.sample(cards, min(len(cards), rng.choice([1, 1, 2, 3])))
            cards = some(there if op == "show" and rng.random() < 0.5 else hand + there if op == "insert" else other)
            faces = sorted(rng.sample(range(count), rng.randrange(1, count + 1)))
            odd = rng.random() < 0.1
            if op == "show" and set(cards) & set(game.hands[seat]):
                faces = [self.face(card) for card in cards]
            elif op == "create":
                faces = [rng.randrange(count + odd) for _ in range(rng.randrange(1, 6))]
            elif odd:
                faces = faces[::-1]
            values = {"pile": rng.choice([pile, pile, "new", "p"]) if op in NEW else pile,
                      "to": rng.choice([*piles, "q", "r-1", "Q" if odd else "s"]), "seat": rng.choice("ABCDEI" if odd else "ABCD"[:self.table.n]),
                      "n": rng.choice([1, 1, 2, 3, len(there), len(there) + 1, 0]), "cards": cards + cards[:1] * (odd and rng.random() < 0.3),
                      "faces": faces, "value": self.value(seat, op), "min": 0, "max": 0}
            held = sum(self.face(card) in faces for card in cards if card < len(self.table.cards))
            if op == "state":
                values["min"], values["max"] = rng.choice(
                    [(held, held), (0, held), (held, len(cards)), (0, len(cards)), (2, 1), (held, 2 ** 33), (len(cards) + 1, 300)])
            if op == "coin":
                values["n"] = rng.choice([0, 1, 2, 6, 2 ** 31 - 1, 2 ** 31])
            wanted = [name.strip("?") for name in OPS[op]]
            if op == "show" and not set(cards) & set(game.hands[seat]):
                wanted = ["cards"]
            move = [("op", op)] + [(name, values[name]) for name in FIELDS if name in wanted
                                   and (values[name] or rng.random() < 0.1 and values[name] == 0)]
            if rng.random() < 0.02:
                move.insert(rng.randrange(len(move) + 1), ("n", 1))
            return move

        def value(self, seat, op):
            """A commitment, or the share behind it."""
            if op == "reveal":
                return self.shares.get(seat, ("00" * 32,))[0]
            share = self.rng.randbytes(32)
            number = self.table.play.game.throws + (op == "coin")
            data = b"pakli/v1/toolbox-share" + seat.to_bytes(2, "big") + number.to_bytes(4, "big") + share
            self.offered = seat, share.hex()
            return hashlib.sha256(data).hexdigest()

        def post(self, seat, kind, wrong, body):
            """As of all; shares are remembered when their commitment is applied."""
            self.offered = None
            came = super().post(seat, kind, wrong, body)
            self.shuffled = self.shuffled or kind == "shuffle" and came == "applied"
            said = dict(self.said(-1)) if kind == "move" else {}
            if came == "applied" and said.get("op") in ("coin", "commit"):
                self.shares[self.offered[0]] = self.offered[1],
            if came == "applied" and said.get("op") == "reveal":
                self.shares.pop(seat, None)
            return came

        def said(self, place):
            """The move of an entry."""
            value = wire.parse_json(self.log.entries[place].split(b"\n\n")[0].decode())
            return dict(dict(value)["body"])["move"]

        # --- acts ---

        def act(self, kind, seat=None):
            """An act with a right body, or with a wrong one."""
            rng, table, wrong = self.rng, self.table, self.rng.random() < 0.3
            seat, proofs, body = rng.randrange(table.n) if seat is None else seat, [], Obj()
            if kind == "expose":
                seat = rng.choice(self.holders() or [seat])
            signer = self.organiser if (kind in ("pause", "resume", "reseat", "close")) != (rng.random() < 0.1) else self.signers[seat]
            if kind == "back":
                signer = self.signers[table.stopped] if table.stopped is not None and rng.random() < 0.5 else self.organiser
            if kind == "resign":
                body = Obj([("scope", rng.choice(["deal", "table", "table"]) if not wrong else "all")])
            elif kind == "agree":
                wants = list(table.wants.values()) * 3 or (["end"] if table.genesis.ends.selfruled else ["undo", "pause", "end"])
                body = Obj([("to", rng.choice(wants) if not wrong else rng.choice(["", "resume", "none"]))])
            elif kind == "close":
                body = Obj([("reason", "enough" if not wrong else "%c3")])
            elif kind == "expose":
                body, proofs = self.exposed(seat, wrong)
            elif kind == "reseat":
                seat = table.stopped if table.stopped is not None and rng.random() < 0.7 else seat
                new = rng.choice([Signer("organiser", self.organiser.seed), self.signers[seat]]) if wrong and rng.random() < 0.5 else Signer(
                    f"new-{rng.randrange(1000)}", rng.randbytes(32))
                head = table.id if wrong and rng.random() < 0.3 else table.head
                accept = new.private.sign(f"pakli-accept/v1\n{table.id}\n{head}\n{seat}\n".encode())
                body = Obj([("seat", seat if not wrong or rng.random() < 0.5 else table.n), ("key", new.vkey), ("accept", B64(accept))])
            value = Obj([("pakli", "act/v1"), ("table", table.id), ("parent", table.head), ("by", signer.vkey), ("kind", kind),
                         ("body", body), ("proofs", [B64(proof) for proof in proofs])])
            came = self.log.add(signer.sign(dumps(value) + "\n"))
            self.came.append((kind, came))
            if kind == "reseat" and came == "applied":
                self.signers[seat] = new
            if came == "applied" and not self.table.play.game.throws:
                self.shares = {}

        def exposed(self, seat, wrong):
            """Cards of a hand, tokens and their proof; wrong are cards, a token, or how many proofs there are."""
            table, x = self.table, self.secrets[seat] or 1
            cards = [card for card in range(len(table.cards)) if table.holds(seat, card)][:3] or [0]
            values = [table.cards[card][0] if card < len(table.cards) else (G.generator, G.generator) for card in cards]
            values = [value if value[0] != G.zero else (G.generator, G.generator) for value in values]
            way = self.rng.choice(["token", "none", "two", "order", "more"]) if wrong else ""
            tokens = [G.mul(x + (way == "token"), a) for a, _ in values]
            proof = self.prover.reveal(table.context("expose", seat, 0), x, values, tokens)
            cards = cards[::-1] if way == "order" else cards + [255] if way == "more" else cards
            return Obj([("cards", cards), ("tokens", list(map(B64, tokens)))]), [proof] * {"none": 0, "two": 2}.get(way, 1)

    return Tools
