"""Entries of a game with something wrong, most of them signed anew by the right key (tests; not the verifier)."""
import base64
import hashlib

import table as kernel
import wire
from wire import Obj, dumps
from writing import B64, Signer

MESSAGES = ["key", "show", "move", "give", "return", "shuffle", "permute", "mix", "cut", "insert", "mint", "disclose",
            "dispute", "none"]


def field(value, name):
    """A field of an object."""
    return dict(value).get(name)


def replace(value, name, new):
    """An object with another value of a field."""
    return Obj((key, new if key == name else old) for key, old in value)


def damage(rng, data):
    """Bytes with something wrong."""
    data = bytearray(data)
    kind = rng.randrange(6)
    if kind == 0:
        return bytes(data[:-1])
    if kind == 1:
        return bytes(data + b"\0")
    place = rng.randrange(0, max(1, len(data) // 32)) * 32
    if kind == 2:
        data[place:place + 32] = bytes(32)
    elif kind == 3:
        data[place:place + 32] = b"\xff" * min(32, len(data) - place)
    else:
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    return bytes(data) or b"\1"


def mutate_list(rng, values, other):
    """A list of base64 with something wrong."""
    values = list(values)
    kind = rng.randrange(7)
    if not values or kind == 0:
        return values + [B64(other)]
    place = rng.randrange(len(values))
    if kind == 1:
        del values[place]
    elif kind == 2 and len(values) > 1:
        two = (place + 1) % len(values)
        values[place], values[two] = values[two], values[place]
    elif kind == 3:
        values[place] = B64(other)
    elif kind == 4 and len(values) > 1:
        values[place] = values[place - 1]
    elif kind == 5:
        values[place] = rng.choice(["", "AAA", "====", values[place] + "A", B64(bytes(32)), B64(bytes(64))])
    elif not values[place].startswith("sha256"):
        values[place] = B64(damage(rng, base64.b64decode(values[place])))
    return values


def leaves(value, path=()):
    """The places of all scalars and groups in a JSON value."""
    yield path
    items = list(value) if isinstance(value, Obj) else list(enumerate(value)) if isinstance(value, list) else []
    for place, item in enumerate(items):
        yield from leaves(item[1], path + (place,))


def alter_json(rng, value, words):
    """A JSON value altered at a random place."""
    path = rng.choice(list(leaves(value))[1:] or [()])

    def at(value, path):
        if path:
            items = list(value)
            if isinstance(value, Obj):
                name, old = items[path[0]]
                items[path[0]] = (name, at(old, path[1:]))
                return Obj(items)
            items[path[0]] = at(items[path[0]], path[1:])
            return items
        kind = rng.randrange(6)
        if isinstance(value, bool):
            return not value if kind else 1
        if isinstance(value, int):
            return rng.choice([value + 1, max(0, value - 1), rng.randrange(40), -1, value + 256, str(value)])
        if isinstance(value, str):
            return rng.choice([rng.choice(words), rng.choice(words), value + "x", value[:-1], "", value[::-1], 0])
        if isinstance(value, list) and value and not isinstance(value, Obj):
            items = list(value)
            return rng.choice([items[:-1], items + items[:1], items[::-1], items * 2, [], Obj()])
        if isinstance(value, Obj):
            return rng.choice([Obj(value[:-1]), Obj(value + value[:1]), Obj(value[::-1]), Obj([("x", 1)] + value)])
        return rng.choice([1, "a", [], Obj()])
    return at(value, path)


class Mutator:
    """Alters the messages of one game."""

    def __init__(self, rng, game):
        self.rng, self.game = rng, game
        self.values = [wire.parse_json(entry.split(b"\n\n")[0].decode()) for entry in game.entries]
        moves = [field(field(value, "body"), "move") for value in self.values[1:] if field(value, "kind") == "move"]
        self.moves = [move for move in moves if move is not None] or [Obj()]
        self.words = sorted({text for move in self.moves for text in self.strings(move)} | {
            "pass", "three", "solo", "yes", "18", "take", "hand", "N", "G", "DEC", "DEF", "call:T20", "fig:trull",
            "fig:volat", "contra:game", "count:8", "a", "b", "i", "go", "stop", "skiz", "mix", "cut", "deck", "q", "A"})

    def strings(self, value):
        """All strings in a value."""
        if isinstance(value, str):
            yield value
        for item in value if isinstance(value, list) else []:
            yield from self.strings(item[1] if isinstance(item, tuple) else item)

    def element(self):
        """An element of the group that means nothing here."""
        number = self.rng.randrange(1, 1 << 200)
        group = kernel.SUITES[self.game.genesis.suite].group
        if not hasattr(group, "size"):
            return number.to_bytes(256, "big")
        return group.base(number) if group.size == 32 else group.encode(pow(number, 2, group.prime))

    def sign(self, value, key, blobs=()):
        """An entry with this value, signed by the holder of a key."""
        return self.game.signer(key).sign(dumps(value) + "\n"), list(blobs)

    def mutant(self, kind, place, table):
        """An entry altered in this way for this place, and its blobs."""
        value = self.values[place]
        key = self.game.genesis.seats[field(value, "seat")]
        return getattr(self, "m_" + kind)(value, key, place, table)

    # --- other content, signed by the right key ---

    def m_body(self, value, key, _place, _table):
        return self.sign(replace(value, "body", self.altered_body(field(value, "body"))), key)

    def m_rules(self, value, key, place, table):
        """Another move: altered, or one that was made elsewhere."""
        if field(value, "kind") != "move":
            return self.m_body(value, key, place, table)
        move, rng = field(field(value, "body"), "move"), self.rng
        if rng.random() < 0.3:
            move = rng.choice(self.moves)
        move = alter_json(rng, move, self.words) if rng.random() < 0.8 else move
        return self.sign(replace(value, "body", replace(field(value, "body"), "move", move)), key)

    def m_proofs(self, value, key, place, table):
        if not field(value, "proofs"):
            return self.m_rules(value, key, place, table)
        return self.altered_proofs(value, key)

    def m_borrowed(self, value, key, _place, _table):
        """With the proofs of another message of its kind: they are of another context."""
        others = [other for other in self.values[1:] if field(other, "kind") == field(value, "kind") and other is not value]
        proofs = field(self.rng.choice(others), "proofs") if others else [B64(bytes(96))]
        return self.sign(replace(value, "proofs", proofs), key)

    def m_kind(self, value, key, _place, _table):
        return self.sign(replace(value, "kind", self.rng.choice(MESSAGES)), key)

    def m_dispute(self, value, key, _place, table):
        holder = field(value, "seat")
        held = [card for card in range(len(table.cards)) if table.holds(holder, card)] or [0]
        card = self.rng.choice(held + [self.rng.randrange(60)])
        body = Obj([("card", card)])
        return self.sign(replace(replace(replace(value, "kind", "dispute"), "body", body), "proofs", []), key)

    def m_more(self, value, key, _place, _table):
        return self.sign(Obj(value + [("more", 1)]), key)

    # --- by others, or elsewhere ---

    def m_seat(self, value, key, _place, _table):
        seats = self.game.genesis.seats
        other = self.rng.randrange(len(seats) + 1)
        signer = seats[other] if other < len(seats) and self.rng.random() < 0.7 else key
        return self.sign(replace(value, "seat", other), signer)

    def m_signer(self, value, _key, _place, _table):
        return self.sign(value, self.rng.choice(self.game.genesis.seats))

    def m_again(self, _value, key, _place, table):
        """An earlier or later message, signed anew for this place."""
        old = self.values[self.rng.randrange(1, len(self.values))]
        signer = self.game.genesis.seats[field(old, "seat")] if self.rng.random() < 0.8 else key
        return self.sign(replace(old, "parent", table.head), signer)

    def m_parent(self, value, key, _place, _table):
        return self.sign(replace(value, "parent", self.rng.choice([self.game.id, "0" * 64])), key)

    def m_replayed(self, _value, _key, place, _table):
        return self.game.entries[self.rng.randrange(1, place + 1) - 1], []

    def m_doubled(self, _value, _key, place, _table):
        return self.game.entries[place - 1], []

    def m_dropped(self, _value, _key, place, _table):
        """The entry after this one, as if this one had been dropped."""
        return self.game.entries[min(place + 1, len(self.game.entries) - 1)], []

    # --- other bytes ---

    def m_signature(self, _value, _key, place, _table):
        """A bit of the signature is another; that of the last symbol makes it not canonical."""
        head, _, line = self.game.entries[place][:-1].rpartition(b" ")
        data = bytearray(base64.b64decode(line))
        data[self.rng.randrange(len(data))] ^= 1 << self.rng.randrange(8)
        return head + b" " + B64(data).encode() + b"\n", []

    def m_name(self, value, key, _place, _table):
        return self.game.signer(key).sign(dumps(value) + "\n", name="nobody"), []

    def m_spaced(self, value, key, _place, _table):
        """Not canonical, and signed so."""
        text = dumps(value)
        wrong = self.rng.choice([text.replace(",", ", ", 1), text.replace('"seat":', '"seat":0', 1), text + " ",
                                 text.replace("message", "m\\u0065ssage", 1)])
        return self.game.signer(key).sign(wrong + "\n"), []

    def m_trailing(self, _value, _key, place, _table):
        entry = self.game.entries[place]
        return self.rng.choice([entry + b"\n", entry + b"x", entry + b"\0", entry[:-1], b"\n" + entry, entry + entry]), []

    def m_bytes(self, _value, _key, place, _table):
        data = bytearray(self.game.entries[place])
        data[self.rng.randrange(len(data))] ^= 1 << self.rng.randrange(8)
        return bytes(data), []

    def after(self, place, table):
        """The honest message of a place, signed anew for another head."""
        value = self.values[place]
        return self.sign(replace(value, "parent", table.head), self.game.genesis.seats[field(value, "seat")])

    def altered_proofs(self, value, key):
        """A message with other proofs; a blob may be altered, too."""
        proofs, blobs = list(field(value, "proofs")), []
        place = self.rng.randrange(len(proofs))
        if proofs[place].startswith("sha256:") and self.rng.random() < 0.7:
            blob = damage(self.rng, self.game.find[proofs[place].split(":")[1]])
            blobs = [blob]
            proofs[place] = f"sha256:{hashlib.sha256(blob).hexdigest()}:{len(blob)}"
        else:
            proofs = mutate_list(self.rng, proofs, damage(self.rng, bytes(96)))
        return self.sign(replace(value, "proofs", proofs), key, blobs)

    def altered_body(self, body):
        """A body with another field, or other values."""
        rng = self.rng
        if rng.random() < 0.2 or not body:
            return alter_json(rng, body, self.words)
        name, value = rng.choice(list(body))
        other = self.element() + (self.element() if rng.random() < 0.5 else b"")
        if isinstance(value, list) and not isinstance(value, Obj):
            if value and isinstance(value[0], Obj):
                return replace(body, name, alter_json(rng, value, self.words))
            return replace(body, name, mutate_list(rng, value, other))
        if isinstance(value, str) and value.startswith("sha256:"):
            blob = damage(rng, self.game.find[value.split(":")[1]])
            self.game.find[hashlib.sha256(blob).hexdigest()] = blob
            return replace(body, name, f"sha256:{hashlib.sha256(blob).hexdigest()}:{len(blob)}")
        if isinstance(value, str):
            return replace(body, name, rng.choice([B64(other), B64(damage(rng, base64.b64decode(value)))]))
        return replace(body, name, alter_json(rng, value, self.words)) if isinstance(value, Obj) else body

    def act(self, table):
        """A random act on the head of a table."""
        rng, genesis = self.rng, self.game.genesis
        kinds = ["resign", "agree", "agree", "pause", "resume", "back", "expose", "reseat", "close", "timeout", "none"]
        kind = rng.choice(kinds)
        signers = list(self.game.signers.values())
        rulers = [signer for signer in signers if signer.vkey == genesis.organiser.spelling]
        signer = rng.choice(rulers if kind in ("pause", "resume", "reseat", "close") and rng.random() < 0.8 else signers)
        body = Obj()
        if kind == "resign":
            body = Obj([("scope", rng.choice(["deal", "deal", "table", "all"]))])
        elif kind == "agree":
            body = Obj([("to", self.wanted(table))])
        elif kind == "close":
            body = Obj([("reason", rng.choice(["enough", "", "%C3%9F", "%c3"]))])
        elif kind == "reseat":
            body = self.reseat(table)
        elif kind == "expose":
            cards = [card for card in range(len(table.cards)) if table.holds(rng.randrange(table.n), card)][:1]
            body = Obj([("cards", cards or [0]), ("tokens", [B64(self.element())])])
        parent = table.head if rng.random() < 0.95 else self.game.id
        value = Obj([("pakli", "act/v1"), ("table", self.game.id), ("parent", parent), ("by", signer.vkey),
                     ("kind", kind), ("body", body), ("proofs", [B64(bytes(96))] * rng.choice([0, 1, 1, 1, 2]) if kind == "expose" else [])])
        return signer.sign(dumps(value) + "\n"), []

    def wanted(self, table):
        """What a seat may want: often what the others want."""
        wants = list(table.wants.values())
        return self.rng.choice(wants or [""]) if self.rng.random() < 0.5 else self.rng.choice(
            ["end", "undo", "pause", "resume", "", "all"])

    def reseat(self, table):
        """A new key for a seat, with its word."""
        seat = self.rng.randrange(table.n)
        new = Signer(f"new{self.rng.randrange(1000)}", bytes([self.rng.randrange(256)]) * 32)
        self.game.signers.setdefault(new.vkey, new)
        accepted = f"pakli-accept/v1\n{self.game.id}\n{table.head}\n{seat}\n".encode()
        return Obj([("seat", seat), ("key", new.vkey), ("accept", B64(new.private.sign(accepted)))])


KINDS = [name[2:] for name in vars(Mutator) if name.startswith("m_")] + ["rules", "proofs", "body", "act"]
