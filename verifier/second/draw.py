"""Five-card draw (chapter 92). Faces are 13·suit + rank, suits C S H D, ranks A 2 … K (FD-R-01)."""
from types import SimpleNamespace
from game import Duty, Game, number_option, places, read, read_options, rule, single
from suites import Deck
from wire import integer, list_of, object_of, one_of

CHOICES = {"rules": ["table", "by-email"], "limit": ["fixed", "pot", "none"], "reopen": ["full", "half"],
           "draw": ["together", "one-by-one"], "pick": ["order", "opponent"],
           "showdown": ["muck", "all"], "wheel": ["true", "false"], "second-betting": ["true", "false"],
           "reshuffle": ["no", "discards"], "payout": ["chips", "places"], "disclose": ["table", "deal"],
           "silent": ["waits", "forfeits"], "openers": ["none", "jacks"]}
BY_EMAIL = {"ante": "0", "limit": "none", "bet": "1", "stack": "100", "draw": "one-by-one",
            "pick": "opponent", "second-betting": "false", "showdown": "all", "disclose": "deal"}
NAMES = [rank + suit for suit in "CSHD" for rank in ["A", *map(str, range(2, 11)), "J", "Q", "K"]]
def height_of(face): return face % 13 + 1 if face % 13 else 14  # The rank of a face: 2 to 14, the ace high.
def strength(faces, wheel=True):  # A hand as a tuple: a better one is greater, equal ones share (FD-R-44).
    ranks = sorted(map(height_of, faces), reverse=True)
    groups = sorted(((ranks.count(rank), rank) for rank in set(ranks)), reverse=True)
    shape, order = [count for count, _ in groups], [rank for _, rank in groups]
    flush = len({face // 13 for face in faces}) == 1
    straight = ranks[0] if len(set(ranks)) == 5 and ranks[0] - ranks[4] == 4 else 0
    straight = 5 if ranks == [14, 5, 4, 3, 2] and wheel else straight
    if straight: return (8 if flush else 4, straight)
    kinds = {(4, 1): 7, (3, 2): 6, (3, 1, 1): 3, (2, 2, 1): 2, (2, 1, 1, 1): 1, (1, 1, 1, 1, 1): 0}
    return (5 if flush else kinds[tuple(shape)], *order)
def around(seats, count, dealer): return sorted(seats, key=lambda seat: (seat - dealer - 1) % count)  # FD-R-04
def split(total, sharers, count, dealer):  # Chips in equal parts, odd ones from the left of the dealer (FD-R-52).
    order = around(sharers, count, dealer)
    return {seat: total // len(order) + (place < total % len(order)) for place, seat in enumerate(order)}
def uncalled(paid):  # What goes back to a seat that put in more than any other (FD-R-50).
    first, second = sorted(paid, reverse=True)[:2]
    return [amount - second if amount == first else 0 for amount in paid]
def pots(paid, live, middle=0):  # Pots with chips and claimants; the middle is in the first (FD-R-51, 92.8).
    found, last = [], 0
    for amount in sorted(set(paid) - {0}):
        chips = sum(min(other, amount) - min(other, last) for other in paid)
        claimants = [seat for seat in live if paid[seat] >= amount]
        if found and (not claimants or found[-1].claimants in ([], claimants)):
            found[-1].chips += chips
            found[-1].claimants = claimants or found[-1].claimants
        else: found.append(SimpleNamespace(chips=chips, claimants=claimants))
        last = amount
    found = found or [SimpleNamespace(chips=0, claimants=list(live))]
    found[-1].claimants = found[-1].claimants or list(live)
    found[0].chips += middle
    return found
def award(found, hands, count, dealer):
    """What each seat receives of pots, by the hands that were shown, and what stays (FD-R-52, FD-R-62)."""
    received, left = [0] * count, 0
    for pot in found:
        shown = [seat for seat in pot.claimants if seat in hands]
        best = [seat for seat in shown if hands[seat] == max(hands[other] for other in shown)]
        winners = pot.claimants if len(pot.claimants) == 1 else best
        if not winners:
            left += pot.chips
            continue
        for seat, chips in split(pot.chips, winners, count, dealer).items(): received[seat] += chips
    return received, left
def totals(limit, unit, bet, cap, r, own, stack, middle):
    """The least and the greatest total of a bet or raise, 0 and 0 if there is none (FD-R-22 to FD-R-25)."""
    most = own + stack
    if most <= r.height or limit == "fixed" and cap and r.count >= cap: return 0, 0
    low = r.height + (unit if limit == "fixed" else max(r.step, bet))
    high = {"fixed": low, "pot": r.height + middle + r.height - own, "none": most}[limit]
    return min(low, most), min(high, most)
def prizes(chips, went_out, percents, stack, dealer):
    """The prize of each seat: `went_out` has deal, chips when it began, and its dealer (FD-R-55)."""
    count, pool = len(chips), len(chips) * stack
    worth = [pool * percent // 100 for percent in percents] + [0] * (count - len(percents))
    worth[0] += pool - sum(worth)
    rank = {s: (0, *went_out[s][:2]) if s in went_out else (1, 0, chips[s]) for s in range(count)}
    given, place = [0] * count, 0
    for key in sorted(set(rank.values()), reverse=True):
        seats = [seat for seat in rank if rank[seat] == key]
        by = dealer if key[0] else went_out[seats[0]][2]
        for seat, prize in split(sum(worth[place:place + len(seats)]), seats, count, by).items(): given[seat] = prize
        place += len(seats)
    return given

class FiveCardDraw(Game):  # `five-card-draw/v1`: the table.
    def setup(self, options):  # Options (92.2), chips and the deck.
        email = options.get("rules") == "by-email"
        rule(2 <= self.n <= 6 and (self.suite.defers or not {"disclose", "silent"} & set(options)), "locks")
        rule(not email or self.n == 2 and set(options) <= {"rules", "stack", "bet", "disclose"}, "by-email")
        given = {**(BY_EMAIL if email else {}), **options}
        stack = int(given["stack"]) if number_option(1, 10 ** 6)(given.get("stack", "")) else 200
        bet = given.get("bet", str(min(2, stack)))
        rule(number_option(1, stack)(bet), "bet")
        numbers = {"stack": (200, 1, 10 ** 6), "ante": (1, 0, stack), "small-blind": (0, 0, stack),
                   "big-blind": (0, 0, stack), "cap": (4, 0, 9), "bet": (bet, 1, stack),
                   "exchange": (5, 0, 5), "later-bet": (2 * int(bet), int(bet), 2 * stack)}
        checks = {name: number_option(low, high) for name, (_, low, high) in numbers.items()}
        self.o = read_options(given, {**CHOICES, **checks, "prizes": self.falls})
        self.o.update({name: int(given.get(name, default)) for name, (default, _, _) in numbers.items()})
        self.o["prizes"] = list(map(int, given.get("prizes", "100").split(",")))
        fixed, blinds = self.on("limit", "fixed"), (self.o["small-blind"], self.o["big-blind"])
        for name, applies in (("later-bet", fixed and self.on("second-betting")), ("cap", fixed),
                              ("pick", self.n == 2), ("prizes", self.on("payout", "places"))):
            rule(applies or name not in options, name)
        bet, none = self.o["bet"], self.on("openers", "none")
        rule(blinds == (0, 0) or 1 <= blinds[0] <= blinds[1] == bet and none, "blinds")
        rule(self.on("reopen", "full") or fixed, "reopen")
        self.deck = Deck("five-card-draw-52", NAMES)
        self.chips, self.middle, self.dealer = [self.o["stack"]] * self.n, 0, 0
        self.went_out, self.last = {}, []
        self.needs = {"ownership", "shuffle", "reveal", *["transfer"] * self.on("reshuffle", "discards")}
    def on(self, option, value="true"): return self.o[option] == value  # has it this value?
    def falls(self, value):  # Whether percentages fall from place to place, and are 100 together (92.2).
        parts = value.split(",")
        found = [int(part) if number_option(1, 100)(part) else 0 for part in parts]
        return len(found) <= self.n and sum(found) == 100 and found == sorted(set(found) - {0}, reverse=True)
    def result(self):  # What the table would pay if it ended here (FD-R-53 to FD-R-55).
        chips = list(self.chips)
        dealer = self.last_dealer if self.last else 0
        if self.last and self.middle:
            for seat, more in split(self.middle, self.last, self.n, dealer).items(): chips[seat] += more
        if self.on("payout", "places"):
            out = {seat: place for seat, place in self.went_out.items() if not chips[seat]}
            chips = prizes(chips, out, self.o["prizes"], self.o["stack"], dealer)
        return [amount - self.o["stack"] for amount in chips]
    def play(self):  # Deals, until the agreed number, or until fewer than two seats have chips (FD-R-53).
        for number in range(1, self.deals + 1):
            seats = [seat for seat in range(self.n) if self.chips[seat]]
            if len(seats) < 2: return
            if number > 1: self.dealer = around(seats, self.n, self.dealer)[0]
            before, deal = list(self.chips), DrawDeal(self, seats)
            yield from deal.play()
            self.last, self.last_dealer = seats, self.dealer
            for seat in seats:
                if not self.chips[seat]: self.went_out[seat] = (number, before[seat], self.dealer)
            self.paid.append([after - chips for after, chips in zip(self.chips, before)])
            if self.suite.defers and self.on("disclose", "deal"): yield [Duty("disclose", seats)]

class DrawDeal:  # One deal: each method is a stage of 92.10, or a few.
    def __init__(self, game, seats):
        self.game, self.on, self.o, self.n = game, game.on, game.o, game.n
        self.order = around(seats, self.n, game.dealer)
        self.seats, self.live, self.paid = seats, set(seats), [0] * self.n
        self.hands, self.away, self.dealt = ({seat: [] for seat in seats} for _ in range(3))
        self.next, self.stock, self.reshuffled, self.open = 0, list(range(52)), False, {}
        self.opener = self.bettor = None
    def ask(self, seat, *fields):  # Wait for a seat's move with one of these fields; gives field and value (92.10).
        _, move, _ = yield [Duty("move", [seat])]
        return single(move, *fields)
    def put_in(self, seat, amount):  # Chips into the middle, as far as the seat has them; gives how many (FD-R-02).
        amount = min(amount, self.game.chips[seat])
        self.game.chips[seat] -= amount
        self.paid[seat] += amount
        return amount
    def in_turn(self, among, first=None):  # Seats clockwise, from the left of the dealer, or from a seat on (FD-R-04).
        return around(among, self.n, self.game.dealer if first is None else first - 1)
    def play(self):  # The deal, until it is paid (92.3).
        yield [Duty("shuffle", self.order[-1:] + self.order[:-1])]
        blinds = self.forced()
        for i, seat in enumerate(self.order):
            if self.on("pick", "order"): self.hands[seat] = [j * len(self.order) + i for j in range(5)]
            else: self.hands[seat] = yield from self.pick(seat, 5)
        self.next, self.dealt = 5 * len(self.order), {seat: list(hand) for seat, hand in self.hands.items()}
        yield [Duty("show", cards=self.hands[seat], to=seat) for seat in self.order]
        yield from self.betting(blinds, self.o["bet"])
        if self.on("openers", "jacks") and self.opener is None:
            self.game.middle += sum(self.paid)
            return
        if len(self.live) > 1:
            yield from self.exchange()
            if self.on("second-betting"): yield from self.betting(None, self.o["later-bet"])
        yield from self.showdown()
    def forced(self):  # Antes and blinds; gives what was posted of the blinds by seat, or nothing (FD-R-11).
        for seat in self.order: self.put_in(seat, self.o["ante"])
        if not self.o["big-blind"]: return None
        posters = (self.order if len(self.order) > 2 else self.order[::-1])[:2]
        return {s: self.put_in(s, self.o[name]) for s, name in zip(posters, ("small-blind", "big-blind"))}
    # --- betting (92.4) ---
    def betting(self, blinds, unit):  # A round of betting (FD-R-20 to FD-R-26).
        big = self.o["big-blind"] if blinds else 0
        r = self.r = SimpleNamespace(chips={s: (blinds or {}).get(s, 0) for s in self.seats}, height=big,
                                     step=big, count=int(bool(blinds)), spoken=set(), unit=unit)
        last = list(blinds)[1] if blinds else self.game.dealer
        self.bettor = None
        while (seat := self.speaker(last)) is not None:
            field, value = yield from self.ask(seat, "fold", "check", "call", "to")
            self.speak(seat, field, value)
            last = seat
    def speaker(self, last):  # The next to speak after a seat, or nobody (FD-R-21).
        r, chips = self.r, self.game.chips
        for seat in around(self.live, self.n, last) if len(self.live) > 1 else []:
            others = any(chips[other] for other in self.live - {seat})
            if chips[seat] and (r.chips[seat] < r.height or seat not in r.spoken and others): return seat
        return None
    def speak(self, seat, field, value):  # A fold, check, call, bet or raise (FD-R-22 to FD-R-26).
        r, owes = self.r, self.r.chips[seat] < self.r.height
        if field == "to": return self.raise_to(seat, read(integer(1, 2 ** 31), value))
        rule(value is True, "FD-R-22")
        if field == "fold": self.live.discard(seat)
        elif field == "check": rule(not owes, "FD-R-22")
        else:
            rule(owes, "FD-R-22")
            r.chips[seat] += self.put_in(seat, r.height - r.chips[seat])
        return r.spoken.add(seat)
    def raise_to(self, seat, total):  # A bet or raise to a total (FD-R-22 to FD-R-25).
        r, o, stack = self.r, self.o, self.game.chips[seat]
        rule(seat not in r.spoken, "FD-R-26")
        middle = sum(self.paid) + self.game.middle
        low, high = totals(o["limit"], r.unit, o["bet"], o["cap"], r, r.chips[seat], stack, middle)
        rule(low and low <= total <= high, "FD-R-22")
        more = total - r.height
        half = self.on("reopen", "half") and 2 * more >= r.unit
        full = more == r.unit or half if self.on("limit", "fixed") else more >= max(r.step, o["bet"])
        self.put_in(seat, total - r.chips[seat])
        r.chips[seat], r.height, self.bettor = total, total, seat
        self.opener = seat if self.opener is None else self.opener
        if full: r.step, r.count, r.spoken = more, r.count + 1, set()
        r.spoken.add(seat)
    # --- exchange (92.5) ---
    def pick(self, seat, count):  # Places that the other seat names for a hand (FD-R-35).
        other, = set(self.seats) - {seat}
        _, value = yield from self.ask(other, "pick")
        used = {card for hands in (self.hands, self.away) for hand in hands.values() for card in hand}
        picked = read(lambda v: places(v, 51), value)
        rule(len(picked) == count and not used & set(picked), "FD-R-35")
        return picked
    def exchange(self):  # Every live seat puts cards away, and new ones are reserved for it (FD-R-30 to FD-R-34).
        waiting, self.take = self.in_turn(self.live), {}
        for seat in waiting:
            _, value = yield from self.ask(seat, "discard")
            cards, left = read(lambda v: places(v, 51), value), len(self.stock) - self.next
            back = [other for other in self.seats if self.away[other] and other not in (seat, self.opener)
                    or self.away[other] and other != seat and self.on("openers", "none")]
            more = sum(len(self.away[other]) for other in back)
            able = left + (more if self.on("reshuffle", "discards") and not self.reshuffled else 0)
            rule({*cards} <= {*self.hands[seat]} and len(cards) <= min(self.o["exchange"], able), "FD-R-30")
            self.hands[seat] = [card for card in self.hands[seat] if card not in cards]
            if len(cards) > left: yield from self.reshuffle(back)
            self.away[seat], self.take[seat] = cards, self.stock[self.next:self.next + len(cards)]
            self.next += len(cards)
            if self.on("draw", "one-by-one"): yield from self.show_new([seat])
        if self.on("draw", "together"): yield from self.show_new(waiting)
    def reshuffle(self, back):  # Cards that were put away come back and continue the stock (FD-R-34).
        yield [Duty("return", [seat], self.away[seat]) for seat in back]
        cards = sorted(card for seat in back for card in self.away[seat])
        yield [Duty("mix", self.order[-1:] + self.order[:-1], cards)]
        self.away.update({seat: [] for seat in back})
        self.stock, self.reshuffled = self.stock + cards, True
    def show_new(self, seats):  # New cards are shown to their seats (FD-R-32).
        taken = {seat: self.take[seat] for seat in seats if self.take[seat]}
        for seat in taken if self.on("pick", "opponent") else []:
            taken[seat] = yield from self.pick(seat, len(taken[seat]))
            self.hands[seat] += taken[seat]
        if taken: yield [Duty("show", cards=cards, to=seat) for seat, cards in taken.items()]
        for seat, cards in taken.items(): self.hands[seat] = sorted(set(self.hands[seat]) | set(cards))
    # --- showdown and payment (92.6, 92.7) ---
    def showdown(self):  # Pots, who shows, openers, payment (92.6 to 92.8).
        for seat, chips in enumerate(uncalled(self.paid)):
            self.game.chips[seat] += chips
            self.paid[seat] -= chips
        self.pots, hands, spoken = pots(self.paid, self.in_turn(self.live), self.game.middle), {}, set()
        first = self.bettor if self.bettor in self.live else None
        for seat in self.in_turn(self.live, first) if len(self.live) > 1 else []:
            contested = [pot for pot in self.pots if seat in pot.claimants
                         and any(o in hands or o not in spoken for o in pot.claimants if o != seat)]
            if contested: yield from self.show_or_muck(seat, contested, hands)
            spoken.add(seat)
        if self.on("openers", "jacks"): yield from self.openers()
        got, self.game.middle = award(self.pots, hands, self.n, self.game.dealer)
        self.game.chips = [a + b for a, b in zip(self.game.chips, got)]
    def named_cards(self, value, low, high):  # Cards with their faces, ascending; neither stands there twice (92.10).
        one = object_of(("card", integer(0, 51)), ("face", one_of(*NAMES)))
        said = read(list_of(one, low, high), value)
        cards, faces = [item.card for item in said], [NAMES.index(item.face) for item in said]
        rule(cards == sorted(set(cards)) and len(set(faces)) == len(faces), "cards")
        return cards, faces
    def show_or_muck(self, seat, contested, hands):  # Turn up a hand, or give up the pots contested for it (FD-R-41).
        field, value = yield from self.ask(seat, "show", "muck")
        if field == "muck":
            rule(value is True and self.on("showdown", "muck"), "FD-R-41")
            for pot in contested: pot.claimants = [other for other in pot.claimants if other != seat]
            return
        cards, faces = self.named_cards(value, 5, 5)
        rule(cards == sorted(self.hands[seat]), "FD-R-41")
        self.game.opened += zip(cards, faces)
        self.open.update(zip(cards, faces))
        hands[seat] = strength(faces, self.on("wheel"))
    def openers(self):  # The opener names the cards that show its opening, or loses its claims (92.8).
        _, value = yield from self.ask(self.opener, "openers")
        if value == []:
            for pot in self.pots: pot.claimants = [seat for seat in pot.claimants if seat != self.opener]
            return
        cards, faces = self.named_cards(value, 2, 5)
        rule(set(cards) <= set(self.dealt[self.opener]), "FD-R-61")
        rule(all(self.open.get(card, face) == face for card, face in zip(cards, faces)), "FD-R-61")
        self.game.opened += [(card, face) for card, face in zip(cards, faces) if card not in self.open]
        ranks = sorted(map(height_of, faces))
        pairs = {rank for rank in ranks if ranks.count(rank) > 1}
        shown = len(pairs) > 1 or any(rank >= 11 or ranks.count(rank) > 2 for rank in pairs)
        rule(shown or len(faces) == 5 and strength(faces, self.on("wheel"))[0] in (4, 5, 8), "FD-R-61")
