#!/usr/bin/python3
"""A second verifier of pakli's tables, from the specification alone (chapter 80).
    verify.py --log VKEY [--table ID] FILE.pakli|DIR …
It prints one JSON object: of one table its verdict, of several a list. The exit code is that of 80.2.
"""
import argparse, json, os, re, sys, wire
from bundle import NO_EVENTS, Bundle
from log import CannotCheck, LogBroken, Mirror
from table import Table
from wire import Malformed

EXIT = {"sound": 0, "sound for its seats": 8, "adjudicated": 6, "unfinished": 3, "foul": 4, "log broken": 5, None: 1}
WORST = ["sound", "sound for its seats", "adjudicated", "unfinished", None, "foul", "log broken"]
def read_source(path, keys):  # A mirror or a bundle, in order and signed by the log (65.7, 85).
    if os.path.exists(os.path.join(path, "event.pakli")): raise CannotCheck(NO_EVENTS)
    if os.path.isdir(path): return Mirror(path, keys)
    try:
        with open(path, "rb") as file: return Bundle(file.read(), keys)
    except OSError as error: raise CannotCheck(f"the source cannot be read: {error}") from None
def parsed(data):  # An entry, or nothing (50.3).
    try: return wire.parse_entry(data)
    except Malformed: return None
def replay(source, identity):  # The verdict on one table, its findings and its tally (80.2).
    table, report, shown, orphans = None, {"table": identity}, set(), []
    for index, data in source.entries.items():
        source.at, entry = index, parsed(data)
        if entry is None or table and table.foul: continue
        if table is None:
            if entry.hash == identity and entry.pakli in ("table/v1", "table/v2"):
                report.update(game=entry.game, suite=entry.suite, seats=[key.name for key in entry.seats])
                if re.match("qr|sra3072|schindelhauer", entry.suite): print(f"{entry.suite} has long numbers: this may take minutes", file=sys.stderr)
                table = Table(entry, index, source.blob, source.mark)
                shown.add(entry.hash)
        elif entry.hash == identity or wire.concerns(entry, table.genesis):
            if table.feed(index, entry) == ("void", "T4-parent") and is_signed(table, entry): orphans.append(entry)
            shown.add(entry.hash)
    if table is None: raise CannotCheck("there is no such table", "G1-genesis")
    if not source.whole and table.verdict() == "unfinished":
        if any(entry.parent not in shown for entry in orphans):
            raise CannotCheck("an entry builds on one that is not shown (85.5.5)")
    return {**report, **findings(table)}
def is_signed(table, entry):  # Whether a message or an act has the signature of whom it names (85.5.5).
    if entry.pakli == "act/v1": return wire.signed_by(entry, entry.by)
    return entry.seat < table.n and wire.signed_by(entry, table.holders[entry.seat])
def findings(table):  # The verdict on a table that was replayed, with what belongs to it (81.3).
    verdict, foul, counts = table.verdict(), table.foul, table.counts
    found = {"verdict": verdict, "applied": counts.applied, "void": counts.void}
    if table.second: found.update(acts=counts.acts, attempted=counts.attempted)
    if foul:
        found["findings"] = [{"check": foul.check, "index": foul.index, "seat": foul.seat}]
        if foul.shown_by is not None: found["findings"][0]["shown_by"] = foul.shown_by
    elif verdict == "unfinished":
        found["owing"] = [{"seat": seat, "duty": kind, "since": table.places.get(table.since[seat, kind])}
                          for seat, kind in table.owing()]
        found["stopped"] = table.stopped
    else: found["result"] = table.result()
    return found
def cannot(identity, error, source=None):  # What is said of a table that cannot be checked, or of a broken log (80.2).
    verdict = {"verdict": "log broken"} if isinstance(error, LogBroken) else {}
    known, at = isinstance(error, CannotCheck), getattr(source, "at", "unknown")
    why = str(error) if known else f"this verifier itself failed at entry {at}: {error!r}"
    return {"table": identity, **verdict, "error": why, **({"check": error.check} if known and error.check else {})}
def tables_of(source):  # The tables of a source: those whose genesis entry is signed by its organiser (80.4.2).
    for source.at, data in source.entries.items():
        entry = parsed(data) if data.startswith(b'{"pakli":"table/') else None
        wanted = entry and (source.whole or entry.hash == source.manifest.table)
        if wanted and wire.signed_by(entry, entry.organiser): yield entry.hash
def verify(path, keys, wanted=()):  # Reports of the tables of one source, or of those that are wanted (80, 80.4).
    source, reports = None, []
    try:
        source = read_source(path, keys)
        known = list(tables_of(source))
    except Exception as error:  # whatever a log makes this program do, it is no verdict
        return [cannot(", ".join(wanted) or os.path.basename(path), error, source)]
    for identity in dict.fromkeys(known if not wanted or not source.whole else wanted):
        full = next((found for found in known if found.startswith(identity)), identity)
        try: reports.append(replay(source, full))
        except Exception as error: reports.append(cannot(full, error, source))
    return reports or [cannot(os.path.basename(path), CannotCheck("the source has no table"))]
def main():  # The command (80.2, 80.4.4).
    parser = argparse.ArgumentParser(description=__doc__)
    log_key = lambda text: wire.parse_key(text, (1, 6))
    parser.add_argument("--log", action="append", required=True, type=log_key, help="verifier key of the log")
    parser.add_argument("--table", action="append", default=[], help="id of a table, or how it begins")
    parser.add_argument("sources", nargs="+")
    options = parser.parse_args()
    reports = [report for path in options.sources for report in verify(path, options.log, options.table)]
    print(json.dumps(reports[0] if len(reports) == 1 else {"tables": reports}, indent=1))
    sys.exit(EXIT[max((report.get("verdict") for report in reports), key=WORST.index)])
if __name__ == "__main__": main()
