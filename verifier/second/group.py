"""The groups: ristretto255 by libsodium (30.1), and squares modulo a prime as classes (31.1)."""
import ctypes, hashlib
from collections import Counter
from functools import lru_cache, reduce
from itertools import accumulate
from wire import SODIUM, need
def frames(domain, parts):  # The frames of 30.1.5: each string preceded by its length as u64.
    return b"".join(len(part).to_bytes(8, "big") + part for part in (domain, *parts))

class Group:  # What both groups share. Elements are their encodings, scalars integers modulo the order.
    def element(self, data):  # A canonical element that is not the identity (30.1.2, 30.1.4).
        need(len(data) == self.size and data != self.zero and self.valid(data), "element")
        return bytes(data)
    def scalar(self, data):  # A canonical scalar (30.1.3, 31.1.4).
        number = int.from_bytes(data, "little")
        need(len(data) == self.size and number < self.order, "scalar")
        return number
    def sum(self, points): return reduce(self.add, points, self.zero)  # The sum of elements (30.1).
    def combine(self, *terms): return self.sum(self.mul(scalar, point) for scalar, point in terms)  # Σ s·P

class Ristretto(Group):  # ristretto255 (RFC 9496) with its generator (30.1.1).
    size, stream = 32, 64
    order, zero = 2 ** 252 + 27742317777372353535851937790883648493, bytes(32)
    def __init__(self):
        SODIUM.sodium_init()
        self.out = ctypes.create_string_buffer(32)
        self.generator = self.base(1)
    def valid(self, data): return SODIUM.crypto_core_ristretto255_is_valid_point(bytes(data)) == 1  # (30.1.2)
    def call(self, function, *values):  # What a function of libsodium writes; scalars are little-endian (30.1.3).
        coded = [(v % self.order).to_bytes(32, "little") if isinstance(v, int) else v for v in values]
        getattr(SODIUM, "crypto_" + function)(self.out, *coded)
        return self.out.raw
    def add(self, a, b): return self.call("core_ristretto255_add", a, b)
    def sub(self, a, b): return self.call("core_ristretto255_sub", a, b)
    def mul(self, scalar, point):  # s·P; libsodium does not multiply the identity (30.1).
        return self.zero if point == self.zero else self.call("scalarmult_ristretto255", scalar, point)
    def base(self, scalar): return self.call("scalarmult_ristretto255_base", scalar)  # s·G
    def hash(self, domain, *parts):  # HashToElement of 30.1.5.
        return self.call("core_ristretto255_from_hash", hashlib.sha512(frames(domain, parts)).digest())
def floor_pi(bits):  # ⌊2^bits·π⌋ by Machin's formula, π = 16·arctan(1/5) − 4·arctan(1/239) (31.1.1).
    one = 1 << bits + 64
    arctan = lambda n: sum((-1) ** k * (one // n ** (2 * k + 1) // (2 * k + 1)) for k in range(bits // 4))
    return 16 * arctan(5) - 4 * arctan(239) >> 64

class Squares(Group):  # Classes {y, p − y} modulo a prime of RFC 3526 under multiplication (31.1).
    def __init__(self, bits, more):
        self.size, self.stream = bits // 8, bits // 8 + 16
        self.prime = 2 ** bits - 2 ** (bits - 64) - 1 + 2 ** 64 * (floor_pi(bits - 130) + more)
        self.order, self.zero = (self.prime - 1) // 2, self.encode(1)
        self.generator, self.used = self.encode(2), Counter()
    def encode(self, number): return min(number, self.prime - number).to_bytes(self.size, "big")  # 31.1.2
    def valid(self, data): return 1 <= int.from_bytes(data, "big") <= self.order  # all of membership (31.1.3)
    def add(self, a, b): return self.encode(int.from_bytes(a, "big") * int.from_bytes(b, "big") % self.prime)  # 31.1.2
    def sub(self, a, b):  # The quotient of two classes (30.1).
        return self.add(a, pow(int.from_bytes(b, "big"), -1, self.prime).to_bytes(self.size, "big"))
    @lru_cache(4)
    def comb(self, point):  # Of a base its powers by 0 … 255, times 256^i for each i.
        base, rows = int.from_bytes(point, "big"), []
        for _ in range(self.size):
            rows.append(list(accumulate([base] * 256, lambda a, b: a * b % self.prime, initial=1)))
            base = rows[-1].pop()
        return rows
    def mul(self, scalar, point):  # A power of a class (30.1); of one that comes again and again by its comb.
        self.used = Counter() if len(self.used) > 500 else self.used
        self.used[point] += 1
        if self.used[point] < 64: return self.encode(pow(int.from_bytes(point, "big"), scalar % self.order, self.prime))
        digits = zip(self.comb(point), (scalar % self.order).to_bytes(self.size, "little"))
        return self.encode(reduce(lambda a, found: a * found[0][found[1]] % self.prime, digits, 1))
    def base(self, scalar): return self.mul(scalar, self.generator)  # A power of the generator.
    def hash(self, domain, *parts):  # HashToElement of 31.1.5.
        digest = hashlib.shake_256(frames(domain, parts)).digest(self.stream)
        return self.encode(int.from_bytes(digest, "big") % self.prime)
