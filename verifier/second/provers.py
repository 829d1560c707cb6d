"""Provers of one's own, honest as far as what they are told is true (tests; not the verifier)."""
import hashlib
from math import prod

from conditions import argument_for, bounds, is_permuted
from proofs import FAMILIES, Stream, add_cards, combine_cards, commit, encrypt, generators, joined, powers, shuffle_frames
from suites import RISTRETTO as G

ORDER = G.order
raw = lambda number: (number % ORDER).to_bytes(32, "little")


class Prover:
    """The provers of 40.2 to 40.5, 41, 42, 45, 33.3 and 33.4 over ristretto255; `rng` draws what is random."""

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

    def terelius(self, tr, key, before, after, pi, rho):
        """41.1, of the same."""
        tr.statement(*shuffle_frames("shuffle/terelius-wikstrom/v1", key, before, after))
        n, (h, *gs) = len(pi), generators(G, len(pi))
        r, r_hat, w_hat, w_prime, ws = (self.some(count) for count in (n, n, n, n, 4))
        cs = [None] * n
        for i, place in enumerate(pi):
            cs[place] = G.add(G.base(r[place]), gs[i])
        tr.absorb("C", *cs)
        us = [tr.scalar("u", ORDER) for _ in range(n)]
        mine, chain, total = [us[place] for place in pi], [h], 0
        for u, r_i in zip(mine, r_hat):
            chain.append(G.add(G.base(r_i), G.mul(u, chain[-1])))
            total = r_i + u * total
        t3 = G.combine(*zip(w_prime, gs))
        t4 = add_cards(G, combine_cards(G, w_prime, after), encrypt(G, key, -ws[3]))
        ts = [G.base(ws[0]), G.base(ws[1]), G.add(G.base(ws[2]), t3), *t4]
        t_hat = [G.add(G.base(a), G.mul(b, one)) for a, b, one in zip(w_hat, w_prime, chain)]
        tr.send(chain=chain[1:], T_1=ts[0], T_2=ts[1], T_3=ts[2], T_4=t4, T_hat=t_hat)
        c = tr.scalar("c", ORDER)
        sums = [sum(r), total, sum(u * one for u, one in zip(us, r)), sum(u * one for u, one in zip(mine, rho))]
        scalars = [w + c * one for w, one in zip([*ws, *w_hat, *w_prime], [*sums, *r_hat, *mine])]
        return b"".join([*cs, *chain[1:], *ts, *t_hat, *map(raw, scalars)])

    def cut_and_choose(self, tr, key, before, after, pi, rho):
        """41.2, of the same."""
        tr.statement(*shuffle_frames("shuffle/cut-and-choose/v1", key, before, after))
        n, seeds, digest = len(pi), [self.rng.randbytes(32) for _ in range(134)], hashlib.sha256()
        orders, factors = [], []
        for seed in seeds:
            stream = Stream(b"pakli/v1/cut-and-choose/seed" + seed, 100 * n)
            orders.append(stream.permutation(n))
            factors.append([int.from_bytes(stream.take(64), "little") % ORDER for _ in pi])
            cards = [add_cards(G, after[i], encrypt(G, key, by)) for i, by in zip(orders[-1], factors[-1])]
            digest.update(hashlib.sha256(joined(cards)).digest())
        tr.absorb("C", digest.digest())
        drawn = Stream(b"pakli/v1/cut-and-choose/rounds" + tr.draw("D"), 1024).permutation(134)[:58]
        composed = [k for k in range(134) if k in drawn]
        sigmas = [bytes(pi[i] for i in orders[k]) for k in composed]
        taus = [raw(by + rho[i]) for k in composed for i, by in zip(orders[k], factors[k])]
        return b"".join([*sigmas, digest.digest(), *(seeds[k] for k in range(134) if k not in drawn), *taus])

    def two_columns(self, tr, key, before, after, pi, rho):
        """41.3, of the same; places are from 0, and those left over have nothing."""
        tr.statement(*shuffle_frames("shuffle/bayer-groth-columns/v1", key, before, after))
        n, zero = max(3, (len(pi) + 1) // 2), (G.zero, G.zero)
        more = 2 * n - len(pi)
        after, rho = [*after, *[zero] * more], [*rho, *[0] * more]
        pi = [*pi, *range(len(pi), 2 * n)]
        halves = lambda values: (values[:n], values[n:])
        card = lambda b, tau: (G.base(tau), G.add(G.mul(tau, key), G.base(b)))
        column = lambda scalars, k: combine_cards(G, scalars, halves(after)[k])
        r, s = self.some(2), self.some(2)
        a_ = [commit(G, values, by) for values, by in zip(halves(pi), r)]
        tr.absorb("A", *a_)
        x = tr.scalar("x", ORDER)
        bs = halves([pow(x, place, ORDER) for place in pi])
        b_ = [commit(G, values, by) for values, by in zip(bs, s)]
        tr.absorb("B", *b_)
        y, z = tr.scalar("y", ORDER), tr.scalar("z", ORDER)
        d = [[(y * place + value - z) % ORDER for place, value in zip(*pair)] for pair in zip(halves(pi), bs)]
        t = [(y * one + other) % ORDER for one, other in zip(r, s)]
        p = [one * other % ORDER for one, other in zip(*d)]
        q = [prod(p[:i + 1]) % ORDER for i in range(n)]
        h, r_d, s_1, s_x, r_0, tau_0, tau_1, tau_3 = self.some(8)
        d2, delta, a = self.some(n), self.some(n - 1) + [0], self.some(n)
        delta[0] = d2[0]
        beta, sigma = self.some(3), self.some(3)
        sent = {"H": commit(G, p, h), "C_d": commit(G, d2, r_d),
                "C_delta": commit(G, [-delta[i] * d2[i + 1] for i in range(n - 1)], s_1),
                "C_Delta": commit(G, [delta[i + 1] - p[i + 1] * delta[i] - q[i] * d2[i + 1] for i in range(n - 1)], s_x),
                "C_0": commit(G, a, r_0)}
        c_beta = [commit(G, [one], by) for one, by in zip(beta, sigma)]
        e_cards = [add_cards(G, card(beta[0], tau_0), column(a, 1)),
                   add_cards(G, card(beta[1], tau_1), add_cards(G, column(a, 0), column(bs[0], 1))),
                   add_cards(G, card(beta[2], tau_3), column(bs[1], 0))]
        tr.send(**sent, C_beta=c_beta, E=joined(e_cards))
        u, v, c, w = (tr.scalar(name, ORDER) for name in "uvcw")
        star = lambda one, other: sum(vl * a * b for vl, a, b in zip(powers(v, n, ORDER), one, other)) % ORDER
        alpha, beta_v, r_a, s_b, *theta = self.some(n), self.some(n), *self.some(6)
        gs, hs = [alpha, d[1], [-1] * n], [[u * one for one in d[0]], [u * one for one in p], beta_v]
        z_k = [commit(G, [sum(star(gs[i], hs[j]) for i in range(3) for j in range(3) if 2 + i - j == k)], by)
               for k, by in zip((0, 1, 2, 4), theta)]
        zs = [commit(G, alpha, r_a), commit(G, beta_v, s_b), *z_k]
        tr.send(Z_alpha=zs[:1], Z_beta=zs[1:2], Z=zs[2:])
        e = tr.scalar("e", ORDER)
        tilde_b = [c * one + other for one, other in zip(q, delta)]
        scalars = [*(c * one + other for one, other in zip(p, d2)), *tilde_b[1:-1],
                   *(one + e * other - e * e for one, other in zip(alpha, d[1])),
                   *(e * e * u * one + e * u * two + three for one, two, three in zip(d[0], p, beta_v)),
                   *(one + w * two + w * w * three for one, two, three in zip(a, *bs)),
                   c * h + r_d, c * s_x + s_1, r_a + e * t[1], e * e * u * t[0] + e * u * h + s_b,
                   theta[0] + e * theta[1] + e * e * theta[2] + e ** 4 * theta[3], r_0 + w * s[0] + w * w * s[1],
                   *(one[0] + w * one[1] + w ** 3 * one[2] for one in (beta, sigma)),
                   tau_0 + w * tau_1 + w ** 3 * tau_3 - w * w * sum(one * by for one, by in zip(rho, bs[0] + bs[1]))]
        elements = [*a_, *b_, *sent.values(), *c_beta, joined(e_cards), *zs]
        return b"".join(elements) + b"".join(map(raw, scalars))

    # --- cuts, insertions, new cards (42) ---

    def one_of_pairs(self, tr, key, pairs, k, sigma):
        """42.2: the pair of number k is (σ·G, σ·K)."""
        cs, zs, w, sent = self.some(len(pairs)), self.some(len(pairs)), self.some(), []
        for i, pair in enumerate(pairs):
            fake = add_cards(G, encrypt(G, key, zs[i]), combine_cards(G, [-cs[i]], [pair]))
            sent.append(encrypt(G, key, w) if i == k else fake)
            tr.send(T1=sent[-1][0], T2=sent[-1][1])
        cs[k] = tr.scalar("c", ORDER) - sum(cs) + cs[k]
        zs[k] = w + cs[k] * sigma
        return joined(sent) + b"".join(map(raw, [*cs[:-1], *zs]))

    def arrange(self, tr, key, before, after, family, k, rho):
        """42.3: after_i is before_φ_k(i) with the factor ρ_i."""
        tr.statement(*shuffle_frames(f"arrange/{family}/v1", key, before, after))
        n, x = len(before), tr.scalar("x", ORDER)
        xs = [pow(x, i, ORDER) for i in range(n)]
        came = [combine_cards(G, xs, [before[place] for place in FAMILIES[family](n, other)]) for other in range(n)]
        total = combine_cards(G, xs, after)
        pairs = [tuple(G.sub(a, b) for a, b in zip(total, cards)) for cards in came]
        return self.one_of_pairs(tr, key, pairs, k, sum(a * b for a, b in zip(xs, rho)))

    def mint(self, tr, key, deck, card, faces, k, r):
        """42.4: the card has the k-th of these faces, with the factor r."""
        elements = [deck.elements[face] for face in faces]
        tr.statement("mint/v1", ("key", key), ("card", joined([card])), ("faces", elements))
        return self.one_of_pairs(tr, key, [(card[0], G.sub(card[1], element)) for element in elements], k, r)

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
