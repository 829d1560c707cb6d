"""Provers of one's own, honest as far as what they are told is true (tests; not the verifier)."""
from conditions import argument_for, bounds, is_permuted
from proofs import add_cards, combine_cards, commit, encrypt, joined, powers, shuffle_frames
from suites import RISTRETTO as G

ORDER = G.order
raw = lambda number: (number % ORDER).to_bytes(32, "little")


class Prover:
    """The provers of 40.2 to 40.5, 45, 33.3 and 33.4 over ristretto255; `rng` draws what is random."""

    def __init__(self, rng):
        self.rng = rng

    def some(self, count=None):
        """A random scalar, or a list of them."""
        one = lambda: self.rng.randrange(1, ORDER)
        return one() if count is None else [one() for _ in range(count)]

    def ownership(self, tr, x):
        """40.2."""
        tr.statement("ownership/v1", ("key", G.base(x)))
        w = self.some()
        tr.absorb("T", G.base(w))
        return G.base(w) + raw(w + tr.scalar("c", ORDER) * x)

    def reveal(self, tr, x, cards, tokens):
        """40.3."""
        tr.statement("reveal/v1", ("key", G.base(x)), ("cards", joined(cards)), ("tokens", tokens))
        return self.equal_logarithms(tr, x, [a for a, _ in cards])

    def unlock(self, tr, x, cards, tokens):
        """33.4."""
        tr.statement("unlock/v1", ("key", G.base(x)), ("cards", cards), ("tokens", tokens))
        return self.equal_logarithms(tr, x, tokens)

    def equal_logarithms(self, tr, x, bases):
        """The argument of 40.3 and 33.4."""
        alphas, w = [1] + [tr.scalar("alpha", ORDER) for _ in bases[1:]], self.some()
        t1, t2 = G.base(w), G.mul(w, G.combine(*zip(alphas, bases)))
        tr.absorb("T1", t1)
        tr.absorb("T2", t2)
        return t1 + t2 + raw(w + tr.scalar("c", ORDER) * x)

    def transfer(self, tr, x, receiver, old, new, r):
        """40.4."""
        frames = ("from", G.base(x)), ("to", receiver), ("old", joined([old])), ("new", joined([new]))
        tr.statement("transfer/v1", *frames)
        v, w = self.some(2)
        sent = [G.base(v), G.base(w), G.combine((w, receiver), (-v, old[0]))]
        for label, value in zip(("T1", "T2", "T3"), sent):
            tr.absorb(label, value)
        c = tr.scalar("c", ORDER)
        return b"".join(sent) + raw(v + c * x) + raw(w + c * r)

    # --- shuffles ---

    def shuffle(self, tr, key, before, after, pi, rho):
        """40.5: π is a list of places from 0, and after_i is before_π(i) with the factor ρ_i."""
        tr.statement(*shuffle_frames("shuffle/bayer-groth/v1", key, before, after))
        tau = self.some()
        sums = lambda a, _x: add_cards(G, encrypt(G, key, tau), combine_cards(G, a, after))
        return self.permutation(tr, pi, sums, lambda c, b: tau - c * sum(u * v for u, v in zip(rho, b)))

    def lock(self, tr, scalar, before, after, pi):
        """33.3: after_i is before_π(i) with the lock."""
        tr.statement("lock/bayer-groth/v1", ("key", G.base(scalar)), ("in", before), ("out", after))
        w = self.some()

        def sums(a, x):
            came = G.combine(*zip(powers(x, len(before), ORDER), before))
            return [G.combine(*zip(a, after), (-w, came)), G.base(w)]
        return self.permutation(tr, pi, sums, lambda c, _b: w + c * scalar)

    def permutation(self, tr, pi, sums, last, between=lambda x, b: None):
        """The argument of 40.5 that b_i = x^π(i); `sums` gives E, and `last` the last scalar."""
        n, pi, (r, s, r_d, s_1, s_x, r_0) = len(pi), [place + 1 for place in pi], self.some(6)
        a_ = commit(G, pi, r)
        tr.absorb("A", a_)
        x = tr.scalar("x", ORDER)
        b = [pow(x, place, ORDER) for place in pi]
        b_ = commit(G, b, s)
        tr.absorb("B", b_)
        y, z = tr.scalar("y", ORDER), tr.scalar("z", ORDER)
        between(x, b)
        d = [(y * place + value - z) % ORDER for place, value in zip(pi, b)]
        p = [d[0]]
        for value in d[1:]:
            p.append(p[-1] * value % ORDER)
        d2, a = self.some(n), self.some(n)
        delta = [d2[0], *self.some(n - 2), 0]
        values = {"C_d": commit(G, d2, r_d),
                  "C_delta": commit(G, [-delta[i] * d2[i + 1] for i in range(n - 1)], s_1),
                  "C_Delta": commit(G, [delta[i + 1] - d[i + 1] * delta[i] - p[i] * d2[i + 1] for i in range(n - 1)], s_x),
                  "C_0": commit(G, a, r_0)}
        e = sums(a, x)
        for label, value in values.items():
            tr.absorb(label, value)
        tr.absorb("E", *e)
        c = tr.scalar("c", ORDER)
        tilde_b = [c * one + other for one, other in zip(p, delta)]
        scalars = [*(c * one + two for one, two in zip(d, d2)), *tilde_b[1:-1], *(c * one + two for one, two in zip(b, a)),
                   c * (y * r + s) + r_d, c * s_x + s_1, c * s + r_0, last(c, b)]
        return b"".join([a_, b_, *values.values(), *e]) + b"".join(map(raw, scalars))

    # --- conditions: a card is (A, B) here, and `shown` has the number of the face of each ---

    def condition(self, tr, x, deck, cards, shown, chosen, low, high):
        """45: between `low` and `high` of these cards are in the set; proved as if, where that is false."""
        key, k, size = G.base(x), len(cards), len(deck.elements)
        limits = bounds(k, chosen, size, low, high)
        bits = sum(1 << face for face in chosen)
        words = [("set", (bits >> 64 * i & 2 ** 64 - 1).to_bytes(8, "big")) for i in range(4)]
        tr.statement("condition/v1", ("key", key), ("deck", deck.id), ("cards", joined(cards)), *words,
                     ("min", low.to_bytes(8, "big", signed=True)), ("max", high.to_bytes(8, "big", signed=True)))
        proof = b""
        if is_permuted(k, limits, size):
            pi, rho = self.hand_order(shown, limits), self.some(k)
            hand = [add_cards(G, cards[i], encrypt(G, key, r)) for i, r in zip(pi, rho)]
            proof = joined(hand) + self.shuffle(tr, key, cards, hand, pi, rho)
            parts = [(hand[:t], pi[:t]) if side == "inner" else (hand[-t:], pi[-t:]) for side, t, _ in limits]
        else:
            parts = [(cards, range(k)) for _ in limits]
        for (_, t, faces), (lying, places) in zip(limits, parts):
            proof += self.bound(tr, x, deck, lying, [shown[i] for i in places], t, faces)
        return proof

    def hand_order(self, shown, limits):
        """An order with those first that the inner bound needs, and those last that the outer one needs."""
        order = self.rng.sample(range(len(shown)), len(shown))
        ends = {"inner": [], "outer": []}
        for side, t, faces in limits:
            rest = [i for i in order if i not in ends["inner"]]
            ends[side] = sorted(rest, key=lambda i, faces=faces: shown[i] not in faces)[:t]
        middle = [i for i in order if i not in ends["inner"] + ends["outer"]]
        return ends["inner"] + middle + ends["outer"]

    def bound(self, tr, x, deck, cards, shown, t, faces):
        """One bound, by its argument (45.3)."""
        name, _ = argument_for(len(cards), t, len(faces), len(deck.elements))
        elements = [deck.elements[face] for face in faces]
        if name == "threshold":
            return self.threshold(tr, x, cards, [faces.index(face) if face in faces else None for face in shown], elements, t)
        if name == "subset":
            return self.subset(tr, x, cards, [faces.index(face) if face in faces else None for face in shown], elements)
        others = [element for face, element in enumerate(deck.elements) if face not in faces]
        return self.inequality(tr, x, cards, others)

    def threshold(self, tr, x, cards, places, elements, t):
        """45.4; a real branch of a card that has none of the faces is that of the first."""
        key, k, n = G.base(x), len(cards), len(elements)
        tr.statement("condition/threshold/v1", ("key", key), ("cards", joined(cards)), ("faces", elements),
                     ("need", t.to_bytes(8, "big")))
        real = sorted(range(k), key=lambda j: places[j] is None)[:t]
        branches = []
        for j, (a, b) in enumerate(cards):
            challenges, answers = self.some(n), self.some(n)
            for m, element in enumerate(elements):
                if j in real and m == (places[j] or 0):
                    tr.absorb("T1", G.base(answers[m]))
                    tr.absorb("T2", G.mul(answers[m], a))
                else:
                    tr.absorb("T1", G.sub(G.base(answers[m]), G.mul(challenges[m], key)))
                    tr.absorb("T2", G.sub(G.mul(answers[m], a), G.mul(challenges[m], G.sub(b, element))))
            branches.append((challenges, answers))
        c = tr.scalar("c", ORDER)
        points = [(0, c)] + [(j + 1, sum(branches[j][0])) for j in range(k) if j not in real]
        at = lambda place: lagrange(points, place)
        for j in real:
            challenges, answers = branches[j]
            m = places[j] or 0
            challenges[m] = (at(j + 1) - sum(challenges) + challenges[m]) % ORDER
            answers[m] += challenges[m] * x
        words = [at(place) for place in range(k - t + 1)]
        for challenges, answers in branches:
            words += [*challenges[:-1], *answers]
        return b"".join(map(raw, words))

    def inequality(self, tr, x, cards, excluded):
        """45.5."""
        key = G.base(x)
        tr.statement("condition/inequality/v1", ("key", key), ("cards", joined(cards)), ("excluded", excluded))
        rho, v, w = self.some(3)
        vs = [G.mul(rho, element) for element in excluded]
        us = [G.mul(rho, G.sub(b, G.mul(x, a))) for a, b in cards]
        tr.absorb("V", *vs)
        tr.absorb("U", *us)
        weights = [1, *powers(tr.scalar("alpha", ORDER), len(vs) + len(us), ORDER)]
        left = G.combine(*zip(weights, [*excluded[1:], *(b for _, b in cards)]))
        stars = G.combine(*zip(weights[len(vs) - 1:], (a for a, _ in cards)))
        sent = [G.sub(G.mul(v, key), G.base(w)), G.mul(v, excluded[0]), G.sub(G.mul(v, left), G.mul(w, stars))]
        for label, value in zip(("T0", "T1", "T2"), sent):
            tr.absorb(label, value)
        c = tr.scalar("c", ORDER)
        return b"".join([*vs, *us, *sent]) + raw(v + c * rho) + raw(w + c * rho * x)

    def subset(self, tr, x, cards, places, elements):
        """45.6; a card that has none of the faces, or one of another, stands for one that is left."""
        key, n = G.base(x), len(elements)
        tr.statement("condition/subset/v1", ("key", key), ("cards", joined(cards)), ("faces", elements))
        pi, left = [], list(range(n))
        for place in places:
            pi.append(left.pop(left.index(place) if place in left else 0))
        self.rng.shuffle(left)
        fillers = [add_cards(G, (G.zero, elements[place]), encrypt(G, key, self.some())) for place in left]
        every, (tau, tau_2, w), tail = [*cards, *fillers], self.some(3), []
        tr.absorb("fillers", joined(fillers))

        def between(_x, b):
            f = add_cards(G, combine_cards(G, b, every), encrypt(G, key, -tau_2))
            tail.extend([*f, G.base(w), G.mul(w, f[0])])
            tr.absorb("sum", *f)
            tr.absorb("T1", tail[2])
            tr.absorb("T2", tail[3])
        ends = []

        def last(c, _b):
            ends.append(w + c * x)
            return tau - c * tau_2
        sums = lambda a, _x: add_cards(G, encrypt(G, key, tau), combine_cards(G, a, every))
        proof = self.permutation(tr, pi + left, sums, last, between)
        return joined(fillers) + proof + b"".join(tail) + raw(ends[0])


def lagrange(points, place):
    """The value at a place of the polynomial through some points."""
    total = 0
    for i, (at, value) in enumerate(points):
        for j, (other, _) in enumerate(points):
            if i != j:
                value = value * (place - other) * pow(at - other, -1, ORDER) % ORDER
        total += value
    return total % ORDER
