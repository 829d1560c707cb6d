"""Suites of residues: a card is a matrix of numbers, each a square or minus one modulo its row's key (chapter 32).

A card is a tuple of its rows, each a number and its numbers, or the number of its face; `key` is all moduli joined."""
import hashlib
from math import gcd, prod
from types import SimpleNamespace
from proofs import Parts, Refused, Stream, hold
from wire import need
CHOSEN = 128
def jacobi(a, n):  # The Jacobi symbol of a modulo an odd n (32.1.1).
    sign = 1
    while a := a % n:
        while a % 2 == 0: a, sign = a // 2, -sign if n % 8 in (3, 5) else sign
        a, n, sign = n, a, -sign if a % 4 == n % 4 == 3 else sign
    return sign if n == 1 else 0
def is_power(m):  # Whether a number without factors below 2^16 is a power (32.1.2).
    for k in range(2, m.bit_length() // 16 + 1):
        low, high = 1, 1 << m.bit_length() // k + 1
        while low < high - 1:
            half = (low + high) // 2
            low, high = (half, high) if half ** k <= m else (low, half)
        if low ** k == m: return True
    return False
def is_prime(m):  # Whether a number is a strong probable prime to 64 bases (32.1.2).
    shift = (m - 1 & 1 - m).bit_length() - 1
    for base in (int.from_bytes(hashlib.shake_256(bytes([i]) + str(m).encode()).digest(32), "big") for i in range(64)):
        x = pow(base, m - 1 >> shift, m)
        if x not in (1, m - 1) and m - 1 not in (x := x * x % m for _ in range(shift - 1)): return False
    return True
def bits_of(data, count): return [data[i // 8] >> i % 8 & 1 for i in range(count)]  # the lowest bit first (32.1.4)

class Residues:  # A suite, under the keys of a deal's seats and for a deck of so many faces (32.2.1, 50.4.5).
    relations = {"ownership", "shuffle", "reveal", "transfer", "permute", "arrange", "mint"}
    per_deal = defers = False
    group = SimpleNamespace(hash=lambda _domain, _id, number, _face: int.from_bytes(number, "big"))  # 32.2.2
    def __init__(self, name, size, keys=(), faces=2):
        self.name, self.size, self.width = name, size, max(1, (faces - 1).bit_length())
        self.asks = "-chosen40/" in name  # 43.1
        self.moduli = sorted(int.from_bytes(key, "big") for key in keys)
    def under(self, keys, faces): return type(self)(self.name, self.size, keys, faces)
    def rounds(self, asked): return (59, 12) if asked else (221, 32)  # 32.4.1, 43.1
    def fits(self, faces, seats):  # Whether the blobs of a shuffle, or its answer, are short enough (32.5).
        (rounds, composed), width = self.rounds(self.asks), max(1, (faces - 1).bit_length())
        deck, bits = faces * seats * width * self.size, faces * (seats - 1) * width * composed
        answer = composed * (faces + deck) + 32 * (rounds - composed) + -(-bits // 8)
        return (max(answer, deck) if self.asks else answer + 32 + deck) <= 1 << 24
    # --- keys, cards, tokens ---
    def key(self, data):  # A modulus (32.1.2).
        m = int.from_bytes(data, "big")
        need(len(data) == self.size and data[0] >> 7 and m % 4 == 1 and all(m % d for d in range(3, 1 << 16, 2)), "key")
        need(not is_prime(m) and not is_power(m), "key")
        return bytes(data)
    def clashes(self, key, posted):  # Whether a key has a factor in common with one that was posted (32.1.3).
        return any(gcd(int.from_bytes(key, "big"), int.from_bytes(other, "big")) > 1 for other in posted)
    def joint(self, keys): return b"".join(sorted(keys))  # 32.2.1
    def cut(self, data): return [int.from_bytes(data[i:i + self.size], "big") for i in range(0, len(data), self.size)]
    def rows_under(self, key): return [self.moduli.index(m) for m in self.cut(key)]
    def card(self, data):  # A card under all keys, or one row of one, after its number (32.2.1, 32.2.4).
        alone = len(data) % self.size == 1
        need(not alone or data[0] < len(self.moduli), "row")
        rows = [data[0]] if alone else range(len(self.moduli))
        numbers = iter(self.numbers(data[alone:], [self.moduli[i] for i in rows for _ in range(self.width)]))
        return tuple((i, tuple(next(numbers) for _ in range(self.width))) for i in rows)
    def numbers(self, data, moduli, small=False):
        """Numbers of these moduli: units where they are a card's, below the half where they are a root's (32.2.1)."""
        need(len(data) == self.size * len(moduli), "length")
        found = self.cut(data)
        need(all(0 < z < m and not (small and 2 * z > m) for z, m in zip(found, moduli)), "number")
        if not small: need(self.units(found, moduli), "unit")
        return found
    def units(self, numbers, moduli):  # Whether all of these have no factor in common with their moduli (32.4.4).
        products = dict.fromkeys(moduli, 1)
        for z, m in zip(numbers, moduli): products[m] = products[m] * z % m
        return all(gcd(z, m) == 1 for m, z in products.items())
    def token(self, data):  # A row and its bits (32.2.4).
        need(len(data) == 2 and data[0] < len(self.moduli) and data[1] >> self.width == 0, "token")
        return bytes(data)
    def open_card(self, element): return element  # 32.2.2
    def rows(self, card):  # The rows of a card, also of an open one (32.2.2).
        if not isinstance(card, int): return card
        first = self.turned([1] * self.width, card, self.moduli[0])
        return ((0, first), *((i, (1,) * self.width) for i in range(1, len(self.moduli))))
    def turned(self, row, bits, m): return tuple(m - z if bits >> j & 1 else z for j, z in enumerate(row))  # times −1
    def strip(self, card, token):  # A card without the row of a token (32.2.4).
        left = [row for row in card if row[0] != token[0]]
        if not left: return token[1]
        i, row = left[0]
        return ((i, self.turned(row, token[1], self.moduli[i])), *left[1:])
    def face(self, card, deck): return deck.shows.get(card)  # or none
    def coded(self, card):  # A card as written: rows, each after its number if some are gone (32.2.1, 32.2.4).
        if isinstance(card, int): return bytes([card])
        numbered = len(card) < len(self.moduli)
        return b"".join(bytes([i] * numbered) + b"".join(z.to_bytes(self.size, "big") for z in row) for i, row in card)
    # --- proofs ---
    def prove(self, relation, tr, proof, *values): getattr(self, relation)(tr, proof, *values)
    def drawn(self, stream, m):  # A number from a stream (32.1.5).
        while not 0 < (z := int.from_bytes(stream.take(self.size), "big")) < m: pass
        return z
    def ownership(self, tr, proof, key):  # 32.1.4: the modulus is one of two primes that are 3 modulo 4.
        m, parts = int.from_bytes(key, "big"), Parts(self, proof)
        tr.statement("ownership/blum/v1", ("key", key))
        w, = self.numbers(parts.bytes(self.size), [m])
        xs, zs = (self.numbers(parts.bytes(self.size * CHOSEN), [m] * CHOSEN, small) for small in (True, False))
        a, b = (bits_of(parts.bytes(CHOSEN // 8), CHOSEN) for _ in range(2))
        parts.end()
        hold(jacobi(w, m) == -1, "32.1.4, w")
        tr.absorb("w", w.to_bytes(self.size, "big"))
        stream = Stream(b"pakli/v1/blum/challenges" + tr.draw("y"), self.size * 2 * CHOSEN)
        for x, z, minus, times in zip(xs, zs, a, b):
            y = self.drawn(stream, m)
            hold(pow(x, 4, m) == (-1) ** minus * w ** times * y % m and pow(z, m, m) == y, "32.1.4")
    def parity(self, tr, proof, branches):
        """32.3: of one branch the bits of all columns cancel; a branch is rows of numbers, by the number of the row."""
        parts, total = Parts(self, proof), 0
        found = []
        for rows in branches:
            seed, moduli = parts.bytes(64), [self.moduli[i] for i, _ in rows]
            roots = self.numbers(parts.bytes(self.size * CHOSEN * len(rows)), moduli * CHOSEN, True)
            signs = bits_of(parts.bytes(CHOSEN // 8 * (len(rows) - 1)), CHOSEN * (len(rows) - 1))
            found.append((seed, rows, moduli, roots, signs))
            total ^= int.from_bytes(seed, "big")
        parts.end()
        for seed, rows, moduli, roots, signs in found:
            hold(self.units(roots, moduli * CHOSEN), "32.3, a unit")
            count = len(rows[0][1])
            stream, roots = Stream(b"pakli/v1/parity/columns" + seed, CHOSEN * (count + 7) // 8), iter(roots)
            for at in range(CHOSEN):
                columns = bits_of(stream.take(-(-count // 8)), count)
                own = signs[at * (len(rows) - 1):(at + 1) * (len(rows) - 1)]
                for (_, row), m, sign in zip(rows, moduli, [*own, sum(own) % 2]):
                    value = (-1) ** sign * next(roots) ** 2 % m
                    for u, chosen in zip(row, columns): value = value * u % m if chosen else value
                    tr.absorb("R", value.to_bytes(self.size, "big"))
        hold(tr.draw("c") == total.to_bytes(64, "big"), "32.3")
    def reveal(self, tr, proof, key, cards, tokens):  # 32.3: the bits of a seat's row of all cards.
        i, = self.rows_under(key)
        need(cards and len(cards) == len(tokens) and all(token[0] == i for token in tokens), "form")
        tr.statement("reveal/residues/v1", ("key", key))
        for card in cards: tr.absorb("card", self.coded(card))
        for token in tokens: tr.absorb("token", token)
        rows = [self.turned(dict(card)[i], token[1], self.moduli[i]) for card, token in zip(cards, tokens)]
        self.parity(tr, proof, [[(i, sum(rows, ()))]])
    def transfer(self, tr, proof, giver, receiver, old, new):  # 32.3: the bits of both cards are the same.
        need([i for i, _ in old] == self.rows_under(giver) and [i for i, _ in new] == self.rows_under(receiver), "form")
        tr.statement("transfer/residues/v1", ("from", giver), ("to", receiver), ("old", self.coded(old)),
                     ("new", self.coded(new)))
        self.parity(tr, proof, [[*old, *new]])
    def shuffle(self, tr, proof, key, before, after, _by=None, asked=None, cut=False):
        """32.4: another order, or a cut; where others ask, a commitment, and the answer to their values (43.1.1)."""
        n, (rounds, composed) = len(before), self.rounds(asked)
        need(len(after) == n <= 256 and n >= 2 - cut, "form")
        need(all([i for i, _ in card] == self.rows_under(key) for card in after), "form")
        if self.asks and not (asked or cut): return need(len(proof) == 32, "commitment")
        moduli = [self.moduli[i] for i, _ in after[0] for _ in range(self.width)] * n
        parts, bits = Parts(self, proof), n * (len(after[0]) - 1) * self.width
        orders = [list(parts.bytes(1 if cut else n)) for _ in range(composed)]
        need(all(order[0] < n if cut else sorted(order) == list(range(n)) for order in orders), "permutation")
        committed, values = asked or (parts.bytes(32), [])
        seeds = [parts.bytes(32) for _ in range(rounds - composed)]
        signs = bits_of(parts.bytes(-(-bits * composed // 8)), bits * composed)
        factors = [self.numbers(parts.bytes(self.size * len(moduli)), moduli, True) for _ in range(composed)]
        parts.end()
        tr.statement(f"shuffle/residues-cut-and-choose{'-asked' if asked else ''}/v1", ("order", b"cut" if cut else b""), ("key", key))
        for label, cards in ("in", before), ("out", after):
            for card in cards: tr.absorb(label, self.coded(card))
        tr.absorb("C", committed)
        for value in values: tr.absorb("value", value)
        drawn = Stream(b"pakli/v1/cut-and-choose/rounds" + tr.draw("D"), 1024).permutation(rounds)[:composed]
        signs = [signs[i * bits:i * bits + bits] for i in range(composed)]
        before, answers, opened = list(map(self.rows, before)), zip(orders, signs, factors), iter(seeds)
        digest, used = hashlib.sha256(), []
        for k in range(rounds):
            order, row_bits, by = next(answers) if k in drawn else self.from_seed(next(opened), n, bits, moduli, cut)
            used.append(by)
            order = [(i + order[0]) % n for i in range(n)] if cut else order
            numbers = self.remasked([(before if k in drawn else after)[i] for i in order], iter(row_bits), iter(by))
            digest.update(hashlib.sha256(b"".join(z.to_bytes(self.size, "big") for z in numbers)).digest())
        hold(self.units(sum(used, []), moduli * rounds), "32.4.4")
        hold(digest.digest() == committed, "41.2.6")
    answer = shuffle
    def from_seed(self, seed, n, bits, moduli, cut):  # Order, bits and factors of a round that is opened (32.4.2).
        stream = Stream(b"pakli/v1/cut-and-choose/seed" + seed, self.size * (len(moduli) + 1) + bits + 8 * n + 64)
        order = [stream.upto(n - 1)] if cut else stream.permutation(n)
        row_bits = bits_of(stream.take(-(-bits // 8)), bits)
        return order, row_bits, [self.drawn(stream, m) for m in moduli]
    def remasked(self, cards, signs, factors):  # Numbers with other bits that cancel in columns, and factors (32.2.3).
        for card in cards:
            last = [0] * self.width
            for i, row in card:
                own = last if i == card[-1][0] else [next(signs) for _ in row]
                last = [one ^ other for one, other in zip(last, own)]
                for b, z in zip(own, row): yield (-1) ** b * next(factors) ** 2 * z % self.moduli[i]
