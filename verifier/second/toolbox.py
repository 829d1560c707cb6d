"""The toolbox (chapter 93): every operation on cards as a move. It has no aim and no score."""
import hashlib, re
from game import Claim, Duty, Game, number_option, read, read_options, rule
from suites import Deck
from wire import checked, hex_hash, integer, list_of, one_of, record

# The fields of moves in their order, and of each operation those that it has; what is 0 or empty is left out (93.3).
NUMBERS = list_of(integer(0, 2 ** 31), 1, 256)
NAME = checked(lambda name: type(name) is str and re.fullmatch("[a-z][a-z0-9-]{0,15}", name), "TB-NAME")
FIELDS = {"pile": NAME, "to": NAME, "seat": one_of(*"ABCDEFGH"), "n": integer(1, 2 ** 31 - 1), "cards": NUMBERS,
          "faces": NUMBERS, "min": integer(1, 256), "max": integer(1, 2 ** 53), "value": hex_hash}
OPS = {line.split()[0]: line.split()[1:] for line in """deck; create pile faces; mask pile; private pile faces;
random pile faces; mix pile; cut pile; equal pile to; insert pile cards; return pile cards; join pile to;
split pile to n; take pile to n?; deal pile seat n; show cards faces?; give seat cards; draw cards; permute;
state cards faces min? max?; coin n value; commit value; reveal value; end""".split(";")}
NEW = ("create", "private", "random", "return", "insert")  # operations whose pile need not be there
def parts(cards): return [cards[i:i + 32] for i in range(0, len(cards), 32)]  # of one message each (93.3)

class Toolbox(Game):  # `toolbox/v1`: piles are lists of places, hands too; `open` has the faces minted open.
    needs = Game.needs | {"arrange", "mint"}
    def setup(self, options):  # Options and the deck (93.1).
        rule(2 <= self.n <= 8, "seats")
        given = read_options(options, {"faces": number_option(2, 256), "names": lambda _: True})
        names = given["names"].split(",") if given["names"] else [str(n) for n in range(int(given["faces"] or 52))]
        self.deck, self.throws, self.all = Deck("toolbox", names), 0, list(range(self.n))
        rule(all(names) and len(self.deck.number) == len(self.deck.faces) == int(given["faces"] or 52), "names")
        self.clear(0)
    def clear(self, places): self.piles, self.hands, self.open, self.places = {}, [[] for _ in self.all], {}, places
    def play(self):  # Any seat moves, and what its move asks for follows, until the end (93.1).
        while True:
            seat, said = yield from self.said(self.all, [])
            rule(said.op not in ("commit", "reveal"), "TB-19")
            if said.op == "end": return
            yield from getattr(self, "op_" + said.op)(seat, said) or ()
            self.piles = {name: cards for name, cards in self.piles.items() if cards}
    def said(self, seats, awaited=None):  # A move of one of these seats, with the fields of its operation (93.3).
        seat, move, _ = yield [Duty("move", seats, awaited=awaited)]
        names = [name for name, _ in move]
        rule(names[:1] == ["op"] and type(move[0][1]) is str and move[0][1] in OPS, "TB-OP")
        fields = [field.strip("?") for field in OPS[move[0][1]] if field[-1] != "?" or field[:-1] in names]
        fields.sort(key=list(FIELDS).index)
        said = read(lambda value: record(value, [("op", str), *((name, FIELDS[name]) for name in fields)]), move)
        for name in FIELDS: setattr(said, name, getattr(said, name, 0))
        rule(not said.pile or said.pile != said.to and (said.op in NEW or said.pile in self.piles), "TB-PILE")
        rule(not said.seat or ord(said.seat) - ord("A") < self.n, "TB-SEAT")
        return seat, said
    # --- what operations have in common ---
    def lay(self, name, cards):  # Cards under a pile, which may be a new one (93.1).
        self.piles.setdefault(name, []).extend(cards)
        rule(len(self.piles[name]) <= 256 and sum(map(bool, self.piles.values())) <= 64, "TB-SIZE")
    def new(self, count):  # The places of so many new cards (93.1).
        self.places += count
        rule(self.places <= 1024, "TB-SIZE")
        return list(range(self.places - count, self.places))
    def faces(self, said, ascend=True):  # Faces of the deck (93.3).
        rule(all(face < len(self.deck.faces) for face in said.faces), "TB-FACES")
        rule(not ascend or said.faces == sorted(set(said.faces)), "TB-FACES")
        return said.faces
    def take(self, seat, cards):  # Different cards out of a hand (93.3).
        rule(set(cards) <= set(self.hands[seat]) and len(set(cards)) == len(cards), "TB-HAND")
        self.hands[seat] = [card for card in self.hands[seat] if card not in cards]
        return cards
    def out(self, cards):  # Different cards out of piles (93.3).
        rule(len(set(cards)) == len(cards) and set(cards) <= set(sum(self.piles.values(), [])), "TB-CARDS")
        self.piles = {name: [card for card in pile if card not in cards] for name, pile in self.piles.items()}
        return cards
    def hide(self, kind, seats, cards):  # A step after which these cards are not open any more (50.8).
        for card in cards: self.open.pop(card, None)
        yield [Duty(kind, seats, cards)]
    # --- operations (93.3) ---
    def op_deck(self, _seat, _said):
        self.clear(len(self.deck.faces))
        self.piles["deck"] = list(range(self.places))
        yield [Duty("shuffle", self.all)]
    def op_create(self, _seat, said):
        cards, faces = self.new(len(said.faces)), self.faces(said, ascend=False)
        self.lay(said.pile, cards)
        self.open.update(zip(cards, faces))
        yield [Duty("mint", (), [[face] for face in faces])]
    def op_mask(self, seat, said):
        pile = self.piles[said.pile]
        old = [card for card in pile if card in self.open]
        rule(old, "TB-OPEN")
        masked = dict(zip(old, self.new(len(old))))
        self.piles[said.pile] = [masked.get(card, card) for card in pile]
        for some in parts([[self.open.pop(card)] for card in old]): yield [Duty("mint", [seat], some)]
    def op_private(self, seat, said):
        self.lay(said.pile, self.new(1))
        yield [Duty("mint", [seat], [self.faces(said)])]
    def op_random(self, _seat, said):
        cards = self.new(len(self.faces(said)))
        self.lay(said.pile, cards[:1])
        yield [Duty("mint", (), [[face] for face in said.faces])]
        yield [Duty("cut", self.all, cards)]
    def op_mix(self, seat, said): return self.hide(said.op, [seat], self.piles[said.pile])
    op_cut = op_mix
    def op_equal(self, seat, said):
        rule(said.to not in self.piles, "TB-11")
        self.piles[said.to] = self.piles.pop(said.pile)
        return self.hide("mix", [seat], self.piles[said.to])
    def op_insert(self, seat, said):
        rule(len(said.cards) == 1 and said.cards[0] not in self.piles.get(said.pile, ()), "TB-CARDS")
        held = said.cards[0] in self.hands[seat]
        (self.take if held else lambda _, cards: self.out(cards))(seat, said.cards)
        self.lay(said.pile, said.cards)
        if held: yield [Duty("return", [seat], said.cards)]
        yield from self.hide("insert", [seat], self.piles[said.pile])
    def op_return(self, seat, said):
        self.lay(said.pile, self.take(seat, said.cards))
        for some in parts(said.cards): yield [Duty("return", [seat], some)]
    def op_join(self, _seat, said):
        self.lay(said.to, self.piles.pop(said.pile))
    def op_split(self, _seat, said):
        pile = self.piles[said.pile]
        rule(said.n <= len(pile), "TB-CARDS")
        self.lay(said.to, self.out(pile[:said.n]))
    def op_take(self, _seat, said):
        rule(said.n < len(self.piles[said.pile]), "TB-CARDS")
        self.lay(said.to, self.out([self.piles[said.pile][said.n]]))
    def op_deal(self, _seat, said):
        cards, to = self.piles[said.pile][:said.n], ord(said.seat) - ord("A")
        rule(len(cards) == said.n, "TB-CARDS")
        rule(not set(cards) & set(self.open), "TB-OPEN")
        self.hands[to] += self.out(cards)
        yield [Duty("show", cards=cards, to=to)]
    def op_show(self, seat, said):
        if said.faces:
            rule(len(said.faces) == len(said.cards), "TB-FACES")
            self.opened = list(zip(self.take(seat, said.cards), self.faces(said, ascend=False)))
            return
        rule(not set(self.out(said.cards)) & set(self.open), "TB-OPEN")
        yield [Duty("show", cards=said.cards)]
    def op_give(self, seat, said):
        to = ord(said.seat) - ord("A")
        rule(to != seat, "TB-SEAT")
        self.hands[to] += self.take(seat, said.cards)
        for some in parts(said.cards): yield [Duty("give", [seat], some, to)]
    def op_draw(self, seat, said):
        holder = next((other for other in self.all if said.cards[0] in self.hands[other]), seat)
        rule(len(said.cards) == 1 and holder != seat, "TB-HAND")
        self.hands[seat] += self.take(holder, said.cards)
        yield [Duty("give", [holder], said.cards, seat)]
    def op_permute(self, seat, _said):
        rule(2 <= len(self.hands[seat]) <= 256, "TB-CARDS")
        yield [Duty("permute", [seat], list(self.hands[seat]))]
    def op_state(self, seat, said):
        hand = self.hands[seat]
        self.take(seat, said.cards)
        self.hands[seat] = hand
        rule(said.min <= min(said.max, len(said.cards)), "TB-17")
        self.claims = [Claim(said.cards, self.faces(said), said.min, said.max)]
    def op_coin(self, seat, said):  # A throw: commitments of all, and then their shares (93.5).
        rule(said.n >= 2, "TB-19")
        self.throws, bound, shown = self.throws + 1, {seat: said.value}, set()
        while len(shown) < self.n:
            done, op = (bound, "commit") if len(bound) < self.n else (shown, "reveal")
            seat, said = yield from self.said([other for other in self.all if other not in done])
            rule(said.op == op, "TB-19")
            if op == "commit": bound[seat] = said.value
            else:
                data = b"pakli/v1/toolbox-share" + seat.to_bytes(2, "big") + self.throws.to_bytes(4, "big")
                rule(hashlib.sha256(data + bytes.fromhex(said.value)).hexdigest() == bound[seat], "TB-19")
                shown.add(seat)
