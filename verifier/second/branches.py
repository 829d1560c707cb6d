"""What a log puts beside the history of a table with a clock (52.10)."""
from types import SimpleNamespace
import wire

HEADS = 128  # of the last heads an entry may lie beside the next one
def begin(table): table.line, table.beside, table.astray = [link(table, table.index, table.genesis)], {}, {}
def link(table, index, entry, tried=False, fork=None, path=()):  # An entry that was applied, or would have been.
    by = table.holders[entry.seat].spelling if entry.pakli == "message/v1" else None
    return SimpleNamespace(index=index, entry=entry, by=by, tried=tried, fork=fork, path=path)
def extend(table, index, entry, tried=False):  # The head has moved.
    if table.line is None: return
    table.line.append(link(table, index, entry, tried))
    if table.line[-1].by: table.astray.pop(entry.seat, None)
    heads = {other.entry.hash for other in table.line[-HEADS:]}
    table.beside = {name: other for name, other in table.beside.items() if other.fork in heads}
def signed(table, entry):  # Whether somebody has signed an entry who may: what nobody did costs no replay.
    if entry.pakli == "act/v1": return wire.signed_by(entry, entry.by)
    return entry.seat < table.n and any(wire.signed_by(entry, key) for key in table.known)
def replayed(table, path):  # The table after these entries, which knows of no branches.
    again = type(table)(table.genesis, table.index, table.find_blob, table.find_mark)
    again.line = None  # nor notes any
    for index, entry in path: again.feed(index, entry)
    return again
def twice(table, index, entry):
    """Judge an entry that does not build on the head by what it builds on; true if its seat has signed another there."""
    if table.line is None or not table.second or not table.genesis.clock.keepers or table.over() or entry.parent == table.head: return False
    heads = {other.entry.hash: place for place, other in enumerate(table.line)}
    heads = {name: place for name, place in heads.items() if place >= len(table.line) - HEADS}
    if entry.hash in heads or entry.hash in table.beside: return False
    if entry.kind == "timeout" and entry.pakli == "act/v1" or not signed(table, entry): return False
    on = table.beside.get(entry.parent)
    if on is None and entry.parent not in heads: return False
    path = on.path if on else [(other.index, other.entry) for other in table.line[1:heads[entry.parent] + 1]]
    before = replayed(table, path)
    made = link(before, index, entry, fork=on.fork if on else entry.parent, path=[*path, (index, entry)])
    result, _ = before.feed(index, entry)
    if result not in ("applied", "attempt"): return False
    made.tried = result == "attempt"
    same = lambda other: other.by and other.by == made.by and not other.tried \
        and (other.entry.parent, other.entry.seat) == (entry.parent, entry.seat)
    others = [*table.line[-HEADS:], *table.beside.values()]
    if made.by and not made.tried and table.holders[entry.seat].spelling == made.by and any(map(same, others)):
        table.foul = SimpleNamespace(seat=entry.seat, index=index, check="T8-once", shown_by=None)
        return True
    table.beside[entry.hash] = made
    if strays(table, made): table.astray[entry.seat] = made.by
    return False
def strays(table, made):  # Whether a message answers on a branch, for a seat that is not in the history since (52.10.3).
    places = {other.entry.hash: place for place, other in enumerate(table.line)}
    since = table.line[places[made.fork] + 1:]
    return made.by and made.entry.parent != made.fork and not any(o.by and o.entry.seat == made.entry.seat for o in since)
def answered(table, seat):  # Whether the holder of a seat has answered on a branch, and is not in the history again.
    return table.line is not None and table.astray.get(seat) == table.holders[seat].spelling
