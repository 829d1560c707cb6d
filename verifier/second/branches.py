"""What a log puts beside the history of a table with a clock (52.10)."""
import copy
from types import SimpleNamespace
import wire

HEADS = 128    # of the last heads an entry may lie beside the next one
SPACING = 16   # entries from one of which the table after it is kept to the next
def begin(table):  # A table without a clock notes nothing.
    table.line, table.beside, table.astray = None, {}, {}
    if table.second and table.genesis.clock.keepers: table.line = [link(table, table.index, table.genesis)]
    if table.line: table.line[0].after = bare(table)
def link(table, index, entry, fails=None, fork=None, below=None, blind=False):
    """An entry that was applied, or would have been; an attempt fails a check. Below is that of its parent. Blind: what the table is then is not known."""
    by, steps = table.holders[entry.seat].spelling if entry.pakli == "message/v1" else None, below.steps + 1 if below else 0
    return SimpleNamespace(index=index, entry=entry, by=by, fails=fails, fork=fork, below=below, steps=steps, after=None, known=table.known, blind=blind)
def keep(made, table):  # The table after every sixteenth link, and none of what led there.
    if made.steps == SPACING: made.after, made.below, made.steps = bare(table), None, 0
def extend(table, index, entry, fails=None):  # The head has moved.
    if table.line is None: return
    table.line.append(link(table, index, entry, fails, below=table.line[-1]))
    keep(table.line[-1], table)
    del table.line[:-HEADS]
    if table.line[-1].by: table.astray.pop(entry.seat, None)
    heads = {other.entry.hash for other in table.line}
    table.beside = {name: other for name, other in table.beside.items() if other.fork in heads}
def signed(known, entry):  # Whether somebody has signed an entry who may: what nobody did costs no replay.
    if entry.pakli == "act/v1": return wire.signed_by(entry, entry.by)
    return any(wire.signed_by(entry, key) for key in known)
def play_copy(play, _memo=None):  # Another game under way that goes on from here.
    other = type(play).__new__(type(play))
    other.make, other.history = play.make, list(play.history)
    other.replay()
    return other
def table_copy(table):  # Another table that goes on from here: what an entry may change is its own.
    other = copy.copy(table)
    shared = ("genesis", "find_blob", "find_mark", "suite", "deck", "holders", "play", "line", "beside", "astray")
    other.__dict__.update({name: copy.deepcopy(value) for name, value in table.__dict__.items() if name not in shared})
    other.holders, other.play = list(table.holders), play_copy(table.play)
    other.line, other.beside, other.astray = table.line and list(table.line), dict(table.beside), dict(table.astray)
    return other
def bare(table):  # A copy that knows of no branches, nor notes any.
    other = table_copy(table)
    other.line, other.beside, other.astray = None, {}, {}
    return other
def reached(on):  # The table after a link. What was taken there before is taken again, so its proofs hold.
    path = []
    while on.after is None: on = path.append(on) or on.below
    again = bare(on.after)
    again.prove = lambda _message, _statements: None
    for step in reversed(path):
        if step.fails: again.blame(step.index, step.entry, step.fails)
        else: again.feed(step.index, step.entry)
    del again.prove
    return again
def twice(table, index, entry):
    """Judge an entry that does not build on the head by what it builds on; true if its seat has signed another there."""
    if table.line is None or table.over() or entry.parent == table.head: return False
    heads = {other.entry.hash: other for other in table.line}
    if entry.hash in heads or entry.hash in table.beside: return False
    on = table.beside.get(entry.parent) or heads.get(entry.parent)
    if entry.pakli == "message/v1" and entry.seat >= table.n: return False
    if not on: return False
    if on.blind or entry.kind == "timeout" and entry.pakli == "act/v1":  # 52.10.5
        if entry.pakli == "act/v1" or signed([table.holders[entry.seat]], entry):
            branch(table, link(table, index, entry, fork=on.fork or entry.parent, blind=True))
        return False
    if not signed([*table.known, *on.known], entry): return False
    before = reached(on)
    made = link(before, index, entry, fork=on.fork or entry.parent, below=on)
    result, fails = before.feed(index, entry)
    if result not in ("applied", "attempt") or not made.by and before.over(): return False  # 52.10.6
    made.fails, made.known = fails, before.known
    same = lambda other: other.by and other.by == made.by and not other.fails \
        and (other.entry.parent, other.entry.seat) == (entry.parent, entry.seat)
    others = [*table.line, *table.beside.values()]
    if made.by and not made.fails and table.holders[entry.seat].spelling == made.by and any(map(same, others)):
        table.foul = SimpleNamespace(seat=entry.seat, index=index, check="T8-once", shown_by=None)
        return True
    keep(made, before)
    branch(table, made)
    return False
def branch(table, made):
    table.beside[made.entry.hash] = made
    if strays(table, made): table.astray[made.entry.seat] = made.by
def strays(table, made):  # Whether a message answers on a branch, for a seat that is not in the history since (52.10.3).
    places = {other.entry.hash: place for place, other in enumerate(table.line)}
    since = table.line[places[made.fork] + 2:]
    return made.by and made.entry.parent != made.fork and not any(o.by and o.entry.seat == made.entry.seat for o in since)
def answered(table, seat):  # Whether the holder of a seat has answered on a branch, and is not in the history again.
    return table.line is not None and table.astray.get(seat) == table.holders[seat].spelling
