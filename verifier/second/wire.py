"""Entries: the signed note of one line, canonical JSON, and its formats (chapter 10)."""
import base64, binascii, ctypes, hashlib, json, re
from types import SimpleNamespace
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

SODIUM = ctypes.CDLL("libsodium.so.23")
MAX_ENTRY, MAX_INLINE, MAX_CARDS, MAX_BLOBS, MAX_LONG = 65_535, 16_384, 48_384, 1_048_576, 16_777_216

class Malformed(ValueError): """What is read is not in its form."""
def need(condition, why="malformed"):  # Refuse what does not satisfy a condition (10).
    if not condition: raise Malformed(why)
class Obj(list): """A JSON object as the list of its pairs, in their order and with repetitions (10.3.9)."""
def parse_json(text):  # The value that a text in the form of 10.3 spells: it is written in the same way again (10.3.6).
    def refuse(_): raise Malformed("number")
    try: value = json.loads(text, object_pairs_hook=Obj, parse_float=refuse, parse_constant=refuse)
    except (ValueError, RecursionError): raise Malformed("JSON") from None
    check_json(value, 0)
    need(dumps(value) == text, "not canonical")
    return value
def check_json(value, depth):  # The bounds of numbers (10.3.3) and of what is open (10.3.8).
    need(not isinstance(value, list) or depth < 16, "too deep")
    need(type(value) is not int or abs(value) < 2 ** 53, "number")
    for item in value if isinstance(value, list) else ():
        check_json(item[1] if isinstance(value, Obj) else item, depth + 1)
def dumps(value):  # A value in the form of 10.3.
    if isinstance(value, Obj): return "{" + ",".join(f'"{name}":{dumps(item)}' for name, item in value) + "}"
    if isinstance(value, list): return "[" + ",".join(map(dumps, value)) + "]"
    if isinstance(value, bool): return "true" if value else "false"
    return str(value) if isinstance(value, int) else f'"{value}"'
def checked(test, why):  # A checker that returns what passes a test (10.3).
    def check(value):
        need(test(value), why)
        return value
    return check
def integer(low, high): return checked(lambda v: type(v) is int and low <= v <= high, "integer")  # 10.3.3
def string(low, high): return checked(lambda v: type(v) is str and low <= len(v) <= high, "string")  # 10.3
def one_of(*words): return checked(lambda v: any(type(v) is type(w) and v == w for w in words), "word")  # 10.3
boolean = checked(lambda v: type(v) is bool, "bool")
hex_hash = checked(lambda v: type(v) is str and re.fullmatch("[0-9a-f]{64}", v), "hash")  # 64 hex digits (10.3.4)
def unbase64(value, low=1, high=1 << 20):  # The bytes that padded base64 in its one spelling has (10.3.4).
    need(type(value) is str, "base64")
    try: data = base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError): raise Malformed("base64") from None
    need(base64.b64encode(data).decode() == value and low <= len(data) <= high, "base64")
    return data
def maybe_hash(value): return value if value == "" else hex_hash(value)  # A hash, or nothing.
def list_of(check, low, high):  # A list of so many values of one form (10.3).
    def check_list(value):
        need(type(value) is list and low <= len(value) <= high, "list")
        return [check(item) for item in value]
    return check_list
def record(value, fields):  # An object with just these fields in this order (10.3.1), as a namespace.
    need(type(value) is Obj and [name for name, _ in value] == [name for name, _ in fields], "fields")
    return SimpleNamespace(**{name: check(item) for (name, item), (_, check) in zip(value, fields)})
def object_of(*fields): return lambda value: record(value, fields)  # a checker for such an object
def options_map(value):  # Options: an object of strings, names ascending (10.3.5, 10.4).
    need(type(value) is Obj and len(value) <= 64, "options")
    names = [name for name, _ in value]
    need(names == sorted(set(names)) and all(1 <= len(name) <= 64 for name in names), "options")
    return {name: string(0, 64)(item) for name, item in value}
FORBIDDEN = [(0x00, 0x1F), (0x7F, 0x9F), (0xAD, 0xAD), (0x61C, 0x61C), (0x180B, 0x180D), (0x180F, 0x180F),
             (0x200B, 0x200F), (0x2028, 0x202E), (0x2060, 0x206F), (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF),
             (0xE000, 0xF8FF), (0xFDD0, 0xFDEF), (0xE0000, 0xE007F), (0xE0100, 0xE01EF), (0xF0000, 0x10FFFF)]
def text(low, high):  # What people read, of so many bytes of UTF-8, escaped in one way (10.9).
    def check(value):
        need(type(value) is str and re.fullmatch(r'([^%"\\]|%[0-9A-F]{2})*', value), "text")
        raw = re.sub(b"%(..)", lambda match: bytes([int(match[1], 16)]), value.encode())
        plain = "".join(chr(b) if 0x20 <= b <= 0x7E and chr(b) not in '%"\\' else f"%{b:02X}" for b in raw)
        need(plain == value and low <= len(raw) <= high, "text")
        try: points = [ord(letter) for letter in raw.decode()]
        except UnicodeDecodeError: raise Malformed("UTF-8") from None
        need(not any(a <= point <= b for point in points for a, b in FORBIDDEN), "code point")
        need(not any(point & 0xFFFF >= 0xFFFE for point in points), "code point")
        return value
    return check
def parse_key(value, algorithms=(1,)):
    """A verifier key in its one spelling; the name has neither spaces nor plus signs (66.1.1)."""
    need(type(value) is str, "key")
    parts = value.split("+", 2)
    need(len(parts) == 3 and parts[0] and not re.search(r"\s", parts[0]), "key")
    data = unbase64(parts[2], 2, 2000)
    digest = hashlib.sha256(parts[0].encode() + b"\n" + data).digest()[:4]
    need(digest.hex() == parts[1] and data[0] in algorithms and len(parts[0].encode()) <= 255, "key")
    need(len(data) == (1313 if data[0] == 6 else 33), "key")
    return SimpleNamespace(spelling=value, name=parts[0], hash=digest, algorithm=data[0], bytes=data[1:])
def is_point(data):  # Whether 32 bytes encode, canonically, a point whose multiple by 8 is not the identity (10.4).
    if int.from_bytes(data, "little") & (1 << 255) - 1 >= (1 << 255) - 19: return False
    point = bytes(data)
    for _ in range(3):
        double = ctypes.create_string_buffer(32)
        if SODIUM.crypto_core_ed25519_add(double, point, point) != 0: return False
        point = double.raw
    return point != b"\x01" + bytes(31)
def seat_key(value):  # The verifier key of somebody who signs entries (10.1.3, 10.4).
    key = parse_key(value)
    need(re.fullmatch(r"[A-Za-z0-9._-]{1,32}", key.name) and is_point(key.bytes), "key")
    return key
def keeper_key(value):  # The verifier key of a keeper (10.10.2).
    key = parse_key(value, (4,))
    need(re.fullmatch(r'[!-~]{1,64}', key.name) and not set('"\\') & set(key.name), "keeper")
    need(is_point(key.bytes), "keeper")
    return key
def distinct(keys): return len({key.bytes for key in keys}) == len(keys)  # pairwise distinct (10.10)
def verify_ed25519(key_bytes, signature, message):  # 10.1.5: no cofactor, S below the order, R byte for byte.
    try:
        Ed25519PublicKey.from_public_bytes(key_bytes).verify(signature, message)
        return True
    except (InvalidSignature, ValueError): return False
NO_CLOCK_1 = object_of(("key", one_of("")), ("move", one_of(0)), ("bank", one_of(0)))
SECONDS = integer(0, 31_536_000)
CLOCK = object_of(("keepers", list_of(keeper_key, 0, 8)), ("lines", list_of(seat_key, 0, 8)), ("quorum", integer(0, 8)),
    ("tick", integer(0, 3600)), ("start", SECONDS), ("move", SECONDS), ("bank", SECONDS), ("increment", SECONDS),
    ("grace", SECONDS), ("silence", boolean))
ENDS = [("late", one_of("forfeit", "undo")), ("forfeit", integer(0, 1_000_000)), ("resign", boolean), ("agree", boolean)]
def read_ends(value):  # How a table may end; the last field is there only if it is true (10.10.3).
    last = type(value) is Obj and len(value) == 5
    return SimpleNamespace(**{"selfruled": False, **vars(record(value, ENDS + [("selfruled", one_of(True))] * last))})
NONCE = lambda value: unbase64(value, 16, 16)
NAME = string(1, 64)
HEAD = [("game", NAME), ("suite", NAME), ("options", options_map), ("deals", integer(1, 1000))]
SEATS = list_of(seat_key, 2, 16)
GENESIS_1 = [("pakli", one_of("table/v1")), *HEAD, ("fouls", one_of("refuse", "record")),
             ("clock", NO_CLOCK_1), ("organiser", seat_key), ("seats", SEATS), ("nonce", NONCE)]
GENESIS_2 = [("pakli", one_of("table/v2")), ("event", maybe_hash), ("round", integer(0, 1000)),
             ("number", integer(0, 65_535)), *HEAD, ("fouls", one_of("refuse", "record", "warn")), ("clock", CLOCK),
             ("ends", read_ends), ("organiser", seat_key), ("arbiters", list_of(seat_key, 0, 16)), ("seats", SEATS),
             ("names", list_of(text(0, 96), 2, 16)), ("nonce", NONCE)]
ANY = lambda value: value
MESSAGE = [("pakli", one_of("message/v1")), ("table", hex_hash), ("parent", hex_hash),
           ("seat", integer(0, 15)), ("kind", string(1, 32)), ("body", ANY), ("proofs", ANY)]
ACT = [("pakli", one_of("act/v1")), *MESSAGE[1:3], ("by", seat_key), *MESSAGE[4:]]

class Blob(SimpleNamespace): """The name of a blob: its hash and size (10.8)."""
def parse_blob(value, above):  # The name of a blob of more than so many bytes (10.8).
    match = re.fullmatch(r"sha256:([0-9a-f]{64}):([1-9][0-9]{0,9})", value)
    need(match and above < int(match[2]) <= MAX_LONG, "blob")
    return Blob(hash=match[1], size=int(match[2]))
def parse_proof(value):  # A proof of 1 to 16,384 bytes, or the name of a longer one (10.5, 10.8).
    need(type(value) is str, "proof")
    return parse_blob(value, MAX_INLINE) if value.startswith("sha256:") else unbase64(value, 1, MAX_INLINE)
def is_long(genesis): return genesis.suite.startswith("schindelhauer")  # a table of longer blobs (32.5.1)
def blobs(entry):  # The blobs that an entry names, whichever table it is of (10.8, 10.8.7).
    cards = entry.pakli == "message/v1" and dict(entry.body).get("cards")
    try: named = [parse_blob(cards, MAX_CARDS)] if type(cards) is str and len(entry.body) == 1 else []
    except Malformed: named = []
    return named + [proof for proof in getattr(entry, "proofs", []) if isinstance(proof, Blob)]
def concerns(entry, genesis):
    """Whether a message or act is of a table: it names it, and no more bytes than it may (32.5.1, 50.3, 50.7)."""
    kinds = ("message/v1", "act/v1") if genesis.pakli == "table/v2" else ("message/v1",)
    most = MAX_LONG if is_long(genesis) else MAX_BLOBS
    ours = entry.pakli in kinds and entry.table == genesis.hash
    return ours and sum(blob.size for blob in blobs(entry)) <= most
def check_genesis_1(entry):  # What 10.4 says of several fields together.
    need(len({key.name for key in entry.seats}) == len(entry.seats) and distinct(entry.seats), "seats")
def check_genesis_2(entry):  # What 10.10 says of several fields together.
    clock = entry.clock
    need(distinct(entry.seats) and distinct(entry.arbiters) and len(entry.names) == len(entry.seats), "keys")
    need(entry.event or (entry.round, entry.number) == (0, 0), "event")
    need((entry.ends.forfeit > 0) == (entry.ends.late == "forfeit"), "forfeit")
    need(not entry.ends.selfruled or entry.ends.agree and not entry.arbiters and not entry.event, "selfruled")
    numbers = [clock.quorum, clock.tick, clock.start, clock.move, clock.bank, clock.increment, clock.grace]
    if not clock.keepers:
        need(not clock.lines and not any(numbers) and not clock.silence, "clock")
        return
    need(distinct(clock.keepers) and len(clock.keepers) < 2 * clock.quorum <= 2 * len(clock.keepers), "k")
    need(clock.tick and clock.start + clock.move + clock.bank and (clock.bank or not clock.increment), "c")
    need(len(clock.lines) == (len(clock.keepers) if clock.silence else 0) and distinct(clock.lines), "lines")
def check_message(entry):  # What 10.5 and 10.8.2 say of a body and of proofs.
    need(type(entry.body) is Obj and type(entry.proofs) is list and len(entry.proofs) <= 32, "message")
    entry.proofs = [parse_proof(proof) for proof in entry.proofs]
    need(sum(blob.size for blob in blobs(entry)) <= MAX_LONG, "blobs")
def check_act(entry):  # What 10.11 says of a body and of proofs: none is a blob.
    check_message(entry)
    need(not any(isinstance(proof, Blob) for proof in entry.proofs), "blob of an act")
MARK = [("pakli", one_of("mark/v1")), ("by", seat_key), ("note", lambda value: unbase64(value, 1, 8192))]
FORMATS = {"table/v1": (GENESIS_1, check_genesis_1), "table/v2": (GENESIS_2, check_genesis_2),
           "message/v1": (MESSAGE, check_message), "act/v1": (ACT, check_act), "mark/v1": (MARK, lambda _: None)}
NOTE = re.compile(rb"([\x20-\x5b\x5d-\x7e]+)\n\n\xe2\x80\x94 ([A-Za-z0-9._-]{1,32}) ([A-Za-z0-9+/=]+)\n")
def entry_hash(data): return hashlib.sha256(b"\0" + data).hexdigest()  # its leaf (10.2)
def parse_entry(data):  # A genesis entry, a message or an act (10.1, 10.4, 10.5, 10.10, 10.11); `pakli` says which.
    need(1 <= len(data) <= MAX_ENTRY, "length")
    note = NOTE.fullmatch(data)
    need(note, "note")
    signature, value = unbase64(note[3].decode(), 68, 68), parse_json(note[1].decode())
    need(type(value) is Obj and value and value[0][0] == "pakli", "format")
    need(type(value[0][1]) is str and value[0][1] in FORMATS, "format")
    fields, check = FORMATS[value[0][1]]
    entry = record(value, fields)
    check(entry)
    entry.hash, entry.size, entry.signed = entry_hash(data), len(data), note[1] + b"\n"
    entry.signer, entry.key_hash, entry.signature = note[2].decode(), signature[:4], signature[4:]
    return entry
def signed_by(entry, key):  # Whether an entry has the signature of this key (10.1.5).
    return (entry.signer == key.name and entry.key_hash == key.hash
            and verify_ed25519(key.bytes, entry.signature, entry.signed))
B64 = lambda value: unbase64(value)
CARDS = [("cards", list_of(B64, 0, 256))]
def long_cards(value):  # A list of cards, or the blob that it is where it is long (10.8.7).
    if type(value) is str: return parse_blob(value, MAX_CARDS)
    need(sum(map(len, cards := CARDS[0][1](value))) <= MAX_CARDS, "long")
    return cards
LONG_CARDS = [("cards", long_cards)]
def parse_move(value):  # A move: an object of at most 1,024 bytes (10.6.1).
    need(type(value) is Obj and len(dumps(value)) <= 1024, "move")
    return value
ORDER, SIGNATURE = (lambda value: unbase64(value, 1, 256)), (lambda value: unbase64(value, 64, 64))
DISCLOSED = object_of(("deal", integer(1, 2 ** 53)), ("lock", B64), ("order", ORDER))
def marks_named(act):  # The hashes of the marks that a claim names (10.11, 52.4).
    try:
        claim = record(act.body, ACT_BODIES["timeout"])
        return {claim.seen, *(name for span in claim.spans for name in (getattr(span, "from"), span.to))}
    except Malformed: return set()
BODIES = {"key": [("key", B64)], "anchored key": [("key", B64), ("anchor", B64)], "beacon": [("value", B64)],
    "answer": [], "show": [("tokens", list_of(B64, 0, 256))],
    "move": [("move", parse_move), ("tokens", list_of(B64, 0, 256))],
    "disclose": [("deals", list_of(DISCLOSED, 1, 256))], "dispute": [("card", integer(0, 255))],
    **{kind: CARDS for kind in ("shuffle", "give", "permute", "return", "mix", "cut", "insert", "mint")}}
SPAN = object_of(("since", hex_hash), ("done", maybe_hash), ("from", hex_hash), ("to", hex_hash))
ACT_BODIES = {"timeout": [("seat", integer(0, 15)), ("seen", hex_hash), ("spans", list_of(SPAN, 1, 128)),
                ("silence", list_of(lambda value: unbase64(value, 76, 76), 0, 8))],
    "resign": [("scope", one_of("deal", "table"))], "agree": [("to", one_of("end", "undo", "pause", "resume", ""))],
    "pause": [], "resume": [], "back": [],
    "expose": [("cards", list_of(integer(0, 255), 1, 256)), ("tokens", list_of(B64, 1, 256))],
    "reseat": [("seat", integer(0, 15)), ("key", seat_key), ("accept", SIGNATURE)], "close": [("reason", text(0, 480))]}
