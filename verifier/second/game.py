"""What a game states (60.1), and how its rules are played, put back and played again (50.9.2).

A game is a generator. It yields the duties of each phase, and is sent (seat, move, open faces), or no seat
when protocol steps were taken (settle). What a move turns up and proves is then in `opened` and `claims`."""
import re
from types import SimpleNamespace
from wire import Malformed, integer, need

class RuleError(Exception): """The rules do not accept a move (E4-rules), or do not open a table."""
class Void(Exception): """The check that an entry fails which is then without effect (50.3, 50.7)."""
def check(passed, name):  # Refuse an entry without effect (50.3, 50.7, 52.4).
    if not passed: raise Void(name)
def rule(condition, number):  # Refuse what a rule forbids (60.1.4).
    if not condition: raise RuleError(number)

class Duty(SimpleNamespace):  # A duty of 50.2: kind, seats that owe it, cards, to whom (None: to all), who can be late (52.3.2).
    def __init__(self, kind, seats=(), cards=(), to=None, awaited=None):
        super().__init__(kind=kind, seats=list(seats), cards=list(cards), to=to, awaited=list(seats if awaited is None else awaited))

class Claim(SimpleNamespace):  # A condition of a move (60.1): `low` to `high` of these cards have a face of the set.
    def __init__(self, cards, faces, low, high, dealt=False):
        super().__init__(cards=list(cards), faces=set(faces), low=low, high=high, dealt=dealt)
    def says_something(self): return self.low > 0 or self.high < len(self.cards)  # has it a proof (50.5)?

class Game:  # What all games share; `play` is the generator, `paid` has the payments of each deal that is over.
    needs = {"ownership", "shuffle", "reveal", "transfer", "condition", "permute"}
    def __init__(self, seats, deals, options, suite):
        self.n, self.deals, self.suite, self.paid = seats, deals, suite, []
        self.opened, self.claims = [], []
        self.setup(options)
    def result(self): return [sum(deal[seat] for deal in self.paid) for seat in range(self.n)]  # 60.1
def read_options(given, table, why="option"):  # Options by name; `table` has the values, default first (60.2.2).
    rule(set(given) <= set(table), why)
    for name, value in given.items():
        rule(value in table[name] if not callable(table[name]) else table[name](value), f"{why} {name}")
    return {name: given.get(name, None if callable(known) else known[0]) for name, known in table.items()}
def number_option(low, high):  # Whether a value is a number in its shortest form within bounds (60.2.2).
    return lambda text: re.fullmatch("0|[1-9][0-9]*", text) and low <= int(text) <= high
def read(check, value):  # What a checker of wire reads in a move; anything else is not the game's (60.2.1).
    try: return check(value)
    except (Malformed, TypeError): raise RuleError("move") from None
def single(move, *fields):  # Name and value of a move with exactly one of these fields (60.2.1).
    rule(len(move) == 1 and move[0][0] in fields, "move")
    return move[0]
def places(value, most=255):  # A list of different places, ascending (60.2.1).
    need(type(value) is list and value == sorted(set(map(integer(0, most), value))), "places")
    return value

class Play:  # A game under way: the duties that play waits for, and the history that leads there.
    def __init__(self, make):
        self.make, self.history = make, []
        self.replay()
    def replay(self):  # The state to which the history leads (60.1).
        self.game = self.make()
        self.states = self.game.play()
        history, self.history, self.duties = self.history, [], None
        self.advance(None, first=True)
        for step in history: self.advance(step)
    def put_back(self, length):  # The state after so many steps (50.9.2).
        del self.history[length:]
        self.replay()
    def advance(self, step, first=False):  # Settle, or apply a move; RuleError if the rules do not accept it (60.1).
        self.game.opened, self.game.claims = [], []
        try: self.duties = next(self.states) if first else self.states.send(step)
        except StopIteration: self.duties = []
        if not first: self.history.append(step)
