"""Clocks: since when a seat owes what, and the claim that it is late (chapter 52)."""
import branches
from game import check
from log import line_verifies
from wire import verify_ed25519
LAST = 253_402_300_799  # the last second of the year 9999 (66.1)
def begin(table):  # Since when duties are owed, spans that seats have used in this deal, and their messages (52.3).
    table.since, table.places = {}, {table.id: table.index}
    begin_deal(table)
    owe(table, table.genesis)
def begin_deal(table): table.used, table.sent = [[] for _ in range(table.n)], [0] * table.n  # 52.3.3
def owe(table, entry, done=False, anew=False):
    """Since when duties are owed after an entry: those that it did, or `anew` all, since it (80.2.2, 52.3.2)."""
    def goes_on(seat, kind):
        did = done and entry.kind == kind and (kind == "move" or entry.seat == seat)
        return not did and not anew and (seat, kind) in table.since
    table.since = {duty: table.since[duty] if goes_on(*duty) else entry.hash for duty in table.owing()}
def discharged(table, entry, begun, since):
    """Enter a message that was applied: what it did was owed since an earlier entry, or in a pause since itself."""
    if table.begun == begun and begun:
        table.used[entry.seat].append((entry.hash if table.paused else since, entry.hash))
        table.sent[entry.seat] += 1
    owe(table, entry, done=True)
def times(mark, clock):  # The time of each keeper in a mark: of its first line if that verifies and tells one (52.2.3).
    found = {}
    for place, key in enumerate(clock.keepers):
        lines = [line for name, line in mark.checkpoint.signatures if (name, line[:4]) == (key.name, key.hash)]
        time = int.from_bytes(lines[0][4:12], "big") if lines else 0
        if 0 < time <= LAST and line_verifies(mark.checkpoint, key, lines[0][4:]): found[place] = time
    return found
def elapsed(one, other, quorum):  # What passed between marks, by times of a quorum of keepers (52.3.1, C4), or None.
    spans = [other[place] - one[place] for place in one if place in other]
    return max(0, min(spans) - 1) if len(spans) >= quorum else None
def judge(table, index, claim):  # C2 to C7 of a claim (52.4).
    def good(name, check_name):
        mark = table.find_mark(name)
        check(mark and mark.index < index, check_name)
        return mark, times(mark, clock)
    clock, seat, last, at = table.genesis.clock, claim.seat, claim.spans[-1], table.places.get
    owed = {(owing, since) for (owing, kind), since in table.since.items() if table.awaits(owing, kind)}
    check((seat, last.since) in owed, "C2-owed")
    pairs = [(span.since, span.done) for span in claim.spans[:-1]]
    check(pairs == [pair for pair in table.used[seat] if pair in pairs], "C3-spans")
    passed, ends = [], []
    for span in claim.spans:
        first, first_times = good(getattr(span, "from"), "C4-times")
        second, second_times = good(span.to, "C4-times")
        check(all(at(name) < first.checkpoint.size for name in [span.since, *ends]), "C4-times")
        check(not span.done or second.index < at(span.done), "C4-times")
        passed.append(elapsed(first_times, second_times, clock.quorum))
        check(passed[-1] is not None, "C4-times")
        ends = [span.done]
    bank = clock.bank + clock.increment * table.sent[seat] if clock.bank and table.begun else None
    one = clock.move if table.begun else clock.start
    check(one and passed[-1] > one or bank is not None and sum(passed) > bank, "C5-over")
    seen, seen_times = good(claim.seen, "C6-grace")
    if clock.grace:
        waited = elapsed(seen_times, second_times, clock.quorum)
        check(at(table.head) < seen.checkpoint.size and waited is not None and waited > clock.grace, "C6-grace")
    limits = [one] * bool(one) + ([] if bank is None else [bank - sum(passed[:-1])])
    check(not clock.silence or silent(table, claim, first_times, max(0, min(limits))) >= clock.quorum, "C7-silence")
    check(not branches.answered(table, seat), "C8-branch")
def silent(table, claim, since, allowed):  # How many keepers say late enough that they hold nothing (52.4.3, 66.8.1).
    found = set()
    for line in claim.silence:
        time = int.from_bytes(line[4:12], "big")
        text = f"pakli-silence/v1\ntime {time}\ntable {table.id}\nparent {table.head}\nseat {claim.seat}\n".encode()
        for place, key in enumerate(table.genesis.clock.lines):
            late = place in since and time - since[place] - 1 > allowed and time <= LAST
            if late and line[:4] == key.hash and verify_ed25519(key.bytes, line[12:], text): found.add(place)
    return len(found)
