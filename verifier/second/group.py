"""The groups: ristretto255 by libsodium (30.1), and squares modulo a prime as classes (31.1)."""
import ctypes
import hashlib
from wire import SODIUM, need

# The frames of 30.1.5: each string preceded by its length as u64.
def frames(domain, parts): return b"".join(len(part).to_bytes(8, "big") + part for part in (domain, *parts))

class Group:
    """What both groups share. Elements are their encodings, scalars integers modulo the order."""
    def element(self, data):
        """A canonical element that is not the identity (30.1.2, 30.1.4)."""
        need(len(data) == self.size and data != self.zero and self.valid(data), "element")
        return bytes(data)
    def scalar(self, data):
        """A canonical scalar (30.1.3, 31.1.4)."""
        number = int.from_bytes(data, "little")
        need(len(data) == self.size and number < self.order, "scalar")
        return number
    def sum(self, points):
        """The sum of elements (30.1)."""
        total = self.zero
        for point in points:
            total = self.add(total, point)
        return total
    # Σ s·P over pairs of a scalar and an element.
    def combine(self, *terms): return self.sum(self.mul(scalar, point) for scalar, point in terms)

class Ristretto(Group):
    """ristretto255 (RFC 9496) with its generator (30.1.1)."""
    size, stream = 32, 64
    order, zero = 2 ** 252 + 27742317777372353535851937790883648493, bytes(32)
    def __init__(self):
        SODIUM.sodium_init()
        self.out = ctypes.create_string_buffer(32)
        self.generator = self.base(1)
    def valid(self, data): return SODIUM.crypto_core_ristretto255_is_valid_point(bytes(data)) == 1  # (30.1.2)
    def add(self, a, b):
        """a + b (30.1)."""
        SODIUM.crypto_core_ristretto255_add(self.out, a, b)
        return self.out.raw
    def sub(self, a, b):
        """a − b (30.1)."""
        SODIUM.crypto_core_ristretto255_sub(self.out, a, b)
        return self.out.raw
    def mul(self, scalar, point):
        """s·P; libsodium says of the identity that it fails, and has written it (30.1)."""
        number = (scalar % self.order).to_bytes(32, "little")
        if point == self.zero: return self.zero
        SODIUM.crypto_scalarmult_ristretto255(self.out, number, point)
        return self.out.raw
    def base(self, scalar):
        """s·G (30.1)."""
        SODIUM.crypto_scalarmult_ristretto255_base(self.out, (scalar % self.order).to_bytes(32, "little"))
        return self.out.raw
    def hash(self, domain, *parts):
        """HashToElement of 30.1.5."""
        digest = hashlib.sha512(frames(domain, parts)).digest()
        SODIUM.crypto_core_ristretto255_from_hash(self.out, digest)
        return self.out.raw

class Squares(Group):
    """Classes {y, p − y} modulo the prime of RFC 3526, group 15, under multiplication (31.1)."""
    size, stream = 384, 400
    prime = int(
      "FFFFFFFFFFFFFFFFC90FDAA22168C234C4C6628B80DC1CD129024E088A67CC74020BBEA63B139B22514A08798E3404DD"
      "EF9519B3CD3A431B302B0A6DF25F14374FE1356D6D51C245E485B576625E7EC6F44C42E9A637ED6B0BFF5CB6F406B7ED"
      "EE386BFB5A899FA5AE9F24117C4B1FE649286651ECE45B3DC2007CB8A163BF0598DA48361C55D39A69163FA8FD24CF5F"
      "83655D23DCA3AD961C62F356208552BB9ED529077096966D670C354E4ABC9804F1746C08CA18217C32905E462E36CE3B"
      "E39E772C180E86039B2783A2EC07A28FB5C55DF06F4C52C9DE2BCBF6955817183995497CEA956AE515D2261898FA0510"
      "15728E5A8AAAC42DAD33170D04507A33A85521ABDF1CBA64ECFB850458DBEF0A8AEA71575D060C7DB3970F85A6E1E4C7"
      "ABF5AE8CDB0933D71E8C94E04A25619DCEE3D2261AD2EE6BF12FFA06D98A0864D87602733EC86A64521F2B18177B200C"
      "BBE117577A615D6C770988C0BAD946E208E24FA074E5AB3143DB5BFCE0FD108E4B82D120A93AD2CAFFFFFFFFFFFFFFFF", 16)
    order, zero = (prime - 1) // 2, (1).to_bytes(384, "big")
    generator = (2).to_bytes(384, "big")
    # The smaller number of a class, big-endian (31.1.2, 31.1.3).
    def encode(self, number): return min(number, self.prime - number).to_bytes(384, "big")
    # 1 ≤ y ≤ q is all of membership (31.1.3).
    def valid(self, data): return 1 <= int.from_bytes(data, "big") <= self.order
    # The product of two classes.
    def add(self, a, b): return self.encode(int.from_bytes(a, "big") * int.from_bytes(b, "big") % self.prime)
    def sub(self, a, b):
        """The quotient of two classes (30.1)."""
        return self.add(a, pow(int.from_bytes(b, "big"), -1, self.prime).to_bytes(384, "big"))
    def mul(self, scalar, point):
        """A power of a class (30.1)."""
        return self.encode(pow(int.from_bytes(point, "big"), scalar % self.order, self.prime))
    def base(self, scalar): return self.mul(scalar, self.generator)  # A power of the generator.
    def hash(self, domain, *parts):
        """HashToElement of 31.1.5."""
        digest = hashlib.shake_256(frames(domain, parts)).digest(400)
        return self.encode(int.from_bytes(digest, "big") % self.prime)
