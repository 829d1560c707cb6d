"""Hungarian tarokk: a session, its auction, exchange, announcements and play (chapters 61 and 62).

Faces are numbers from 0 (R-CARD-9): T1 to T22 are 0 to 21, then five of each suit from low to high.
Players 0 to 3 are A to D. A hand is the list of its places by letter (61.17)."""
from types import SimpleNamespace
from game import Claim, Duty, Game, number_option, read, read_options, rule, single
from suites import Deck
from tarokk_score import deal_payments, score, share
from wire import boolean, list_of, object_of, one_of, string

LEVELS = ["three", "two", "one", "solo"]
FIGURES = ["trull", "four_kings", "double", "volat", "pagat_ultimo", "xxi_capture"]
DECK = set(range(42))
TAROKK, SUITS, HONOUR, BIG = set(range(22)), set(range(22, 42)), {0, 20, 21}, {20, 21}
KINGS = {26, 31, 36, 41}
TDISC, PLAINDISC = set(range(1, 20)), SUITS - KINGS
OPTION_TABLE = """
preset book cup bga; red-low ace four; seat-draw true false; ending deals skiz; deal-knock false true;
throw-in overlap none queue quad; bid-hold new old; raise-sole false true; trial-level any three;
trial-pays base two; conventions true false; solo-jump new old bga; first-bid invit never withdrawn;
invit-commit always if-other-declares; invit-to any bidder-hold; hold-refuses false true; xvii off pais;
yield-shows big-honour honour; ultimo-duty dealt exchanged; discard-xx allowed forbidden uninvited;
free-call any none; discard-announce after-discard first-turn; annul-after-tarokk kings all;
annul-time after-discard before-discard; double-volat-same-turn false true;
double-volat-same-player true false; count-side neutral figure; count-pais false true;
forced-contra silent spoken; pagat-retention announcers any-holder; score-gdv six-rules exclusive;
defenders-silent always contra-only; contra-volat add triple; volat-trull neither trull;
double-kings scored not; contra-tie 47 48; ultimo-pool false true; late-count covered always never;
talon-fee false true; dealer-weeps false true"""
OPTIONS = {line.split()[0]: line.split()[1:] for line in OPTION_TABLE.split(";")}
SUBSETS = ["".join(c for i, c in enumerate("abcde") if n >> i & 1) for n in range(31)]
OPTIONS["annul-hands"] = ["abcde", *SUBSETS]
VALUES = {"kings-silent": "1", "kings-announced": "2", "ultimo-silent": "5", "ultimo-announced": "10",
          "xxi-silent": "21", "xxi-announced": "42"}
BOOK = {**{name: values[0] for name, values in OPTIONS.items()}, **VALUES}
PRESETS = {"book": {}, "cup": {"xxi-silent": "42", "xxi-announced": "84"}, "bga": {
    "trial-pays": "two", "solo-jump": "bga", "first-bid": "withdrawn", "hold-refuses": "true",
    "yield-shows": "honour", "ultimo-duty": "exchanged", "discard-xx": "uninvited", "free-call": "none",
    "annul-hands": "abd", "annul-time": "before-discard", "double-kings": "not", "ultimo-pool": "true"}}
CONVENTIONS = ("solo-jump", "first-bid", "invit-commit", "invit-to", "hold-refuses", "xvii", "yield-shows")
def suit(face): return (face - 22) // 5 if face >= 22 else None  # 0 to 3, or a tarokk's: none
def suit_faces(number): return set(range(22 + 5 * number, 27 + 5 * number))  # SUIT(s) of R-CARD-8.
def check_options(o, members):  # The contradictions of 61.13.
    if o["conventions"] == "false":
        rule(all(o[n] == BOOK[n] for n in CONVENTIONS) and o["discard-xx"] != "uninvited", "conventions")
    rule(o["hold-refuses"] == "false" or o["invit-to"] == "any" and o["xvii"] == "off", "hold-refuses")
    rule(o["discard-announce"] == "after-discard" or o["free-call"] == "none", "discard-announce")
    if o["annul-time"] == "before-discard":
        rule(set(o["annul-hands"]) <= set("abd") and o["annul-after-tarokk"] == "kings", "annul-time")
    rule(o["double-volat-same-turn"] == "false" or o["double-volat-same-player"] == "true", "double-volat")
    for name in ("kings", "ultimo", "xxi"): rule(int(o[name + "-silent"]) <= int(o[name + "-announced"]), name)
    rule(members == 5 or o["talon-fee"] == o["dealer-weeps"] == "false", "five members")

class Tarokk(Game):  # `tarokk/v1`: the session (61.13, 61.18).
    def setup(self, options):  # Options, deck and members (61.13, 61.18.1).
        read_options(options, {**OPTIONS, **{name: number_option(0, 1000) for name in VALUES}})
        rule(self.n in (4, 5), "R-SEAT-1")
        self.o = {**BOOK, **PRESETS[options.get("preset", "book")], **options}
        check_options(self.o, self.n)
        faces, low = [f"T{number}" for number in range(1, 23)], {"ace": "A", "four": "4"}[self.o["red-low"]]
        faces += [name + rank for name in "HD" for rank in low + "JRQK"]
        faces += [name + rank for name in "CS" for rank in "TJRQK"]
        self.deck, self.face = Deck("tarokk/v1/" + self.o["red-low"], faces), one_of(*faces)
        self.scores, self.pool, self.rounds, self.members = [0] * self.n, 0, [], list(range(self.n))
        self.dealer, self.skiz_said, self.turns_left = self.n - 1, False, None
    # Whether an option has this value; and the members, beginning with the one at a place.
    def on(self, option, value="true"): return self.o[option] == value
    def turned(self, place): return [self.members[(place + i) % self.n] for i in range(self.n)]
    def result(self):  # Scores, and the pool shared from the member on who would deal next (61.18.4, PAK-5).
        shares = dict(zip(self.turned(self.dealer), share(self.pool, self.n)))
        return [score + shares[seat] for seat, score in enumerate(self.scores)]
    def play(self):  # The draw for seats, and deals until the session is over (61.18).
        if self.on("seat-draw"):
            yield [Duty("shuffle", self.turned(self.dealer))]
            _, _, faces = yield [Duty("show", cards=range(self.n))]
            self.members = sorted(range(self.n), key=lambda seat: -faces[seat])
        while True:
            deal = TarokkDeal(self)
            yield from deal.play()
            completed = deal.outcome != "thrown in"
            self.settle_deal(deal, completed)
            if completed or self.on("throw-in", "none"): self.next_dealer(deal)
            if len(self.paid) == self.deals or self.turns_left == 0: return
            said = []
            for seat in self.turned(self.dealer) if completed and self.on("ending", "skiz") else []:
                _, move, _ = yield [Duty("move", [seat])]
                words = one_of("go", "stop", *["skiz"] * (not self.skiz_said))
                said.append(read(words, single(move, "wish")[1]))
                self.skiz_said = self.skiz_said or said[-1] == "skiz"
            if said == ["stop"] * self.n: return
    def settle_deal(self, deal, completed):  # What a deal pays, and does to double rounds and the pool (61.18.4).
        factor, paid = 2 ** len(self.rounds), [0] * self.n
        pays, pooled, self.pool = deal_payments(deal, self.pool)
        multiplied = [(seat, factor * amount) for seat, amount in pays.items()]
        for seat, amount in multiplied + list(zip(deal.players, pooled)):
            paid[seat] += amount
            self.scores[seat] += amount
        if completed:
            self.rounds = [left - 1 for left in self.rounds if left > 1]
            self.paid.append(paid)
        elif self.on("throw-in", "queue") and self.rounds: self.rounds[-1] += self.n
        elif self.on("throw-in", "quad") and self.rounds: self.rounds = [self.n, self.n]
        elif not self.on("throw-in", "none"): self.rounds = (self.rounds + [self.n])[-16:]
    def next_dealer(self, deal):  # The deal passes on; the end of the session under the skíz procedure (R-SESS-2).
        if self.turns_left is not None: self.turns_left -= 1
        elif self.skiz_said and deal.outcome == "played":
            holder = self.members.index(deal.players[deal.played_by[21]])
            self.turns_left = self.n + (holder - self.dealer) % self.n - 1
        self.dealer = (self.dealer + 1) % self.n

class TarokkDeal:  # One deal (61.18.3): each method is a stage, or a part of one.
    def __init__(self, game):
        self.game, self.on = game, game.on
        self.players = game.turned(game.dealer + 1)[:4]
        self.dealt = [[*range(6 + 5 * p, 11 + 5 * p), *range(26 + 4 * p, 30 + 4 * p)] for p in range(4)]
        self.declarer = self.level = self.must_call = self.called = self.last_call = None
        self.invit = self.duty_ultimo = self.yielder = None
        self.positive, self.outcome, self.last_side, self.side = [], "played", "DEC", [None] * 4
        self.is_called, self.out, self.held, self.sole, self.trial = [0] * 4, [0] * 4, 0, 0, 0
        self.count, self.le7, self.spoken, self.claims_late, self.fees = ([0] * 4 for _ in range(5))
        self.items, self.announcer, self.open_faces, self.played_by, self.tricks = {"game": 0}, {}, {}, {}, []
        self.void, self.notar, self.disclosed = [set() for _ in range(4)], [False] * 4, [False] * 4
        self.discards, self.tarokks = [[] for _ in range(4)], [[] for _ in range(4)]
    # --- helpers: players in turn from one on, moves, groups of cards and claims (62.1) ---
    def turn_from(self, player): return [(player + i) % 4 for i in range(4)]
    def ask(self, players, field):  # Wait for a move of one of these players: the player and the value (61.17).
        seat, move, _ = yield [Duty("move", [self.players[p] for p in players])]
        return self.players.index(seat), single(move, field)[1]
    def claim(self, cards, faces, low=None, high=None, dealt=False):
        """low..high of these cards in a set; all of them where no bound is given (62.1)."""
        size = len(cards)
        found = Claim(cards, faces, size if low is None else low, size if high is None else high, dealt)
        self.game.claims += [found] if cards and found.says_something() else []
    # The same of the nine cards that were dealt, H0; the cards in hand, H1; the discards that are not open.
    def claim_dealt(self, p, faces, low=None): self.claim(self.dealt[p], faces, low, dealt=True)
    def hand(self, p): return [c for c in self.hands[p] if c not in {*self.discards[p], *self.open_faces}]
    def closed(self, p): return [card for card in self.discards[p] if card not in self.open_faces]
    def letters(self, value, player, among, count=None):  # The cards named by an ascending string of letters (61.17).
        found = [ord(letter) - ord("a") for letter in read(string(0, 15), value)]
        rule(found == sorted(set(found)) and all(0 <= i < len(self.hands[player]) for i in found), "letters")
        cards = [self.hands[player][i] for i in found]
        rule(set(cards) <= set(among) and count in (None, len(cards)), "letters")
        return cards
    def turn_up(self, cards, names):  # Cards that a move turns up, with the faces that it names (62.4.9).
        names = read(list_of(self.game.face, len(cards), len(cards)), names)
        faces = [self.game.deck.number[name] for name in names]
        self.game.opened += zip(cards, faces)
        self.open_faces.update(zip(cards, faces))
        return faces
    def is_side(self, p, side):  # The side of a player is public, and with a partner's that of the others (62.3.1).
        self.side[p] = side
        if side == "DEC" and p != self.declarer:
            self.side = ["DEC" if q in (p, self.declarer) else "DEF" for q in range(4)]
    def alone_in_public(self): self.side = ["DEC" if q == self.declarer else "DEF" for q in range(4)]  # 62.3.1
    def play(self):  # The deal, until it is over (61.18.3).
        yield [Duty("shuffle", self.game.turned(self.game.dealer))]
        if self.on("deal-knock"): yield from self.knock()
        self.hands = [list(hand) for hand in self.dealt]
        yield self.shows()
        speaker = self.next_speaker(3)
        while speaker is not None:
            _, value = yield from self.ask([speaker], "call")
            self.call(speaker, read(one_of("pass", "hold", *LEVELS), value))
            speaker = self.next_speaker(speaker)
        if self.last_call is None:
            self.outcome = "thrown in"
            return
        self.declarer, self.base = self.last_call, self.level + 1
        self.side[self.declarer] = "DEC"
        yield from self.confirm()
        if self.outcome == "played": yield from self.exchange()
    def shows(self): return [Duty("show", cards=self.hands[p], to=self.players[p]) for p in range(4)]  # 61.18.3
    def knock(self):  # The dealer's left neighbour may knock; then packets are chosen (OPT-DEAL-KNOCK).
        left = 2 if self.game.n == 4 else 3
        _, value = yield from self.ask([left], "knock")
        packets = [0, 1, 2, 3] if read(boolean, value) else []
        for player in [(left - i) % 4 for i in range(len(packets))]:
            packet = packets[0]
            if len(packets) > 1:
                _, value = yield from self.ask([player], "packet")
                packet = read(one_of(*packets), value)
            packets.remove(packet)
            self.dealt[player] = list(range(6 + 9 * packet, 15 + 9 * packet))
    # --- auction (61.4, 61.5, 62.4.1) ---
    def may_hold(self, p):  # canHold of R-BID-13.
        return (self.level is not None and self.last_call != p and self.is_called[p] and not self.held
                and (self.on("bid-hold", "new") or p < self.last_call))
    def least_call(self, p): return 0 if self.level is None else self.level + (not self.may_hold(p))  # R-BID-13
    def next_speaker(self, after):  # Who speaks next, or nobody (R-BID-13, PAK-12).
        for p in self.turn_from((after + 1) % 4):
            if not self.out[p] and self.last_call != p and self.least_call(p) <= 3: return p
        lone = [c for _, c in self.positive] == ["three"] and sum(self.out) == 3 and not self.trial_position
        if self.on("raise-sole") and lone and not self.sole:
            self.sole = True
            return self.last_call
        return None
    def call(self, p, call):  # One call, and what it proves (62.4.1).
        fourth = self.trial_position = sum(self.out) == 3 and self.level is None
        if call == "pass":
            if not self.sole: self.pass_shows(p)
            self.out[p], self.trial_position = True, False
            return
        level = self.level if call == "hold" else LEVELS.index(call)
        if call == "hold": rule(self.may_hold(p), "R-BID-6")
        else:
            rule(self.level is None or level > self.level, "R-BID-5")
            rule(not self.sole or call in ("two", "one"), "OPT-BID-RAISE-SOLE")
        self.trial = fourth and (self.on("trial-level", "any") or call == "three")
        if not self.is_called[p] and not self.trial: self.claim_dealt(p, HONOUR, 1)
        shown = None if call == "hold" or fourth or self.sole else self.invit_of(p, level)
        if self.invit and self.invit.opening and self.invit.maker == p and self.on("first-bid", "withdrawn"):
            self.invit.stands = False
        if shown: self.make_invit(p, shown)
        self.level, self.held, self.last_call, self.is_called[p] = level, call == "hold", p, True
        self.positive.append((p, call))
    def invit_of(self, p, level):  # The tarokk that a raise shows, or none (61.5, 61.13).
        jump, before = level - self.least_call(p), [call for _, call in self.positive]
        addressed = any(self.is_called[q] and not self.out[q] and q != p
                        and (self.on("bid-hold", "new") or q < p) for q in range(4))
        barred = self.on("invit-to", "bidder-hold") and not addressed
        if self.on("conventions", "false") or self.invit or barred: return None
        if self.on("xvii", "pais") and jump == 1 and self.is_called[p]: return 17
        if not before: return None if self.on("first-bid", "never") else {1: 19, 2: 18}.get(jump)
        if self.on("hold-refuses") and before == ["three", "two"] and level == 2 and self.positive[0][0] == p: return 18
        if level == 3 and not self.on("solo-jump", "new") and jump >= 1:
            return None if self.on("solo-jump", "bga") and before == ["three", "two", "hold"] else 18
        return {1: 19, 2: 18}.get(jump)
    def make_invit(self, p, number):  # An invit, with its card proved now or later (62.4.1).
        opening = not self.positive
        waits = self.on("invit-commit", "if-other-declares") or opening and self.on("first-bid", "withdrawn")
        self.invit = SimpleNamespace(maker=p, card=number - 1, proved=not waits, stands=True, opening=opening,
                                     place=len(self.positive))
        if not waits: self.claim_dealt(p, {number - 1}, 1)
        if number == 17: self.claim_dealt(p, BIG, 1)
    def accepted(self):  # Whether the invit is accepted (62.4.1).
        calls, place = [call for _, call in self.positive], self.invit.place
        if self.on("invit-to", "bidder-hold"): return calls[place + 1:place + 2] == ["hold"]
        return not (self.on("hold-refuses") and place == 2 and calls[:4] == ["three", "two", "one", "hold"])
    def owes_card(self): return not self.invit.proved and self.invit.stands and self.accepted()  # 62.4.1
    def pass_shows(self, p):  # B-YIELD, or the card of an invit that waited (62.4.1).
        if self.invit and self.invit.maker == p and self.owes_card():
            self.claim_dealt(p, {self.invit.card}, 1)
            self.invit.proved = True
        pattern = [call for _, call in self.positive] == ["three", "two"] and self.positive[0][0] == p
        if self.on("conventions") and pattern and sum(self.out) == 2:
            self.claim_dealt(p, {19}, 1)
            if self.on("yield-shows", "big-honour"): self.claim_dealt(p, BIG, 1)
            self.yielder = p
    def confirm(self):  # The confirmation of an invit that waited (PAK-4), and what must be called (R-CONV-7, -11).
        invit = self.invit
        if invit and invit.maker != self.declarer:
            if self.owes_card():
                _, value = yield from self.ask([invit.maker], "confirm")
                invit.proved = read(boolean, value)
                self.outcome = "played" if invit.proved else "broken"
                faces = {invit.card} if invit.proved else DECK - {invit.card}
                self.claim_dealt(invit.maker, faces, 1 if invit.proved else None)
            if invit.proved and self.accepted():
                self.must_call = invit.card
                self.is_side(invit.maker, "DEC")
                self.duty_ultimo = invit.maker if invit.card != 16 else None
        if self.yielder is not None:
            self.must_call = 19
            self.is_side(self.yielder, "DEC")
            self.duty_ultimo = self.yielder if self.on("yield-shows", "honour") else None
    # --- talon, discards, annulment (61.6, 62.4.2 to 62.4.4) ---
    def exchange(self):  # Talon and trial, and then the rest of the deal (R-TAL-1, R-BID-16).
        first, rest = 3 - self.level, 3 + self.level
        self.order, talon, card = self.turn_from(self.declarer), {}, 0
        for place, p in enumerate(self.order):
            number = first if not place else rest // 3 + (place - 1 < rest % 3)
            talon[p] = list(range(card, card + number))
            card += number
        self.drew = [len(talon[p]) for p in range(4)]
        if self.trial:
            self.hands[self.declarer] += talon.pop(self.declarer)
            yield self.shows()
            _, value = yield from self.ask([self.declarer], "trial")
            passed = read(boolean, value)
            self.claim(self.hands[self.declarer], HONOUR if passed else DECK - HONOUR, 1 if passed else None)
            if not passed:
                self.outcome = "trial"
                return
        for p, cards in talon.items(): self.hands[p] += cards
        yield self.shows()
        yield from self.after_draw([p for p in self.order if self.drew[p]])
    def after_draw(self, drawers):  # Discards, disclosures, annulment; then announcements, play and the end (61.18.3).
        if self.on("annul-time", "before-discard") and (yield from self.annul()): return
        yield [Duty("permute", [self.players[p]], self.hands[p]) for p in drawers]
        waiting = list(drawers)
        while waiting:
            p, value = yield from self.ask(waiting, "discard")
            self.discards[p] = self.letters(value, p, self.hands[p], self.drew[p])
            if self.on("discard-announce", "first-turn"):
                self.claim(self.discards[p], (TDISC | PLAINDISC) - self.kept())
            waiting.remove(p)
        for p in drawers if self.on("discard-announce", "after-discard") else []:
            _, value = yield from self.ask([p], "disclose")
            self.disclose(p, value)
        if self.on("annul-time", "after-discard") and (yield from self.annul()): return
        speaker, silent = self.declarer, 0
        while silent < 3:
            _, value = yield from self.ask([speaker], "say")
            silent = 0 if self.say(speaker, value) else silent + 1
            speaker = (speaker + 1) % 4
        yield from self.tricks_played()
        yield from self.finish(drawers)
    def kept(self):  # F of 62.1: what may not be discarded besides honours and kings.
        kept = set() if self.must_call is None else {self.must_call}
        forbidden = self.on("discard-xx", "forbidden") or self.on("discard-xx", "uninvited") and not kept
        return kept | ({19} if forbidden else set())
    def disclose(self, p, value):  # Which discards are tarokks; the declarer turns his up (R-DISC-6, D-CLASS, D-OPEN).
        opens = p == self.declarer and read(len, value) > 1
        said = read(object_of(("tarokks", string(0, 15)), *[("open", lambda names: names)] * opens), value)
        self.tarokks[p], self.disclosed[p] = self.letters(said.tarokks, p, self.discards[p]), True
        allowed = TDISC - self.kept()
        if p == self.declarer:
            rule(bool(self.tarokks[p]) == opens, "D-OPEN")
            rule(not opens or set(self.turn_up(self.tarokks[p], said.open)) <= allowed, "D-OPEN")
        self.claim([card for card in self.discards[p] if card not in self.tarokks[p]], PLAINDISC)
        if p != self.declarer: self.claim(self.tarokks[p], allowed)
    def annul(self):  # Each player in turn may annul, with N-a to N-e; true if one did (R-ANN-4, 62.4.4).
        kings_only = self.on("annul-after-tarokk", "kings")
        for p in self.order if self.game.o["annul-hands"] else []:
            _, value = yield from self.ask([p], "annul")
            kind, hand = read(one_of("", *self.game.o["annul-hands"]), value), self.hand(p)
            if not kind: continue
            self.outcome = "thrown in"
            if kind == "a":
                self.claim(hand, KINGS, 4, 4)
                return True
            rule(not (self.disclosed[p] and self.tarokks[p] and kings_only), "R-ANN-2")
            if not self.disclosed[p] and kings_only: self.claim(self.discards[p], PLAINDISC)
            tarokks = {"b": [20], "c": [0], "d": [], "e": [20, 0]}[kind]
            for face in tarokks: self.claim(hand, {face}, 1)
            self.claim(hand, SUITS, len(hand) - len(tarokks))
            return True
        return False
    # --- announcements (61.7, 61.8, 62.4.5, 62.4.6) ---
    def say(self, p, value):  # One turn; true if it said anything (61.8.1).
        first = not self.spoken[p]
        discloses = self.on("discard-announce", "first-turn") and first and self.drew[p] > 0
        fields = [("turn", list_of(string(1, 40), 0, 20))] + [("discards", lambda item: item)] * discloses
        said = read(object_of(*fields), value)
        if discloses: self.disclose(p, said.discards)
        self.turn = SimpleNamespace(first=first, stepped=set(), figures=[], ultimo=False, contra=False,
                                    forced=False, called=False, contred=self.items["game"] > 0)
        for place, statement in enumerate(said.turn): self.statement(p, place, *statement.partition(":")[::2])
        rule(self.turn.called or not (first and p == self.declarer), "R-CALL-1")
        self.end_of_turn(p)
        self.spoken[p] = True
        return bool(said.turn)
    def statement(self, p, place, kind, what):  # One statement of a turn (R-ANC-2).
        opening = self.turn.first and p == self.declarer
        rule(kind in ("count", "call") or self.turn.called or not opening, "R-ANC-2")
        if kind == "count":
            early = not place or self.on("count-pais") and p != self.declarer
            rule(what in ("8", "9") and early and not self.count[p] and not self.le7[p], "R-CNT-4")
            self.say_count(p, int(what))
        elif kind == "call":
            rule(opening and not self.turn.called and what in self.game.deck.faces[1:20], "R-CALL-1")
            self.call_partner(p, self.game.deck.number[what])
        elif kind == "fig":
            rule(what in FIGURES, "R-FIG-1")
            self.figure(p, what)
        elif kind == "contra":
            rule(what in self.items, "R-CON-1")
            self.contra(p, what)
        else:
            rule((kind, what) == ("compulsory", "game") and self.on("forced-contra", "spoken"), "PAK-10")
            rule(self.might_have_to(p) and not self.items["game"], "PAK-10")
            self.claim(self.tarokks[p], {self.called}, 1)
            self.items["game"], self.turn.contra, self.turn.forced, self.last_side = 1, True, True, "DEF"
            self.turn.stepped.add("game")
            self.alone_in_public()
    def take_side(self, p, side):  # A statement puts a player on a side: A-PART, A-OPP if it is not public (R-SIDE-7).
        rule(self.side[p] in (None, side), "R-SIDE-7")
        if self.side[p] is None:
            self.claim_partner(self.hand(p), side)
            self.is_side(p, side)
    def claim_partner(self, cards, side):  # That the called card is among these, or is not (62.4.6).
        self.claim(cards, *(({self.called}, 1) if side == "DEC" else (DECK - {self.called},)))
    def say_count(self, p, number):  # A count, under options one that shows a side (R-CNT-1, OPT-COUNT-SIDE, -PAIS).
        if self.side[p] is None and (self.on("count-side", "figure") or self.on("count-pais")):
            side = self.last_side if self.on("count-side", "figure") else "DEF"
            rule(side == "DEF" or not self.on("count-pais"), "OPT-COUNT-PAIS")
            self.take_side(p, side)
        if self.on("count-side", "figure"): self.last_side = self.side[p]
        self.count[p] = number
        self.claim(self.hand(p), TAROKK, number, number)
    def call_partner(self, p, called):  # The call of a tarokk, and C-BELOW (61.7, 62.4.5).
        self.called, self.turn.called = called, True
        shown = [self.open_faces[card] for card in self.tarokks[p]]
        free = self.on("free-call", "any") and any(self.tarokks[q] for q in range(4) if q != p)
        if self.must_call is not None: rule(called == self.must_call, "R-CALL-6")
        elif not free and called != 19:
            above = set(range(called + 1, 20)) - set(shown)
            rule(called not in shown and len(above) <= 8, "R-CALL-3")
            if above: self.claim(self.hand(p), above, len(above))
            self.claim(self.hand(p), DECK - {called})
        if called in shown: self.alone_in_public()
    def figure(self, p, what):  # A figure for the speaker's side (61.8.3, R-SIDE-2).
        side = self.side[p] or self.last_side
        item = f"{side}.{what}"
        rule(item not in self.items, "R-FIG-9")
        rule(what != "double" or f"{side}.volat" not in self.items, "R-FIG-8")
        if what == "volat" and self.announcer.get(f"{side}.double") == p:
            rule(self.on("double-volat-same-player"), "OPT-DV-SAME-PLAYER")
            rule("double" not in self.turn.figures or self.on("double-volat-same-turn"), "R-FIG-7")
        self.take_side(p, side)
        self.items[item], self.announcer[item], self.last_side = 0, p, side
        self.turn.figures.append(what)
        self.turn.stepped.add(item)
    def contra(self, p, item):  # The next step of an item's ladder (61.8.4, R-SIDE-3).
        rule(item not in self.turn.stepped and self.items[item] < 5, "R-CON-3")
        owner, step = item.split(".")[0] if "." in item else "DEC", self.items[item] + 1
        side = owner if step % 2 == 0 else {"DEC": "DEF", "DEF": "DEC"}[owner]
        self.take_side(p, side)
        self.items[item], self.last_side, self.turn.contra = step, side, True
        self.turn.stepped.add(item)
        self.turn.ultimo = self.turn.ultimo or step == 1 and item.endswith("pagat_ultimo")
    def might_have_to(self, p):  # Whether a player might have to contra the game (62.4.6).
        shown = [self.open_faces[card] for card in self.tarokks[self.declarer]]
        partner = any(self.side[q] == "DEC" for q in range(4) if q != self.declarer)
        return (self.turn.first and p != self.declarer and bool(self.tarokks[p]) and not self.turn.contred
                and not partner and self.called not in shown
                and (self.called != 19 or self.on("discard-xx", "allowed")))
    def end_of_turn(self, p):  # A-LE7, A-ULTI and A-DCONTRA (62.4.6).
        turn = self.turn
        obliged = "pagat_ultimo" in turn.figures or turn.ultimo
        obliged = obliged or self.on("count-pais") and (turn.figures or turn.contra)
        if obliged and not self.count[p] and not self.le7[p]:
            self.claim(self.hand(p), SUITS, 2)
            self.le7[p] = True
        if turn.first and self.duty_ultimo == p and "DEC.pagat_ultimo" not in self.items:
            exchanged = self.on("ultimo-duty", "exchanged")
            self.claim(self.hand(p) if exchanged else self.dealt[p], BIG, 1, dealt=not exchanged)
        done = turn.forced if self.on("forced-contra", "spoken") else "game" in turn.stepped
        if self.might_have_to(p) and not done: self.claim(self.tarokks[p], DECK - {self.called})
    # --- play (61.9, 62.4.7) ---
    def tricks_played(self):  # Nine tricks, each won by its highest tarokk, or highest card of the suit led (R-PLAY-5).
        leader = 0
        for _ in range(9):
            self.trick = []
            for p in self.turn_from(leader):
                _, value = yield from self.ask([p], "play")
                self.play_card(p, value)
            led = suit(self.trick[0][1])
            leader = max((f if f < 22 else -1, f if suit(f) == led else -1, p) for p, f in self.trick)[2]
            self.tricks.append((leader, self.trick))
    def play_card(self, p, value):  # A card, and what is proved of the rest of the hand (62.4.7).
        sided = read(len, value) > 2
        said = read(object_of(("card", string(1, 1)), ("face", self.game.face),
                              *[("side", one_of("DEC", "DEF"))] * sided), value)
        card, = self.letters(said.card, p, self.hand(p))
        face, rest = self.game.deck.number[said.face], [other for other in self.hand(p) if other != card]
        rule(face == 0 or not sided, "62.4.7")
        bound = face == 0 and self.pagat_bound(p, rest, said.side if sided else None)
        rule(self.trick or not bound, "R-PLAY-6")
        if sided:
            self.claim_partner(rest, said.side)
            self.is_side(p, said.side)
        self.follow(p, face, rest, bound)
        self.turn_up([card], [said.face])
        self.played_by[face] = p
        self.trick.append((p, face))
        if face == self.called:
            self.alone_in_public()
            if p != self.declarer: self.is_side(p, "DEC")
    def pagat_bound(self, p, rest, side):  # Whether an announced pagátultimó binds who plays the pagát (62.4.7).
        announced = [s for s in ("DEC", "DEF") if f"{s}.pagat_ultimo" in self.items] if rest else []
        any_side = len(announced) == 2 or self.on("pagat-retention", "any-holder")
        if not announced or any_side or self.side[p]:
            rule(side is None, "62.4.7")
            return bool(announced) and (any_side or self.side[p] == announced[0])
        rule(side != announced[0], "62.4.7")
        return side is None
    def follow(self, p, face, rest, bound):  # The claim about the rest of the hand, and what it tells (62.3, 62.4.7).
        needed, seen = set(), set(self.open_faces.values())
        if self.trick:
            led = suit(self.trick[0][1])
            if led is not None and suit(face) != led and not self.known_void(p, led, seen): needed |= suit_faces(led)
            if not (self.notar[p] or TAROKK <= seen) and (suit(face) not in (None, led) or bound): needed |= TAROKK
        if needed and rest:
            self.claim(rest, DECK - needed)
            self.notar[p] = self.notar[p] or 0 in needed
            self.void[p] |= {suit(other) for other in needed if other >= 22}
    def known_void(self, p, number, seen):  # SK-2 to SK-4 for a suit.
        played_suit = any(q == p and face >= 22 for face, q in self.played_by.items())
        counted = self.count[p] == 9 or self.count[p] == 8 and played_suit
        return number in self.void[p] or counted or suit_faces(number) <= seen
    # --- the end (62.4.8, 61.18.4) ---
    def finish(self, drawers):  # Discards are turned up; late counts; fees (R-CNT-5, E-OPEN, E-FEE).
        waiting = [p for p in self.order if self.closed(p)]
        while waiting:
            p, value = yield from self.ask(waiting, "open")
            self.turn_up(self.closed(p), value)
            waiting.remove(p)
        self.score = score(self)
        for p in [p for p in range(4) if self.may_claim(p)]:
            _, value = yield from self.ask([p], "claim")
            self.claims_late[p] = self.late(p) if read(boolean, value) else 0
        for p in drawers if self.on("talon-fee") else []:
            _, value = yield from self.ask([p], "fee")
            faces = [self.game.deck.number[name] for name in read(list_of(self.game.face, 0, 3), value)]
            rule(set(faces) <= HONOUR and faces == sorted(set(faces)) and len(faces) <= self.drew[p], "E-FEE")
            if faces: self.claim(self.hands[p][9:], set(faces), len(faces), dealt=True)
            if set(faces) != HONOUR: self.claim(self.hands[p][9:], DECK - (HONOUR - set(faces)), dealt=True)
            self.fees[p] = sum({21: 3, 20: 2, 0: 1}[face] for face in faces)
    def late(self, p):  # What a late count would bring from each partner: 1 or 2, or nothing (R-CNT-5).
        return {8: 1, 9: 2}.get(sum(q == p and face < 22 for face, q in self.played_by.items()), 0)
    def may_claim(self, p):  # Whether a count may be claimed late (R-CNT-5, `late-count`).
        dec = p in self.score.dec
        partners = len(self.score.dec) - 1 if dec else 3 - len(self.score.dec)
        if self.on("late-count", "never") or self.count[p] or not self.late(p) or not partners: return False
        return self.on("late-count", "always") or (self.score.v if dec else -self.score.v) >= self.late(p)
