"""The suites: how cards are encoded and what is proved of them (chapters 30, 33, 40, 41, 50.3.1)."""
import hashlib
from types import SimpleNamespace
import proofs
from conditions import condition
from group import Ristretto, Squares
from residues import Residues
from proofs import Parts, equal_logarithms, hold, permutation_argument, powers
import wire
from wire import Malformed, need

class Deck:  # A deck: its faces by name, and its id (30.2).
    def __init__(self, name, faces):
        self.name, self.faces = name, list(faces)
        strings = ["pakli/v1/deck", name, *faces]
        self.id = hashlib.sha256(b"".join(len(s).to_bytes(8, "big") + s.encode() for s in strings)).digest()
        self.number = {face: place for place, face in enumerate(self.faces)}
    def of(self, group):  # The deck with its elements in a group (30.2.3, 30.2.4).
        elements = [group.hash(b"pakli/v1/card", self.id, number.to_bytes(2, "big"), face.encode())
                    for number, face in enumerate(self.faces)]
        return SimpleNamespace(faces=self.faces, id=self.id, number=self.number, elements=elements,
                               shows={element: number for number, element in enumerate(elements)})

class Masking:  # Suites that mask cards under the joint key (30).
    relations = {"ownership", "shuffle", "reveal", "transfer", "condition", "permute", "arrange", "mint"}
    per_deal = defers = False
    def __init__(self, name, group, shuffle):
        self.name, self.group, self.asks = name, group, shuffle is proofs.commitment
        self.arguments = {"ownership": proofs.ownership, "shuffle": shuffle, "reveal": proofs.reveal,
                          "transfer": proofs.transfer, "condition": condition, "answer": proofs.cut_and_choose,
                          "arrange": proofs.arrange, "mint": proofs.mint}
    def under(self, _keys, _faces): return self  # cards do not depend on the keys of a deal's seats (50.4.5)
    def clashes(self, key, posted): return key in posted  # with one that was posted before (50.4.3)
    def fits(self, faces, _seats):  # Whether a deck, and a proof of its shuffle, are short enough (31.1.8, 33.2.8).
        size, cut = self.group.size, self.arguments["shuffle"] is proofs.cut_and_choose
        return faces * size * (1 if self.per_deal else 2) <= 48_384 and (
            not cut or 58 * faces * (size + 1) + 32 * 77 <= wire.MAX_BLOBS)
    def key(self, data): return self.group.element(data)  # A card key (30.1.6).
    def token(self, data): return self.group.element(data)  # A token (30.4.1).
    def card(self, data):  # A masked card (30.3.1, 30.3.4).
        need(len(data) == 2 * self.group.size, "card")
        return self.group.element(data[:self.group.size]), self.group.element(data[self.group.size:])
    def open_card(self, element): return self.group.zero, element  # The open card of a face (30.3.4).
    def strip(self, card, token): return card[0], self.group.sub(card[1], token)  # a token off (30.4.2)
    def face(self, card, deck): return deck.shows.get(card[1])  # or none (30.4.4)
    def joint(self, keys):  # The joint key of pairwise distinct keys, or nothing (30.1.7).
        total = self.group.sum(keys)
        return total if len(set(keys)) == len(keys) and total != self.group.zero else None
    def prove(self, relation, tr, proof, *values): self.arguments[relation](self.group, tr, proof, *values)  # 40 to 45

class Locks(Masking):  # Suites of commuting locks (33): a card is one element, and keys are for one deal (33.1.2).
    relations = {"ownership", "shuffle", "reveal"}
    per_deal = True
    def __init__(self, name, group, defers):
        super().__init__(name, group, self.shuffle)
        self.arguments["reveal"], self.defers = self.reveal, defers
        self.refused = {group.zero, group.generator, group.sub(group.zero, group.generator)}
    def key(self, data):  # A card key: neither 0 nor G nor −G (33.2.1).
        need(bytes(data) not in self.refused, "key")
        return self.group.element(data)
    def card(self, data): return self.group.element(data)  # A locked card (33.2.2).
    def open_card(self, element): return element  # The open card of a face has no form of its own (33.2.2).
    def strip(self, card, token): return token  # The token takes the card's place (33.2.4).
    def face(self, card, deck): return deck.shows.get(card)  # or none (33.2.5)
    def shuffle_form(self, before, after):  # The form of 33.3, also where it is not proved (33.7.1).
        need(2 <= len(before) <= 256 and len(after) == len(before), "form")
        need(len(set(before)) == len(before) and len(set(after)) == len(after), "a card twice")
    def shuffle(self, group, tr, proof, _key, before, after, by):
        """33.3: the cards in another order, each with the lock of the key `by`."""
        self.shuffle_form(before, after)
        tr.statement("lock/bayer-groth/v1", ("key", by), ("in", before), ("out", after))
        parts = Parts(group, proof)
        x, c, (e, t), f, z = permutation_argument(group, tr, parts, len(before))
        parts.end()
        came = group.combine(*zip(powers(x, len(before), group.order), before))
        hold(group.combine(*zip(f, after)) == group.combine((z, came), (1, e)), "(8')")
        hold(group.base(z) == group.combine((1, t), (c, by)), "(9)")
    def reveal_form(self, cards, tokens): need(cards and len(cards) == len(tokens), "form")  # 33.4
    def reveal(self, group, tr, proof, key, cards, tokens):  # 33.4: tokens are e^(−1)·Y for the lock e of the key.
        self.reveal_form(cards, tokens)
        tr.statement("unlock/v1", ("key", key), ("cards", cards), ("tokens", tokens))
        equal_logarithms(group, tr, key, tokens, cards, proof)
    def is_lock(self, data, key):  # The scalar of a disclosed lock, or nothing (33.7.2).
        try: scalar = self.group.scalar(data)
        except Malformed: return None
        return scalar if self.group.base(scalar) == key else None
    def locked(self, lock, cards): return [self.group.mul(lock, card) for card in cards]  # 33.2.3
    def is_right(self, lock, open_ones, locked_ones, weights):  # Are all under this lock, by random weights (33.7.4)?
        inner = self.group.combine(*zip(weights, open_ones))
        return self.group.combine(*zip(weights, locked_ones)) == self.group.mul(lock, inner)

RISTRETTO, QR2048, QR3072 = Ristretto(), Squares(2048, 124_476), Squares(3072, 1_690_314)
SUITES = {suite.name: suite for suite in (Masking("ristretto255-bayergroth/v1", RISTRETTO, proofs.bayer_groth),
    Masking("ristretto255-bayergroth/v2", RISTRETTO, proofs.two_columns),
    Masking("ristretto255-tereliuswikstrom/v1", RISTRETTO, proofs.terelius_wikstrom),
    Masking("ristretto255-cutandchoose/v1", RISTRETTO, proofs.cut_and_choose),
    Masking("ristretto255-cutandchoose-chosen40/v1", RISTRETTO, proofs.commitment),
    Masking("qr2048-bayergroth/v1", QR2048, proofs.bayer_groth),
    Masking("qr3072-bayergroth/v1", QR3072, proofs.bayer_groth),
    Masking("qr2048-cutandchoose/v1", QR2048, proofs.cut_and_choose),
    Masking("qr2048-cutandchoose-chosen40/v1", QR2048, proofs.commitment),
    *(Residues(f"schindelhauer{8 * size}-cutandchoose{asked}/v1", size) for size in (256, 384) for asked in ("", "-chosen40")),
    Locks("sra255-bayergroth/v1", RISTRETTO, False), Locks("sra255-disclosed/v1", RISTRETTO, True),
    Locks("sra3072-disclosed/v1", QR3072, True))}
CHECKS = {"ownership": "P1-ownership", "shuffle": "P2-shuffle", "reveal": "P3-reveal", "transfer": "P4-transfer",
          "condition": "P5-condition", "answer": "P2-shuffle", "arrange": "P6-arrange", "mint": "P7-mint"}
