"""Acts at tables of the second format: who may do what, and what comes of it (50.7, 50.9)."""
import clock, wire
from game import Void, check
from wire import Malformed, need

SEATS = {"expose", "timeout"}
RULERS = {"pause", "resume", "reseat", "close", "timeout"}
def begin(table):  # The state of a table that only acts change (50.7).
    table.holders, table.held = list(table.genesis.seats), {key.bytes for key in table.genesis.seats}
    table.known = list(table.genesis.seats)
    table.ended = table.stopped = None
    table.paused = table.adjudicated = False
    table.wants, table.backs, table.forfeits = {}, [0] * table.n, [0] * table.n
    table.acted, table.others_acted = {}, {}
def deal_begins(table):  # What seats want lapses; acts are counted anew but where a deal was undone (50.7, 50.7.2).
    table.wants = {}
    if not table.undone: table.acted = {}
    table.undone = False
def apply(table, index, act):  # Check an act in the order of 50.7, and apply it.
    act.index = index
    check(act.table == table.id and table.second, "T2-table")
    check(not table.foul and not table.over(), "T3-open")
    check(act.parent == table.head, "T4-parent")
    check(wire.signed_by(act, act.by), "T6-signature")
    seat = next((seat for seat, key in enumerate(table.holders) if key.spelling == act.by.spelling), None)
    rules = act.by.spelling in {key.spelling for key in [table.genesis.organiser, *table.genesis.arbiters]}
    rules = rules and not table.genesis.ends.selfruled
    check(entitled(table, act.kind, seat, rules), "A1-entitled")
    seated = acts_as_seat(table, act.kind, seat)
    counts, who, most = (table.acted, seat, 8) if seated else (table.others_acted, act.by.spelling, 64)
    check(counts.get(who, 0) < most, "A2-bound")
    stands = table.paused or table.stopped is not None
    check(act.kind != "timeout" or table.genesis.clock.keepers and not stands, "C1-clock")
    try:
        body = wire.record(act.body, wire.ACT_BODIES[act.kind])
        need(act.kind == "expose" or not act.proofs, "proofs")
        effect = EFFECTS[act.kind](table, act, body, seat)
        next(effect)
    except Malformed: raise Void("A3-body") from None
    counts[who] = counts.get(who, 0) + 1
    before = table.begun, table.paused, table.stopped
    next(effect, None)
    table.places[act.hash] = index
    goes_on = before[1] and not table.paused or before[2] is not None and table.stopped is None
    clock.owe(table, act, anew=goes_on or table.begun != before[0] or act.kind == "reseat")
def acts_as_seat(table, kind, seat):  # Whether an act counts as its seat's, and not as another key's (50.7, A2).
    alone = table.stopped == seat and seat is not None and table.backs[seat] < 2
    return kind in ("resign", "agree", "expose") or kind == "timeout" and seat is not None or kind == "back" and alone
def entitled(table, kind, seat, rules):  # A1: whether the kind is one that this key may do at this table (50.7).
    ends = table.genesis.ends
    if kind in ("resign", "agree"): return seat is not None and getattr(ends, kind)
    if kind == "back": return rules or seat is not None and table.stopped == seat and table.backs[seat] < 2
    return seat is not None and kind in SEATS or rules and kind in RULERS
def leave(table, seat):  # A seat that leaves an open deal pays the forfeit to each other seat (50.9.3, 80.2.6).
    if not table.deal_open(): return
    table.adjudicated = True
    if table.genesis.ends.late == "forfeit":
        for other in range(table.n): table.forfeits[other] += table.genesis.ends.forfeit
        table.forfeits[seat] -= table.n * table.genesis.ends.forfeit
def undo(table):  # The rules go back to where the open deal began, and another begins (50.9.2).
    if table.deal_open():
        table.play.put_back(table.undo_point)
        table.undone = True
        table.begin_phase()
# Each kind of act: what must hold for it to be done (A3), and after `yield` what comes of it (50.7).
def resign(table, _act, body, seat):  # Give up the deal, or leave the table (50.7).
    need(table.stopped is None and (body.scope == "table" or table.deal_open()), "resign")
    yield
    leave(table, seat)
    if body.scope == "deal": undo(table)
    else: stop(table, seat)
def stop(table, seat):  # The seat has left; at a table that nobody rules what seats want lapses (50.7.6).
    table.stopped = seat
    if table.genesis.ends.selfruled: table.wants = {}
def agree(table, _act, body, seat):  # What a seat wants; when all want the same, it is so (50.7, 50.7.2).
    need(table.wants.get(seat, "") != body.to, "wanted already")
    need(body.to != "undo" or table.deal_open() and table.stopped is None, "undo")
    need(body.to not in ("pause", "resume") or table.paused == (body.to == "resume"), "pause")
    asked, free = set(range(table.n)), table.genesis.ends.selfruled
    need(not free or body.to in ("end", "undo", "") and seat != table.stopped, "selfruled")
    yield
    table.wants[seat] = body.to
    if free: asked.discard(table.stopped)
    if body.to and {table.wants.get(other) for other in asked} == {body.to}:
        table.wants = {}
        if body.to == "end":
            table.ended = "agree"
            table.adjudicated = table.adjudicated or len(asked) < table.n
        elif body.to == "undo": undo(table)
        else: table.paused = body.to == "pause"
def pause(table, act, _body, _seat):  # Pause the table, or let it go on (50.7).
    need(table.stopped is None and table.paused == (act.kind == "resume"), "pause")
    yield
    table.paused = act.kind == "pause"
def back(table, _act, _body, seat):  # The seat that has left is back: the open deal is undone (50.7).
    need(table.stopped is not None, "not stopped")
    yield
    if seat is not None and table.stopped == seat: table.backs[seat] += 1
    stop(table, None)
    undo(table)
def expose(table, act, body, seat):  # Turn cards of one's hand up at a stopped table (50.7.3).
    need(table.stopped is not None and len(body.cards) == len(body.tokens), "expose")
    need(body.cards == sorted(set(body.cards)) and all(table.holds(seat, c) for c in body.cards), "cards")
    tokens = [table.masking().token(token) for token in body.tokens]
    need(len(act.proofs) == 1, "proof")
    try:
        values = [table.cards[card][0] for card in body.cards]
        tr = table.context("expose", seat, 0)
        table.masking().prove("reveal", tr, act.proofs[0], table.keys[seat], values, tokens)
    except Malformed: raise Void("P3-reveal") from None
    yield
    for card, token in zip(body.cards, tokens):
        value, off = table.cards[card]
        table.cards[card] = [table.masking().strip(value, token), off | {seat}]
def reseat(table, act, body, _seat):  # Another key takes a seat, which it has accepted (50.9.4, 10.11.4).
    seat, key = body.seat, body.key
    need(seat < table.n and key.bytes not in table.held, "seat")
    accepted = f"pakli-accept/v1\n{table.id}\n{act.parent}\n{seat}\n".encode()
    need(wire.verify_ed25519(key.bytes, body.accept, accepted), "accept")
    yield
    table.holders[seat], table.adjudicated, table.keys[seat] = key, True, None
    table.held.add(key.bytes)
    table.known.append(key)
    table.wants.pop(seat, None)
    table.backs[seat] = table.acted[seat] = 0
    table.stopped = None if table.stopped == seat else table.stopped
    undo(table)
    if not table.begun or seat in table.order: table.key_due.add(seat)
def timeout(table, act, body, seat):  # Who is late by the clock leaves, as if it resigned from the table (52.4).
    need(all(bool(span.done) == (span is not body.spans[-1]) for span in body.spans), "claim")
    check(body.seat != seat, "A1-entitled")
    clock.judge(table, act.index, body)
    yield
    leave(table, body.seat)
    stop(table, body.seat)
def close(table, _act, _body, _seat):  # The table is over (50.7).
    yield
    table.ended, table.adjudicated = "close", True
EFFECTS = {"resign": resign, "agree": agree, "pause": pause, "resume": pause, "back": back, "expose": expose,
           "reseat": reseat, "close": close, "timeout": timeout}
