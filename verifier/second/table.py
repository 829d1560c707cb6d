"""The replay of a table: what a message must be to be applied, void or foul (chapters 50 and 51)."""
import hashlib, secrets
from types import SimpleNamespace
import acts, branches, clock, wire
from draw import FiveCardDraw
from game import Duty, Play, RuleError, Void, check, rule
from log import CannotCheck
from peter import Draw, SchwarzerPeter
from skat import Skat
from suites import CHECKS, SUITES
from tarokk import Tarokk
from toolbox import Toolbox
from transcript import context
from wire import Blob, Malformed, need

GAMES = {"schwarzer-peter/v1": SchwarzerPeter, "draw/v1": Draw, "tarokk/v1": Tarokk, "skat/v1": Skat,
         "five-card-draw/v1": FiveCardDraw, "toolbox/v1": Toolbox}
LINKS = 65_536  # values that a seat has fixed (43.2.4)

class Foul(Exception): """The check that an entry fails whose seat is at fault (50.4)."""
def start(genesis):  # The game under way and the suite of a genesis entry, if it opens its table: G1 (50.3, 50.3.1).
    try:
        rule(wire.signed_by(genesis, genesis.organiser), "it is not signed by its organiser")
        known = genesis.game in GAMES and genesis.suite in SUITES
        rule(known, f"{genesis.game} with {genesis.suite} is not implemented")
        suite, game = SUITES[genesis.suite], GAMES[genesis.game]
        acts_fit = genesis.pakli == "table/v1" or not (suite.defers or suite.asks)
        rule(acts_fit, "suites that defer or ask have no acts (51.1.1, 43.2.5)")
        play = Play(lambda: game(len(genesis.seats), genesis.deals, dict(genesis.options), suite))
        rule(play.game.needs <= suite.relations, "the suite does not prove what the game needs")
        faces = len(play.game.deck.faces)
        rule(suite.fits(faces, len(genesis.seats)), "the deck is too large (31.1.8, 32.5.2, 33.2.8)")
        links = genesis.deals * (len(genesis.seats) + 2 * faces)
        rule(not suite.asks or links <= LINKS, "chains of values are too short (43.2.4)")
        return play, suite
    except RuleError as error: raise CannotCheck(f"the table does not open: {error}", "G1-genesis") from None

class Table:  # The state of a table (50.1). `feed` takes the entries that concern it, in the order of the log.
    def __init__(self, genesis, index, find_blob, find_mark=lambda _: None):
        self.genesis, self.index, self.find_blob, self.find_mark = genesis, index, find_blob, find_mark
        self.play, self.suite = start(genesis)
        self.deck = self.play.game.deck.of(self.suite.group)
        self.n, self.id, self.head = len(genesis.seats), genesis.hash, genesis.hash
        self.second, self.all = genesis.pakli == "table/v2", frozenset(range(self.n))
        self.keys, self.posted, self.key_due = [None] * self.n, set(), set(range(self.n))
        self.begun, self.cards, self.order, self.faces, self.dealt, self.steps = 0, [], [], {}, {}, []
        self.undo_point, self.deal_mark, self.undone = 0, None, False
        self.foul = self.dispute = self.asked = None
        self.anchors, self.revealed = [None] * self.n, [0] * self.n
        self.locks, self.attempts = [[] for _ in range(self.n)], [0] * self.n
        self.counts = SimpleNamespace(applied=0, void=0, acts=0, attempted=0)
        acts.begin(self)
        clock.begin(self)
        branches.begin(self)
    def begin_phase(self):  # Begin the phase of the rules' duties; one in which nothing is owed is passed (50.2.2).
        while True:
            self.steps, duties = [], self.play.duties
            if not duties or duties[0].kind == "move": return
            if duties[0].kind == "shuffle":
                self.begin_deal(duties[0].seats, self.deck.elements)
                duties = [Duty("shuffle", self.order, range(len(self.cards)))]
            if duties[0].kind == "mint" and (self.undone or not self.begun): self.begin_deal(list(range(self.n)), [])
            shows = [duty for duty in duties if duty.kind == "show"]
            self.steps = self.show_steps(shows) if shows else []
            for duty in duties: self.steps += self.other_steps(duty)
            if self.steps: return
            self.play.advance((None, None, dict(self.faces)))
    def begin_deal(self, seats, elements):
        """A deal begins among these seats, in this order, with open cards (50.2.1, 50.2.6, 50.6, 50.8.3)."""
        if self.suite.per_deal and self.begun: self.keys = [None] * self.n
        self.key_due = {seat for seat in seats if self.keys[seat] is None}
        self.begun += 1
        acts.deal_begins(self)
        clock.begin_deal(self)
        self.order, self.faces, self.dealt, self.marked = seats, {}, {}, set()
        self.outside = self.all - set(seats)
        self.cards = [[self.suite.open_card(element), self.outside] for element in elements]
        self.undo_point, self.deal_mark = len(self.play.history), len(self.play.game.paid)
    def deal_open(self): return len(self.play.game.paid) == self.deal_mark and bool(self.play.duties)  # 50.9.1
    def show_steps(self, duties):  # Who owes tokens, in turn: a step is owed by the first of its seats (50.2.5).
        to = {card: duty.to for duty in duties for card in duty.cards}
        due = {card for card in to if any(s not in self.cards[card][1] and s != to[card] for s in self.order)}
        seats = [seat for seat in self.order
                 if any(to[card] == seat or seat not in self.cards[card][1] for card in due)]
        return [SimpleNamespace(kind="show", seats=seats, cards=sorted(to), to=to)] if seats else []
    def other_steps(self, duty):  # The steps of a duty that is no show (50.2, 50.8, 51.2).
        if duty.kind == "disclose":
            return [SimpleNamespace(kind="disclose", seats=[s]) for s in duty.seats if self.undisclosed(s)]
        if duty.kind == "show" or duty.kind == "permute" and len(duty.cards) < 2 or not duty.cards: return []
        if duty.kind == "mint" and not duty.seats:
            self.mint([self.suite.open_card(self.deck.elements[face]) for face, in duty.cards])
            return []
        return [SimpleNamespace(kind=duty.kind, seats=list(duty.seats), cards=duty.cards, to=duty.to)]
    def undisclosed(self, seat):  # Deals whose locks a seat has not disclosed (51.2); in a dispute this one (51.3.3).
        found = [lock for lock in self.locks[seat] if not lock.disclosed] if self.suite.defers else []
        return [lock for lock in found if lock.deal == self.begun] if self.dispute else found
    def locks_due(self):  # Who owes locks because play has stopped, or the rules wait for nothing (51.2.1, 51.3.3).
        stands = self.dispute or not self.play.duties
        return [seat for seat in range(self.n) if stands and self.undisclosed(seat)]
    def over(self):  # Whether the table is over, by an act or by its rules (50.2.3, 51.2.1).
        by_rules = not (self.play.duties or self.key_due or self.locks_due())
        return self.ended or self.dispute is None and by_rules
    def owing(self):  # All that is owed now: pairs of a seat and the kind of its message (50.2).
        if self.over() or self.stopped is not None: return []
        if self.asked and not self.asked.waiting: return [(self.asked.message.seat, "answer")]
        if self.asked: return [(s, "beacon") for s in self.asked.waiting[:1] if self.revealed[s] < LINKS]  # 43.2.4
        if self.key_due: return [(seat, "key") for seat in sorted(self.key_due)]
        if self.dispute or not self.play.duties: return [(seat, "disclose") for seat in self.locks_due()]
        if self.play.duties[0].kind == "move": return [(seat, "move") for seat in self.play.duties[0].seats]
        return [(step.seats[0], step.kind) for step in self.steps]
    def awaits(self, seat, kind):  # Whether a seat that owes something can be late with it (52.3.2).
        return kind != "move" or seat in self.play.duties[0].awaited
    def step(self, message):  # The step that a message takes (50.2).
        return next(step for step in self.steps if (step.kind, step.seats[0]) == (message.kind, message.seat))
    def done(self, step):  # One seat has taken its step; when nothing is owed any more the rules settle (50.2.2).
        step.seats.pop(0)
        self.steps = [other for other in self.steps if other.seats]
        if not self.steps and not self.dispute:
            self.play.advance((None, None, dict(self.faces)))
            self.begin_phase()
    def holds(self, seat, card): return card < len(self.cards) and self.cards[card][1] == self.all - {seat}  # 50.1
    def feed(self, index, entry):  # Apply an entry that concerns the table: what became of it, and the check it failed.
        try:
            if entry.pakli == "act/v1":
                acts.apply(self, index, entry)
                self.counts.acts += 1
            else:
                self.check_form(entry)
                begun, since = self.begun, self.since.get((entry.seat, entry.kind))
                if since and not self.awaits(entry.seat, entry.kind): since = entry.hash
                self.apply_message(index, entry)
                self.counts.applied += 1
                self.places[entry.hash] = index
                clock.discharged(self, entry, begun, since)
            self.head = entry.hash
            branches.extend(self, index, entry)
            return ("applied", None) if not self.foul else ("foul", self.foul.check)
        except Void as error:
            if str(error) == "T4-parent" and branches.twice(self, index, entry): return "foul", "T8-once"
            self.counts.void += 1
            return "void", str(error)
        except Foul as error: return self.blame(index, entry, str(error))
    def blame(self, index, entry, check):  # A foul ends the table, but two attempts of a seat may be free (50.10).
        if self.genesis.fouls == "warn" and self.attempts[entry.seat] < 2:
            self.attempts[entry.seat] += 1
            self.counts.attempted += 1
            self.head, self.places[entry.hash] = entry.hash, index
            branches.extend(self, index, entry, check)
            return "attempt", check
        self.foul = SimpleNamespace(seat=entry.seat, index=index, check=check, shown_by=None)
        return "foul", check
    def check_form(self, entry):  # T1 to T7 (50.3).
        for name, passed in (("T1-form", lambda: entry.pakli == "message/v1"),
                ("T3-open", lambda: not self.foul and not self.ended), ("T4-parent", lambda: entry.parent == self.head),
                ("T5-seat", lambda: entry.seat < self.n),
                ("T6-signature", lambda: wire.signed_by(entry, self.holders[entry.seat])),
                ("T7-due", lambda: self.is_due(entry.seat, entry.kind))):
            check(passed(), name)
    def is_due(self, seat, kind):  # Whether a seat owes such a message now, or may dispute a card instead (51.3.1).
        owing = self.owing()
        if kind == "dispute" and self.suite.defers:
            owes = any(other == seat and what != "disclose" for other, what in owing)
            return owes and any(self.holds(seat, card) for card in range(len(self.cards)))
        return (seat, kind) in owing
    def apply_message(self, index, message):  # Judge a message and apply it, or change nothing (50.4).
        judge, length = getattr(self, "judge_" + message.kind)(index, message), len(self.play.history)
        try:
            statements = next(judge)
            self.prove(message, statements)
            if self.suite.asks and statements and statements[0][0] == "shuffle":
                waiting = [seat for seat in self.order if seat != message.seat]
                self.asked = SimpleNamespace(message=message, parent=self.head, waiting=waiting, values={})
            else: next(judge, None)
        except (Foul, CannotCheck):
            if len(self.play.history) != length or message.kind == "move": self.play.put_back(length)
            raise
    def context(self, kind, seat, slot, parent=None):
        """The context of a proof (50.6); of an answer it is that of what was asked for (43.3.3)."""
        keys = b"".join(len(key or b"").to_bytes(8, "big") + (key or b"") for key in self.keys)
        return context(self.suite.name, self.genesis.game, bytes.fromhex(self.id), self.deck.id,
                       hashlib.sha256(keys).digest(), self.begun, bytes.fromhex(parent or self.head), kind, seat, slot)
    def prove(self, message, statements):  # E6, blobs, and the proof of each statement (50.4, 51.1.2).
        deferred = {"shuffle", "reveal"} if self.suite.defers else set()
        if len(message.proofs) != sum(statement[0] not in deferred for statement in statements): raise Foul("E6-proofs")
        proofs = enumerate([self.found(proof) if isinstance(proof, Blob) else proof for proof in message.proofs])
        suite = self.masking()
        for relation, *values in statements:
            try:
                if relation in deferred:
                    form = self.suite.shuffle_form if relation == "shuffle" else self.suite.reveal_form
                    form(*values[1:3])
                else:
                    slot, proof = next(proofs)
                    asked = (self.asked.message.kind, message.seat, slot, self.asked.parent) if self.asked else ()
                    transcript = self.context(*(asked or (message.kind, message.seat, slot)))
                    suite.prove(relation, transcript, proof, *values)
            except Malformed: raise Foul(CHECKS[relation]) from None
    def body(self, message):  # E1: the body is of its kind (10.6.1, 43.2.2).
        kind = "anchored key" if self.suite.asks and message.kind == "key" else message.kind
        try:
            fields = wire.BODIES[kind]
            if wire.is_long(self.genesis) and fields is wire.CARDS: fields = wire.LONG_CARDS
            return wire.record(message.body, fields)
        except Malformed: raise Foul("E1-body") from None
    def values(self, given, reader, count):  # E2: so many values, in their canonical form (50.4.2).
        try:
            need(len(given) == count, "number")
            return [reader(value) for value in given]
        except Malformed: raise Foul("E2-values") from None
    def new_cards(self, message, count):  # E1 and E2 of cards, which may be a blob (10.8.7, 50.4.5).
        given = self.body(message).cards
        if isinstance(given, Blob):
            data = self.found(given)
            each = len(data) // count
            given = [data[i:i + each] for i in range(0, len(data), each)] if each * count == len(data) else []
        return self.values(given, self.masking().card, count)
    def found(self, blob):  # The bytes of a blob (50.4).
        data = self.find_blob(blob)
        if data is None: raise CannotCheck("a blob is not at hand")
        return data
    def masking(self):  # The suite, under the keys of the deal's seats where its cards depend on them (50.4.5).
        return self.suite.under([self.keys[seat] for seat in self.order], len(self.deck.faces))
    def judge_key(self, _index, message):  # E1, E2, E3, E6, P1 (50.4.3).
        body = self.body(message)
        key, = self.values([body.key], self.suite.key, 1)
        if self.suite.asks and len(body.anchor) != 32: raise Foul("E2-values")
        keys = [key if seat == message.seat else other for seat, other in enumerate(self.keys)]
        last = not self.begun and self.key_due == {message.seat}
        if self.suite.clashes(key, self.posted) or last and self.suite.joint(keys) is None: raise Foul("E3-key")
        yield [("ownership", key)]
        self.keys, self.anchors[message.seat] = keys, getattr(body, "anchor", None)
        self.posted.add(key)
        self.key_due.discard(message.seat)
        if not self.key_due and not self.begun: self.begin_phase()
    def judge_shuffle(self, index, message):
        """E1, E2, E6, P2, for a shuffle E3 before them: the cards of a step in another order (50.5, 50.8)."""
        step, own, kind = self.step(message), self.keys[message.seat], message.kind
        key = own if kind == "permute" else self.joint()
        if key is None: raise Foul("E3-key")
        before = [self.cards[card][0] for card in step.cards]
        after = self.new_cards(message, len(before))
        family = "cut" if kind == "mix" and len(before) == 1 else kind
        arranges = family in ("cut", "insert")
        yield [("arrange", key, before, after, family) if arranges else ("shuffle", key, before, after, own)]
        for card, value in zip(step.cards, after): self.cards[card][0] = value
        if self.marked & set(step.cards): self.marked |= set(step.cards)
        if message.kind == "shuffle":
            trail = [("shuffle", index, before, after)]
            lock = SimpleNamespace(deal=self.begun, key=own, trail=trail, disclosed=False)
            self.locks[message.seat].append(lock)
        self.done(step)
    judge_permute = judge_mix = judge_cut = judge_insert = judge_shuffle
    def joint(self): return self.suite.joint([self.keys[seat] for seat in self.order])  # of the deal's seats (30.1.7)
    def mint(self, values):  # New cards, which are marked, in places behind those there are (50.8, 50.8.4).
        self.marked |= set(range(len(self.cards), len(self.cards) + len(values)))
        self.cards += [[value, self.outside] for value in values]
    def judge_mint(self, _index, message):  # E1, E2, E6, P7: a new card for each set of faces (50.8).
        step = self.step(message)
        values = self.new_cards(message, len(step.cards))
        yield [("mint", self.joint(), self.deck, value, faces) for value, faces in zip(values, step.cards)]
        self.mint(values)
        self.done(step)
    def judge_beacon(self, _index, message):  # E1, E8, E6: the value that a seat had fixed before (43.2, 43.3.2).
        value, seat = self.body(message).value, message.seat
        link = b"pakli/v1/beacon" + bytes.fromhex(self.id) + seat.to_bytes(2, "big") + value
        if len(value) != 32 or hashlib.sha256(link).digest() != self.anchors[seat]: raise Foul("E8-beacon")
        yield []
        self.anchors[seat] = self.asked.values[seat] = value
        self.revealed[seat] += 1
        self.asked.waiting.pop(0)
    def judge_answer(self, index, message):  # E1, E6, P2: the answer to all values; then its effect (43.3.3).
        self.body(message)
        asked, judge = self.asked, self.judge_shuffle(index, self.asked.message)
        (_, *values), = next(judge)
        ordered = [value for _, value in sorted(asked.values.items())]
        yield [("answer", *values, (asked.message.proofs[0], ordered))]
        self.asked = None
        next(judge, None)
    def judge_show(self, index, message):  # E1, E2, E6, P3, E7 (50.4, 50.5).
        step, seat = self.step(message), message.seat
        owed = [card for card in step.cards if step.to[card] != seat and seat not in self.cards[card][1]]
        tokens = self.values(self.body(message).tokens, self.masking().token, len(owed))
        yield self.reveal_of(seat, owed, tokens)
        stops = self.uncover(index, seat, owed, tokens, {})
        for card in step.cards:
            if step.to[card] is not None and self.holds(step.to[card], card):
                self.dealt.setdefault(card, (step.to[card], self.cards[card][0]))
        if stops: self.dispute = (seat, index)
        self.done(step)
    def reveal_of(self, seat, cards, tokens):  # The statement of tokens, if there are any (50.5).
        values = [self.cards[card][0] for card in cards]
        return [("reveal", self.keys[seat], values, tokens)] if cards else []
    def uncover(self, index, seat, cards, tokens, said):
        """Take tokens off, after E7 for all cards that are open then; true if that stops play (51.3.2)."""
        opened, stops, suite = {}, False, self.masking()
        for card, token in zip(cards, tokens):
            if self.cards[card][1] | {seat} == self.all:
                opened[card] = suite.face(suite.strip(self.cards[card][0], token), self.deck)
        known = set(self.faces.values())
        for card, face in opened.items():
            stops = self.suite.defers and (face is None or face in known)
            if stops: break
            if face is None or said.get(card, face) != face: raise Foul("E7-face")
            known.add(face)
        if self.suite.defers and cards:
            values = [self.cards[card][0] for card in cards]
            self.locks[seat][-1].trail.append(("reveal", index, values, tokens))
        for card, token in zip(cards, tokens):
            self.cards[card] = [suite.strip(self.cards[card][0], token), self.cards[card][1] | {seat}]
        self.faces.update({card: face for card, face in opened.items() if face is not None})
        return stops
    def judge_give(self, _index, message):  # E1, E2, E6, P4: cards handed to a seat, or returned to the table (50.8).
        step, seat = self.step(message), message.seat
        after = self.new_cards(message, len(step.cards))
        if message.kind == "give": receiver, off = self.keys[step.to], self.all - {step.to}
        else: receiver, off = self.joint(), self.outside
        before = [self.cards[card][0] for card in step.cards]
        yield [("transfer", self.keys[seat], receiver, old, new) for old, new in zip(before, after)]
        for card, value in zip(step.cards, after):
            self.cards[card] = [value, off]
            if message.kind == "return": self.dealt.pop(card, None)
        self.done(step)
    judge_return = judge_give
    def judge_move(self, index, message):  # E1, E4, E5, E2, E6, P3 and P5, E7 (50.4, 50.5).
        body, seat, game = self.body(message), message.seat, self.play
        try: game.advance((seat, body.move, dict(self.faces)))
        except RuleError: raise Foul("E4-rules") from None
        opened, claims = list(game.game.opened), game.game.claims
        cards = [card for card, _ in opened]
        self.check_hand(seat, cards, claims)
        tokens = self.values(body.tokens, self.masking().token, len(cards))
        statements = self.reveal_of(seat, cards, tokens)
        for claim in filter(lambda claim: claim.says_something(), claims):
            values = [self.dealt[card][1] if claim.dealt else self.cards[card][0] for card in claim.cards]
            bounds = (claim.faces, claim.low, claim.high)
            statements.append(("condition", self.keys[seat], self.deck, values, *bounds))
        yield statements
        if self.uncover(index, seat, cards, tokens, dict(opened)):
            self.dispute, self.steps = (seat, index), []
            game.put_back(len(game.history) - 1)
        else: self.begin_phase()
    def check_hand(self, seat, cards, claims):
        """E5: what is turned up and proved is the mover's, and named once in each list (50.4.2)."""
        lists = [(cards, False)] + [(claim.cards, claim.dealt) for claim in claims]
        for named, dealt in lists:
            for card in named:
                own = self.dealt.get(card, (None,))[0] == seat if dealt else self.holds(seat, card)
                marked = named is not cards and card in self.marked  # 50.8.4
                if not own or marked or named.count(card) > 1: raise Foul("E5-hand")
    def judge_dispute(self, index, message):  # E1, E5, E6 (51.3.1).
        card = self.body(message).card
        if not self.holds(message.seat, card): raise Foul("E5-hand")
        yield []
        self.dispute, self.steps = (message.seat, index), []
    def judge_disclose(self, index, message):  # E1, E2, D1, E6, and when it is applied D2 and D3 (51.2.3).
        body, due = self.body(message), self.undisclosed(message.seat)
        if [item.deal for item in body.deals] != [lock.deal for lock in due[:len(body.deals)]]: raise Foul("E2-values")
        opened = []
        for item, lock in zip(body.deals, due):
            scalar = self.suite.is_lock(item.lock, lock.key)
            if scalar is None or sorted(item.order) != list(range(len(self.deck.faces))): raise Foul("D1-lock")
            wrong = self.wrong_steps(scalar, lock, list(item.order))
            _, _, before, after = lock.trail[0]
            if wrong[:1] == [lock.trail[0][1]] and set(self.suite.locked(scalar, before)) == set(after):
                raise Foul("D1-lock")
            opened.append((lock, wrong))
        yield []
        self.apply_disclose(index, message.seat, opened)
    def wrong_steps(self, scalar, lock, order):
        """The indexes of the entries with the steps of a deal that are not right (51.1.4, 33.7.3, 33.7.4)."""
        wrong = []
        for relation, entry, before, after in lock.trail:
            weights = [secrets.randbits(128) for _ in before]
            if relation == "shuffle":
                right = self.suite.is_right(scalar, [before[place] for place in order], after, weights)
            else: right = self.suite.is_right(scalar, after, before, weights)
            wrong += [] if right else [entry]
        return wrong
    def apply_disclose(self, index, seat, opened):
        """Blame the first step that is wrong, or who disputed without cause (51.2.4, 51.3.4, 51.4)."""
        for lock, _ in opened: lock.disclosed = True
        wrong = [entry for _, entries in opened for entry in entries]
        if wrong: self.foul = SimpleNamespace(seat=seat, index=min(wrong), check="D2-step", shown_by=index)
        elif self.dispute and not self.locks_due():
            disputer, entry = self.dispute
            self.foul = SimpleNamespace(seat=disputer, index=entry, check="D3-dispute", shown_by=index)
        for step in [step for step in self.steps if step.seats == [seat] and not self.undisclosed(seat)]:
            self.done(step)
    def result(self):  # The result of a table that is over: by its rules, or as an act has ended it (50.7.4).
        if self.ended and self.deal_open(): self.play.put_back(self.undo_point)
        return [score + forfeit for score, forfeit in zip(self.play.game.result(), self.forfeits)]
    def verdict(self):  # The verdict, as far as the table goes (80.2, 43.4).
        if self.foul: return "foul"
        if not self.over(): return "unfinished"
        return "sound for its seats" if self.suite.asks else "adjudicated" if self.adjudicated else "sound"
