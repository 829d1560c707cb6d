"""Schwarzer Peter (60.4), and the draw of an event (56.7)."""
from game import Duty, Game, read, read_options, rule, single
from suites import Deck
from wire import integer, list_of, object_of, one_of

OPTIONS = {"rules": ["common", "article"], "pack": ["32", "52"], "odd": ["jack", "queen"],
           "pair": ["colour", "rank"], "keep-pairs": ["false", "true"], "last-holder": ["loses", "wins"]}

class SchwarzerPeter(Game):  # `schwarzer-peter/v1`.
    needs = Game.needs - {"condition"}
    def setup(self, options):  # Options and the deck (60.4).
        self.options = read_options(options, OPTIONS)
        self.article = self.options["rules"] == "article"
        if self.article:
            rule(set(options) <= {"rules"} and self.n == 2, "article")
            faces = ["0"] + [f"{kind}{letter}" for kind in range(1, 13) for letter in "ab"]
            self.deck = Deck("schwarzer-peter-25", faces)
            return
        rule(2 <= self.n <= 8, "seats")
        odd = {"jack": "JC", "queen": "QC"}[self.options["odd"]]
        ranks = ["2", "3", "4", "5", "6"] if self.options["pack"] == "52" else []
        ranks += ["7", "8", "9", "10", "J", "Q", "K", "A"]
        faces = [rank + suit for rank in ranks for suit in "CSHD"]
        faces.remove(odd)
        self.deck = Deck(f"schwarzer-peter-{self.options['pack']}-without-{odd}", faces)
    def is_pair(self, one, other):  # Whether two faces are a pair (60.4, Moves).
        if one == other or one[:-1] != other[:-1]: return False
        return self.article or self.options["pair"] == "rank" or (one[-1] in "CS") == (other[-1] in "CS")
    def play(self):  # The deals, one after another (60.4, Order of play).
        for deal in range(self.deals):
            first = deal % self.n
            order = [(first + i) % self.n for i in range(self.n)]
            yield [Duty("shuffle", order)]
            self.hands = [[] for _ in order]
            for card in range(len(self.deck.faces)):
                place = (0 if card < 13 else 1) if self.article else card % self.n
                self.hands[order[place]].append(card)
            yield [Duty("show", cards=self.hands[seat], to=seat) for seat in order]
            yield from self.rounds(order)
            loser = next(seat for seat in order if self.hands[seat])
            sign = -1 if self.options["last-holder"] == "wins" else 1
            self.paid.append([sign * (1 - self.n if seat == loser else 1) for seat in range(self.n)])
    def rounds(self, order):  # Laying down and drawing, until one seat alone has cards (steps 3 to 6) (60.4).
        first, drawer = order[0], None
        while True:
            layers = [order[1], order[0]] if self.article else order if drawer is None else [drawer]
            for seat in layers:
                if len(self.hands[seat]) >= 2: yield from self.lay(seat)
            if sum(map(bool, self.hands)) == 1: return
            if self.article: drawer = order[1] if len(self.hands[order[1]]) < len(self.hands[first]) else first
            else: drawer = self.next_holder(first if drawer is None else (drawer + 1) % self.n)
            yield from self.draw(drawer)
            if sum(map(bool, self.hands)) == 1: return
            yield [Duty("permute", [drawer], self.hands[drawer])]
    def next_holder(self, seat):  # This seat, or the next one clockwise that has cards (60.4).
        while not self.hands[seat]: seat = (seat + 1) % self.n
        return seat
    def lay(self, seat):  # A seat may lay down pairs, at most one under `article` (SP-S3, SP-C3).
        _, move, _ = yield [Duty("move", [seat])]
        _, value = single(move, "lay")
        card = object_of(("card", integer(0, 255)), ("face", one_of(*self.deck.faces)))
        pairs = read(list_of(list_of(card, 2, 2), 0, 128), value)
        cards = [item.card for pair in pairs for item in pair]
        rule(len(set(cards)) == len(cards) and set(cards) <= set(self.hands[seat]), "lay: cards of the hand")
        rule(all(self.is_pair(one.face, other.face) for one, other in pairs), "lay: pairs")
        rule(not self.article or len(pairs) <= 1, "SP-S3")
        self.opened = [(item.card, self.deck.number[item.face]) for pair in pairs for item in pair]
        self.hands[seat] = [card for card in self.hands[seat] if card not in cards]
    def draw(self, seat):  # A seat draws a card by its position from the next one that has cards (SP-S5, SP-C4).
        _, move, _ = yield [Duty("move", [seat])]
        _, value = single(move, "draw")
        drawn = read(object_of(("from", integer(0, 15)), ("position", integer(0, 255))), value)
        giver = self.next_holder((seat + 1) % self.n)
        rule(getattr(drawn, "from") == giver and drawn.position < len(self.hands[giver]), "draw")
        card = self.hands[giver].pop(drawn.position)
        yield [Duty("give", [giver], [card], seat)]
        self.hands[seat].append(card)

class Draw(Game):  # `draw/v1` (56.7): every seat shuffles, and cards 0 to 39 are shown to all.
    needs = {"ownership", "shuffle", "reveal"}
    def setup(self, options):  # No options (56.7).
        rule(not options, "options")
        self.deck = Deck("draw-52", [str(number) for number in range(1, 53)])
    def play(self):  # The deals (56.7).
        for _ in range(self.deals):
            yield [Duty("shuffle", range(self.n))]
            yield [Duty("show", cards=range(40))]
            self.paid.append([0] * self.n)
