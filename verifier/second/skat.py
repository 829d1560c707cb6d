"""Skat: lists of deals, with Ramsch, Kontra and Bock rounds as options (chapters 90 and 91).

Faces are numbers 8·suit + rank, suits C S H D, ranks 7 8 9 10 J Q K A. Players 0 to 2 are F, M, R."""
from game import Claim, Duty, Game, places, read, read_options, rule, single
from suites import Deck
from wire import boolean, integer, list_of, object_of, one_of

RANKS = ["7", "8", "9", "10", "J", "Q", "K", "A"]
POINTS = [0, 0, 0, 10, 2, 3, 4, 11]
PLAIN, NULL_ORDER = [0, 1, 2, 5, 6, 3, 7], [0, 1, 2, 3, 4, 5, 6, 7]
BASE = {"C": 12, "S": 11, "H": 10, "D": 9, "G": 24}
NULLS = {(False, False): 23, (True, False): 35, (False, True): 46, (True, True): 59}
BIDS = sorted({base * n for base in (9, 10, 11, 12) for n in range(2, 19)} | {24 * n for n in range(2, 12)}
              | set(NULLS.values()))
HANDS = [[*range(0, 3), *range(11, 15), *range(23, 26)], [*range(3, 6), *range(15, 19), *range(26, 29)],
         [*range(6, 9), *range(19, 23), *range(29, 32)]]
EVENTS = ["lost60", "grandhand", "kontra", "re"]
BOCKS = ["off"] + ["+".join(e for i, e in enumerate(EVENTS) if bits >> i & 1) for bits in range(1, 16)]
OPTIONS = {"score": ["classic", "seeger", "seeger-fabian", "bierlachs"], "limit": ["301", "401", "501"],
           "concede": ["both", "one", "off"], "claim": ["ask", "off"], "early": ["open", "prove"],
           "null-overbid": ["refuse", "lose"], "ramsch": ["off", "simple", "schieber"],
           "kontra": ["off", "any", "bid18"], "bock": BOCKS, "seats-draw": ["off", "on"]}
JACKS = {4, 12, 20, 28}
def kind(game, face):  # The class of a card: "T" for a trump, or its suit (SK-R-06).
    if game != "N" and (face % 8 == 4 or "CSHD"[face // 8] == game): return "T"
    return "CSHD"[face // 8]
def members(game, wanted): return {face for face in range(32) if kind(game, face) == wanted}  # a class
def strength(game, face):  # The order of cards in their class (SK-R-03 to SK-R-05).
    if game == "N": return NULL_ORDER[face % 8]
    return 20 - face // 8 if face % 8 == 4 else PLAIN.index(face % 8)
def trumps(game): return sorted(members(game, "T"), key=lambda face: -strength(game, face))  # high to low

class Skat(Game):  # `skat/v1`: a list.
    def setup(self, options):  # 90.12, 90.16.1.
        rule(self.n in (3, 4), "SK-R-08")
        self.o = read_options(options, OPTIONS)
        rule("limit" not in options or self.o["score"] == "bierlachs", "limit")
        self.deck = Deck("skat-32", [rank + suit for suit in "CSHD" for rank in RANKS])
        self.faces = one_of(*self.deck.faces)
        self.round_table, self.bock = list(range(self.n)), 0
        self.won, self.lost = [0] * self.n, [0] * self.n
    def result(self):  # Sums of the list, with what its system adds (SK-R-62 to SK-R-66).
        sums, system = super().result(), self.o["score"]
        if system in ("seeger", "seeger-fabian"):
            sums = [total + 50 * (won - lost) for total, won, lost in zip(sums, self.won, self.lost)]
        if system == "seeger-fabian":
            each = 40 if self.n == 3 else 30
            sums = [total + each * (sum(self.lost) - lost) for total, lost in zip(sums, self.lost)]
        return sums
    def play(self):  # The draw for seats, and the deals (90.2, 90.16).
        if self.o["seats-draw"] == "on":
            yield [Duty("shuffle", range(self.n))]
            _, _, faces = yield [Duty("show", cards=range(self.n))]
            self.round_table = sorted(range(self.n), key=lambda seat: -faces[seat])
        for number in range(self.deals):
            players = [self.round_table[(number + i) % self.n] for i in (1, 2, 3)]
            deal = SkatDeal(self, players)
            yield from deal.play()
            self.enter(deal)
            if self.o["score"] == "bierlachs" and min(super().result()) <= -int(self.o["limit"]): return
    def enter(self, deal):  # A deal that is over: payments, games won and lost, Bock rounds (90.8, 90.11).
        factor = 2 if self.bock else 1
        paid, bierlachs = [0] * self.n, self.o["score"] == "bierlachs"
        if deal.declarer is not None:
            seat, amount = deal.players[deal.declarer], deal.amount * factor * 2 ** (deal.kontra + deal.re)
            if bierlachs and amount > 0: paid = [0 if other == seat else -amount for other in range(self.n)]
            else: paid[seat] = amount
            (self.won if amount > 0 else self.lost)[seat] += 1
        for player, amount in enumerate(deal.ramsch_scores or []):
            if bierlachs and amount > 0:
                for other in set(range(3)) - {player}: paid[deal.players[other]] -= amount * factor
            else: paid[deal.players[player]] += amount * factor
        self.paid.append(paid)
        self.bock = max(0, self.bock - 1) + self.n * len(deal.events() & set(self.o["bock"].split("+")))

class SkatDeal:  # One deal: each method is a stage of 90.16.4, or a few.
    def __init__(self, game, players):
        self.game, self.o, self.players = game, game.o, players
        self.hands = [list(hand) for hand in HANDS]
        self.declarer, self.bid, self.bidders, self.amount = None, 0, set(), 0
        self.hand_game, self.ann, self.ouvert, self.type = False, 0, False, None
        self.kontra = self.re = False
        self.ramsch_scores, self.pushes, self.discards, self.holder = None, 0, [9, 10], None
        self.owner, self.open_faces, self.open_hand, self.void = {}, {}, [False] * 3, [set(), set(), set()]
        self.taken, self.tricks, self.trick, self.lost60 = [0] * 3, [0] * 3, [], False
    def ask(self, listed, *fields):  # Wait for a move with one of these fields; gives player, field and value (90.15).
        seats = [self.players[p] for p in listed]
        seat, move, _ = yield [Duty("move", seats, awaited=seats[:1])]
        return self.players.index(seat), *single(move, *fields)
    def after(self, player): return [(player + 1) % 3, (player + 2) % 3]  # the next one first
    def turn_up(self, p, cards, names):  # Cards of a player that a move turns up, with different faces (90.15).
        named = read(list_of(self.game.faces, len(cards), len(cards)), names)
        faces = [self.game.deck.number[name] for name in named]
        rule(len(set(faces)) == len(faces), "faces")
        self.game.opened += zip(cards, faces)
        self.see(p, zip(cards, faces))
    def see(self, p, pairs):  # Faces of a player's cards are open (91.3).
        for card, face in pairs: self.open_faces[card], self.owner[face] = face, p
    def events(self):  # What makes a Bock round (SK-R-78).
        lost = self.declarer is not None and self.amount < 0
        grand = self.type == "G" and self.hand_game and self.amount > 0
        happened = {"lost60": self.lost60, "grandhand": grand,
                    "kontra": lost and self.kontra and not self.re, "re": self.re}
        return {event for event, happens in happened.items() if happens}
    def play(self):  # The deal, until it is over (90.16.4).
        order = [2, 0, 1] if self.game.n == 3 else [0, 1, 2]
        yield [Duty("shuffle", [self.players[p] for p in order])]
        yield [Duty("show", cards=self.hands[p], to=self.players[p]) for p in range(3)]
        yield from self.auction()
        if self.declarer is not None: yield from self.declare()
        elif self.o["ramsch"] != "off": yield from self.ramsch()
    def auction(self):  # The two duels (90.3).
        last, survivor = 0, 0
        for sayer in (1, 2):
            hearer, turn = survivor, "say"
            while True:
                p = sayer if turn == "say" else hearer
                _, _, value = yield from self.ask([p], "call")
                if value == "pass":
                    survivor = hearer if p == sayer else sayer
                    break
                if turn == "say":
                    rule(value in map(str, BIDS) and int(value) > last, "SK-R-15")
                    last, turn = int(value), "hear"
                else:
                    rule(value == "yes", "SK-R-15")
                    turn = "say"
                self.bidders.add(p)
        if not last:
            _, _, value = yield from self.ask([0], "call")
            rule(value in ("pass", "18"), "SK-R-19")
            last, survivor = (18, 0) if value == "18" else (0, None)
        self.declarer, self.bid = survivor if last else None, last
    # --- a game of a declarer (90.4 to 90.7) ---
    def take(self, p):  # The two cards go to a player, who permutes his twelve (RM-2, RM-4).
        seat = self.players[p]
        if self.holder is None: yield [Duty("show", cards=self.discards, to=seat)]
        else: yield [Duty("give", [self.players[self.holder]], self.discards, seat)]
        self.hands[p] = sorted(self.hands[p] + self.discards)
        yield [Duty("permute", [seat], self.hands[p])]
    def lay_aside(self, p, value):  # Two different places of the twelve (90.15.2).
        self.discards = read(places, value)
        rule(len(self.discards) == 2 and set(self.discards) <= set(self.hands[p]), "SK-R-25")
        self.hands[p] = [card for card in self.hands[p] if card not in self.discards]
        self.holder = p
    def declare(self):  # From the choice to the end of the deal (90.16.4).
        d = self.declarer
        _, _, value = yield from self.ask([d], "choose")
        self.hand_game = read(one_of("take", "hand"), value) == "hand"
        if not self.hand_game: yield from self.take(d)
        _, _, value = yield from self.ask([d], "announce")
        self.announce(value)
        self.null = NULLS[self.hand_game, self.ouvert]
        if self.type == "N" and self.null < self.bid:
            rule(self.o["null-overbid"] == "lose", "SK-R-29")
            self.amount = -2 * min([value for value in NULLS.values() if value >= self.bid] or [self.bid])
            return
        for p in self.after(d):
            may = self.o["kontra"] == "any" or self.o["kontra"] == "bid18" and p in self.bidders
            if may and not self.kontra:
                _, _, value = yield from self.ask([p], "kontra")
                self.kontra = read(boolean, value)
        if self.kontra:
            _, _, value = yield from self.ask([d], "re")
            self.re = read(boolean, value)
        if self.ouvert:
            _, _, value = yield from self.ask([d], "open")
            self.turn_up(d, self.hands[d], value)
            self.open_hand[d] = True
        yield from self.settle((yield from self.tricks_played()))
    def announce(self, value):  # The announcement (SK-R-27 to SK-R-30, 90.15.1).
        fields = [("game", one_of(*"CSHDGN")), ("ann", integer(0, 2)), ("ouvert", boolean)]
        fields = fields if self.hand_game else [("discard", lambda cards: cards), *fields]
        said = read(object_of(*fields), value)
        self.type, self.ann, self.ouvert = said.game, said.ann, said.ouvert
        if self.type == "N": rule(self.ann == 0, "SK-R-28")
        else: rule((not self.ouvert or self.ann == 2) and (self.hand_game or self.ann == 0), "SK-R-28")
        if not self.hand_game: self.lay_aside(self.declarer, said.discard)
    def tricks_played(self):  # The tricks, and how the deal ended: None if played out, or word and level (90.5, 90.7).
        leader = 0
        for _ in range(10):
            self.trick, self.offered = [], set()
            while len(self.trick) < 3:
                turn = (leader + len(self.trick)) % 3
                ended = yield from self.one_move(turn)
                if ended: return ended
            led = kind(self.type, self.trick[0][1])
            ranked = [(kind(self.type, face) == "T", kind(self.type, face) == led,
                       strength(self.type, face), p) for p, face in self.trick]
            leader = max(ranked)[3]
            self.tricks[leader] += 1
            self.taken[leader] += sum(POINTS[face % 8] for _, face in self.trick)
            self.trick = []
            if self.type == "N" and leader == self.declarer: return None
        self.last_winner = leader
        return None
    def one_move(self, turn):  # A card, a concession, or a claim (90.16.5, 90.16.6).
        conceding = self.declarer is not None and self.o["concede"] != "off"
        may = [p for p in range(3) if p not in self.offered] if conceding else []
        seats = [turn] + [p for p in may if p != turn]
        p, field, value = yield from self.ask(seats, "play", "concede", "claim")
        if field == "play":
            rule(p == turn, "SK-R-33")
            self.play_card(p, value)
            return None
        if field == "concede":
            rule(p in may and value is True, "SK-R-55")
            return (yield from self.concede(p))
        rule(p == turn == self.declarer and self.o["claim"] == "ask", "SK-R-59")
        rule(p not in self.offered, "90.16.6")
        return (yield from self.claim_rest(p, value))
    def concede(self, p):  # A concession, or an offer of one to the others (SK-R-55, SK-R-57).
        d = self.declarer
        ended = ("declarer" if p == d else "defenders", 0)
        if len(self.hands[d]) >= 9 if p == d else self.o["concede"] == "one": return ended
        self.offered.add(p)
        for other in self.after(d) if p == d else [3 - d - p]:
            _, _, value = yield from self.ask([other], "agree")
            if read(boolean, value): return ended
        return None
    def excluded(self, level):  # Whether a level cannot be reached any more (90.16.6).
        defenders = self.after(self.declarer)
        points, tricks = sum(self.taken[p] for p in defenders), sum(self.tricks[p] for p in defenders)
        return self.type != "N" and (points >= 60 or level >= 1 and points > 30 or level == 2 and tricks > 0)
    def claim_rest(self, d, value):  # The declarer claims all further tricks (SK-R-59, SK-R-60).
        said = read(object_of(("level", integer(0, 2)), ("faces", lambda names: names)), value)
        rule(said.level >= self.ann and not self.excluded(said.level), "SK-R-59")
        rule(self.type != "N" or said.level == 0, "SK-R-60")
        self.turn_up(d, [card for card in self.hands[d] if card not in self.open_faces], said.faces)
        self.offered.add(d)
        self.open_hand[d] = True
        for other in self.after(d):
            _, _, answer = yield from self.ask([other], "answer")
            if read(one_of("accept", "play-on"), answer) == "play-on": return None
        return "claim", said.level
    def play_card(self, p, value):  # A card, and the claim about the rest of the hand (91.5).
        said = read(object_of(("card", integer(0, 255)), ("face", self.game.faces)), value)
        card, face, game = said.card, self.game.deck.number[said.face], self.type
        rule(card in self.hands[p], "S-ORIGIN")
        rest = [other for other in self.hands[p] if other != card]
        led = kind(game, self.trick[0][1]) if self.trick else None
        if self.open_hand[p]:
            rule(self.open_faces[card] == face, "S-FACE")
            has = any(kind(game, self.open_faces[other]) == led for other in rest)
            rule(led is None or kind(game, face) == led or not has, "SK-R-33")
        else:
            follows = led is None or kind(game, face) == led
            seen = led is not None and members(game, led) <= set(self.owner) | {face}
            self.game.opened.append((card, face))
            if not follows and rest and led not in self.void[p] and not seen:
                self.game.claims.append(Claim(rest, members(game, led), 0, 0))
                self.void[p].add(led)
        self.see(p, [(card, face)])
        self.hands[p] = rest
        self.trick.append((p, face))
    # --- the end of a game (90.6, 91.6) ---
    def settle(self, ended):  # Settle the game: by what is open, or by what the declarer shows or proves (91.6).
        d = self.declarer
        if self.type == "N":
            won = ended[0] != "declarer" if ended else self.tricks[d] == 0
            self.amount = self.null if won else -2 * self.null
            return
        top, self.matadors = trumps(self.type), None
        if ended and len(self.open_faces) < 30: yield from self.show_matadors(top)
        else: self.see(d, zip(self.discards, set(range(32)) - set(self.owner)))
        if self.matadors is None:
            own = [self.owner.get(face) == d for face in top]
            self.matadors = next((i for i, has in enumerate(own) if has != own[0]), len(own))
        self.amount = self.early_amount(*ended) if ended else self.full_amount()
    def show_matadors(self, top):  # Skat of a hand game, declarer's twelve, open or proved (E-SKAT, E-TWELVE, M-WITH).
        d = self.declarer
        if self.hand_game:
            _, _, faces = yield [Duty("show", cards=[9, 10])]
            self.see(d, [(card, faces[card]) for card in (9, 10)])
        closed = [card for card in sorted(self.hands[d] + self.discards) if card not in self.open_faces]
        if not closed: return
        if self.o["early"] == "open":
            _, _, value = yield from self.ask([d], "lay")
            self.turn_up(d, closed, value)
            return
        _, _, value = yield from self.ask([d], "matadors")
        said = read(object_of(("with", boolean), ("n", integer(1, len(top)))), value)
        self.matadors = said.n
        self.prove_matadors(closed, top, getattr(said, "with"), said.n)
    def prove_matadors(self, closed, top, having, n):  # M-WITH or M-WITHOUT (91.5).
        own = {face for face, p in self.owner.items() if p == self.declarer}
        others, first = set(self.owner) - own, set(top[:n])
        following = set(top[n:n + 1])
        rule(not first & (others if having else own), "M")
        rule(not following & (own if having else others), "M")
        unseen = first - (own if having else others)
        if having: rule(len(unseen) <= len(closed), "M-WITH")
        if unseen:
            low, high = (len(unseen), len(closed)) if having else (0, 0)
            self.game.claims.append(Claim(closed, unseen, low, high))
        if following - set(self.owner):
            self.game.claims.append(Claim(closed, following, *((0, 0) if having else (1, len(closed)))))
    def value(self, level):  # SK-R-47 with a level that was reached: 0, 1 Schneider, 2 Schwarz.
        ann, level = self.ann, max(level, self.ann)
        levels = 1 + self.hand_game + (level >= 1) + (ann >= 1) + (level >= 2) + (ann == 2) + self.ouvert
        return BASE[self.type] * (self.matadors + levels)
    def lost(self, value):  # SK-R-53.
        base = BASE[self.type]
        return -2 * max(value, base * -(-self.bid // base))
    def full_amount(self):  # A game that was played out (90.6).
        d = self.declarer
        points = self.taken[d] + sum(POINTS[self.open_faces[card] % 8] for card in self.discards)
        schwarz = self.tricks[d] in (0, 10)
        value = self.value(2 if schwarz else 1 if min(points, 120 - points) <= 30 else 0)
        won = (points >= 61 and value >= self.bid and (self.ann < 1 or points >= 90)
               and (self.ann < 2 or self.tricks[d] == 10))
        self.lost60 = not won and points == 60
        return value if won else self.lost(value)
    def early_amount(self, how, level):  # A game that was conceded or claimed (SK-R-56, SK-R-58, SK-R-59).
        if how == "declarer": return self.lost(self.value(0))
        if how == "defenders":
            reached = [lvl for lvl in range(self.ann, 3) if self.value(lvl) >= self.bid]
            if not reached or self.excluded(reached[0]): return self.lost(self.value(0))
            return self.value(reached[0])
        return self.value(level) if self.value(level) >= self.bid else self.lost(self.value(level))
    # --- Ramsch (90.9) ---
    def ramsch(self):  # Ramsch, with pushing and passing on under `schieber` (SK-R-69 to SK-R-72).
        self.type = "R"
        for p in range(3) if self.o["ramsch"] == "schieber" else []:
            _, _, value = yield from self.ask([p], "choose")
            if read(one_of("take", "push"), value) == "push":
                self.pushes += 1
                continue
            yield from self.take(p)
            _, _, value = yield from self.ask([p], "aside")
            self.lay_aside(p, value)
            self.game.claims.append(Claim(self.discards, JACKS, 0, 0))
        yield from self.tricks_played()
        self.taken[self.last_winner] += 120 - sum(self.taken)
        factor, self.ramsch_scores = 2 ** self.pushes, [0] * 3
        if 10 in self.tricks:
            self.ramsch_scores[self.tricks.index(10)] = 120 * factor
            return
        most = max(self.taken)
        if self.taken.count(most) < 3:
            factor *= 2 if 0 in self.tricks else 1
            self.ramsch_scores = [-most * factor if points == most else 0 for points in self.taken]
