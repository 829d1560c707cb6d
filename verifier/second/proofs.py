"""The proofs of suites that mask cards (chapters 40, 41): each function refuses what does not verify.

A card is a pair of elements (30.3.1). `tr` is the transcript with its context (20.2), `key` an element."""
import hashlib
from itertools import accumulate
from math import prod
from wire import Malformed, need
GENERATORS = {}

class Refused(Malformed): """A proof that does not verify; Malformed alone is one that has not its form."""
def hold(condition, which):  # Refuse a proof of which a check fails (40.1).
    if not condition: raise Refused(f"equation {which}")

class Parts:  # The words of a proof, taken from its beginning on (40.1.1, 40.1.2).
    def __init__(self, group, proof): self.group, self.proof, self.at = group, proof, 0
    def bytes(self, count):  # The next bytes (40.1.1).
        self.at += count
        need(self.at <= len(self.proof), "proof is short")
        return self.proof[self.at - count:self.at]
    def elements(self, count): return [self.group.element(self.bytes(self.group.size)) for _ in range(count)]  # 40.1.2
    def scalars(self, count): return [self.group.scalar(self.bytes(self.group.size)) for _ in range(count)]  # 40.1.2
    def cards(self, count): return [tuple(self.elements(2)) for _ in range(count)]  # The next cards.
    def end(self): need(self.at == len(self.proof), "proof is long")  # There is nothing more.
def words(group, proof, elements, scalars):  # A proof of so many elements and scalars, and nothing else (40.1.1).
    parts = Parts(group, proof)
    found = parts.elements(elements), parts.scalars(scalars)
    parts.end()
    return found
def joined(cards): return b"".join(a + b for a, b in cards)  # as encoded (30.3.1)
def generators(group, count):  # G_0 … G_count (40.5).
    known = GENERATORS.setdefault(id(group), [])
    while len(known) <= count: known.append(group.hash("pakli/v1/commitment".encode(), len(known).to_bytes(2, "big")))
    return known[:count + 1]
def commit(group, values, factor):  # com(a; r) = r·G_0 + Σ a_i·G_i (40.5).
    return group.combine(*zip([factor, *values], generators(group, len(values))))
def powers(base, count, order):  # base^1 … base^count (40.5).
    return list(accumulate([base] * count, lambda one, other: one * other % order))
def combine_cards(group, scalars, cards):  # Σ s_i·e_i of cards, by component (40.5).
    return tuple(group.combine(*zip(scalars, (card[side] for card in cards))) for side in (0, 1))
def encrypt(group, key, factor): return group.base(factor), group.mul(factor, key)  # (τ·G, τ·K).
def add_cards(group, one, other): return tuple(group.add(a, b) for a, b in zip(one, other))  # by component
def ownership(group, tr, proof, key):  # 40.2: the prover knows x with X = x·G.
    tr.statement("ownership/v1", ("key", key))
    (t,), (z,) = words(group, proof, 1, 1)
    tr.absorb("T", t)
    c = tr.scalar("c", group.order)
    hold(group.base(z) == group.combine((1, t), (c, key)), "40.2")
def reveal(group, tr, proof, key, cards, tokens):  # 40.3: tokens are x·A_j for the x of the key.
    need(cards and len(cards) == len(tokens) and all(a != group.zero for a, _ in cards), "form")
    tr.statement("reveal/v1", ("key", key), ("cards", joined(cards)), ("tokens", tokens))
    equal_logarithms(group, tr, key, [a for a, _ in cards], tokens, proof)
def equal_logarithms(group, tr, key, bases, results, proof):  # 40.3, and 33.4: S_j = x·A_j for the x of X = x·G.
    alphas = [1] + [tr.scalar("alpha", group.order) for _ in bases[1:]]
    (t1, t2), (z,) = words(group, proof, 2, 1)
    tr.send(T1=t1, T2=t2)
    c = tr.scalar("c", group.order)
    hold(group.base(z) == group.combine((1, t1), (c, key)), "40.3")
    left = group.combine(*((z * alpha, base) for alpha, base in zip(alphas, bases)))
    right = group.combine(*((c * alpha, result) for alpha, result in zip(alphas, results)))
    hold(left == group.add(t2, right), "40.3")
def transfer(group, tr, proof, giver, receiver, old, new):  # 40.4: both cards mask the same.
    need(old[0] != group.zero and new[0] != group.zero, "form")
    tr.statement("transfer/v1", ("from", giver), ("to", receiver), ("old", joined([old])), ("new", joined([new])))
    (t1, t2, t3), (z1, z2) = words(group, proof, 3, 2)
    tr.send(T1=t1, T2=t2, T3=t3)
    c = tr.scalar("c", group.order)
    hold(group.base(z1) == group.combine((1, t1), (c, giver)), "40.4")
    hold(group.base(z2) == group.combine((1, t2), (c, new[0])), "40.4")
    left = group.combine((z2, receiver), (-z1, old[0]))
    hold(left == group.combine((1, t3), (c, group.sub(new[1], old[1]))), "40.4")
def shuffle_form(group, before, after):  # The form of a shuffle's statement (40.5).
    need(2 <= len(before) <= 256 and len(after) == len(before), "form")
    need(all(card[0] != group.zero for card in after), "open card")
def shuffle_frames(label, key, before, after):  # Label and frames of a shuffle's statement (40.5, 41).
    return label, ("key", key), ("in", joined(before)), ("out", joined(after))
def permutation_argument(group, tr, parts, count, between=lambda: None):
    """Checks (5) to (7) of 40.5, with what is absorbed before C_d; gives x, c, E, f and the last scalar."""
    order, first = group.order, parts.elements(8)
    tilde_a, middle, f = parts.scalars(count), parts.scalars(count - 2), parts.scalars(count)
    tilde_r, tilde_s, r_f, last = parts.scalars(4)
    a, b, c_d, c_delta, c_diff, c_0, *e = first
    tr.absorb("A", a)
    x = tr.scalar("x", order)
    tr.absorb("B", b)
    y, z = tr.scalar("y", order), tr.scalar("z", order)
    between()
    tr.send(C_d=c_d, C_delta=c_delta, C_Delta=c_diff, C_0=c_0, E=e)
    c, d = tr.scalar("c", order), group.combine((y, a), (1, b), (-z, group.sum(generators(group, count)[1:])))
    hold(group.combine((c, d), (1, c_d)) == commit(group, tilde_a, tilde_r), "(5)")
    product = prod(y * i + power - z for i, power in enumerate(powers(x, count, order), 1)) % order
    tilde_b = [tilde_a[0], *middle, c * product % order]
    steps = [c * tilde_b[i + 1] - tilde_b[i] * tilde_a[i + 1] for i in range(count - 1)]
    hold(group.combine((c, c_diff), (1, c_delta)) == commit(group, steps, tilde_s), "(6)")
    hold(group.combine((c, b), (1, c_0)) == commit(group, f, r_f), "(7)")
    return x, c, e, f, last
def bayer_groth(group, tr, proof, key, before, after, _by=None):
    """40.5: a shuffle of cards, by the argument of Bayer and Groth with one column."""
    shuffle_form(group, before, after)
    tr.statement(*shuffle_frames("shuffle/bayer-groth/v1", key, before, after))
    parts = Parts(group, proof)
    x, c, e, f, tau = permutation_argument(group, tr, parts, len(before))
    parts.end()
    scalars = [c * power for power in powers(x, len(before), group.order)]
    left = add_cards(group, combine_cards(group, scalars, before), e)
    right = add_cards(group, encrypt(group, key, tau), combine_cards(group, f, after))
    hold(left == right, "(8)")
def terelius_wikstrom(group, tr, proof, key, before, after, _by=None):
    """41.1: a shuffle of cards, by the argument of Terelius and Wikström."""
    shuffle_form(group, before, after)
    tr.statement(*shuffle_frames("shuffle/terelius-wikstrom/v1", key, before, after))
    n, order, parts = len(before), group.order, Parts(group, proof)
    cs, chain = parts.elements(n), parts.elements(n)
    t1, t2, t3, *t4 = parts.elements(5)
    t_hat, (s1, s2, s3, s4) = parts.elements(n), parts.scalars(4)
    s_hat, s_prime = parts.scalars(n), parts.scalars(n)
    parts.end()
    tr.absorb("C", *cs)
    us = [tr.scalar("u", order) for _ in range(n)]
    tr.send(chain=chain, T_1=t1, T_2=t2, T_3=t3, T_4=t4, T_hat=t_hat)
    c = tr.scalar("c", order)
    h, *gs = generators(group, n)
    hold(group.combine((1, t1), (c, group.sub(group.sum(cs), group.sum(gs)))) == group.base(s1), "(4)")
    hold(group.combine((1, t2), (c, chain[-1]), (-c * prod(us), h)) == group.base(s2), "(5)")
    left = group.add(t3, group.mul(c, group.combine(*zip(us, cs))))
    hold(left == group.add(group.base(s3), group.combine(*zip(s_prime, gs))), "(6)")
    left = add_cards(group, t4, combine_cards(group, [c * u for u in us], before))
    right = add_cards(group, combine_cards(group, s_prime, after), encrypt(group, key, -s4))
    hold(left == right, "(7)")
    for i in range(n):
        right = group.add(group.base(s_hat[i]), group.mul(s_prime[i], chain[i - 1] if i else h))
        hold(group.combine((1, t_hat[i]), (c, chain[i])) == right, "(8)")

class Stream:  # Bytes of SHAKE256 of a string, as far as they are wanted (41.2.2).
    def __init__(self, data, expected):
        self.state, self.at = hashlib.shake_256(data), 0
        self.data = self.state.digest(expected)
    def take(self, count):  # The next bytes (40.1.1).
        self.at += count
        while self.at > len(self.data): self.data = self.state.digest(2 * len(self.data))
        return self.data[self.at - count:self.at]
    def upto(self, most):  # A number from 0 to `most`, by rejection (30.5.2).
        while (j := int.from_bytes(self.take(2), "little") & (1 << most.bit_length()) - 1) > most: pass
        return j
    def permutation(self, count):  # Fisher and Yates (30.5.2).
        places = list(range(count))
        for i in range(count - 1, 0, -1):
            j = self.upto(i)
            places[i], places[j] = places[j], places[i]
        return places
def commitment(group, _tr, proof, _key, before, after, _by=None):  # 43.1.1, 43.3.1: 32 bytes commit to a shuffle.
    shuffle_form(group, before, after)
    need(len(proof) == 32, "commitment")
def cut_and_choose(group, tr, proof, key, before, after, _by=None, asked=None):
    """41.2: a shuffle by cut and choose; one that was asked for answers a commitment and values (43.1)."""
    shuffle_form(group, before, after)
    label, rounds, composed = ("cut-and-choose-asked", 59, 12) if asked else ("cut-and-choose", 134, 58)
    tr.statement(*shuffle_frames(f"shuffle/{label}/v1", key, before, after))
    n, parts = len(before), Parts(group, proof)
    sigmas = [list(parts.bytes(n)) for _ in range(composed)]
    need(all(sorted(sigma) == list(range(n)) for sigma in sigmas), "permutation")
    committed, values = asked or (parts.bytes(32), [])
    seeds = [parts.bytes(32) for _ in range(rounds - composed)]
    taus = [parts.scalars(n) for _ in range(composed)]
    parts.end()
    tr.absorb("C", committed)
    for value in values: tr.absorb("value", value)
    drawn = Stream(b"pakli/v1/cut-and-choose/rounds" + tr.draw("D"), 1024).permutation(rounds)
    answers, opened, digest = iter(zip(sigmas, taus)), iter(seeds), hashlib.sha256()
    for k in range(rounds):
        if k in drawn[:composed]:
            order, factors = next(answers)
            source = before
        else:
            stream = Stream(b"pakli/v1/cut-and-choose/seed" + next(opened), (group.stream + 8) * n + 64)
            order, source = stream.permutation(n), after
            factors = [int.from_bytes(stream.take(group.stream), "little") for _ in range(n)]
        cards = [add_cards(group, source[i], encrypt(group, key, by)) for i, by in zip(order, factors)]
        digest.update(hashlib.sha256(joined(cards)).digest())
    hold(digest.digest() == committed, "41.2.6")
def two_columns(group, tr, proof, key, before, after, _by=None):
    """41.3: a shuffle of cards, by the argument of Bayer and Groth with two columns."""
    shuffle_form(group, before, after)
    tr.statement(*shuffle_frames("shuffle/bayer-groth-columns/v1", key, before, after))
    n, order, parts = max(3, (len(before) + 1) // 2), group.order, Parts(group, proof)
    empty = [(group.zero, group.zero)] * (2 * n - len(before))
    before, after = [*before, *empty], [*after, *empty]
    a, b, (h, c_d, c_delta, c_diff, c_0) = parts.elements(2), parts.elements(2), parts.elements(5)
    c_beta, e_cards, zs = parts.elements(3), parts.cards(3), parts.elements(6)
    tilde_a, middle = parts.scalars(n), parts.scalars(n - 2)
    g_bar, h_bar, f = parts.scalars(n), parts.scalars(n), parts.scalars(n)
    tilde_r, tilde_s, r_bar, s_bar, t_bar, r_f, beta, sigma, tau = parts.scalars(9)
    parts.end()
    tr.absorb("A", *a)
    x = tr.scalar("x", order)
    tr.absorb("B", *b)
    y, z = tr.scalar("y", order), tr.scalar("z", order)
    tr.send(H=h, C_d=c_d, C_delta=c_delta, C_Delta=c_diff, C_0=c_0, C_beta=c_beta, E=joined(e_cards))
    u, v, c, w = (tr.scalar(name, order) for name in "uvcw")
    tr.send(Z_alpha=zs[:1], Z_beta=zs[1:2], Z=zs[2:])
    e, ones = tr.scalar("e", order), group.sum(generators(group, n)[1:])
    d, xs = [group.combine((y, a[k]), (1, b[k]), (-z, ones)) for k in (0, 1)], [1, *powers(x, 2 * n - 1, order)]
    product = prod(y * i + power - z for i, power in enumerate(xs)) % order
    tilde_b = [tilde_a[0], *middle, c * product % order]
    steps = [c * tilde_b[i + 1] - tilde_b[i] * tilde_a[i + 1] for i in range(n - 1)]
    star = sum(vl * gl * hl for vl, gl, hl in zip(powers(v, n, order), g_bar, h_bar))
    hold(group.combine((c, h), (1, c_d)) == commit(group, tilde_a, tilde_r), "(6)")
    hold(group.combine((c, c_diff), (1, c_delta)) == commit(group, steps, tilde_s), "(7)")
    hold(group.combine((1, zs[0]), (e, d[1]), (-e * e, ones)) == commit(group, g_bar, r_bar), "(8)")
    hold(group.combine((e * e * u, d[0]), (e * u, h), (1, zs[1])) == commit(group, h_bar, s_bar), "(9)")
    left = group.combine((1, zs[2]), (e, zs[3]), (e * e, zs[4]), (e ** 4, zs[5]))
    hold(left == commit(group, [star], t_bar), "(10)")
    hold(group.combine((1, c_0), (w, b[0]), (w * w, b[1])) == commit(group, f, r_f), "(11)")
    left = group.combine((1, c_beta[0]), (w, c_beta[1]), (w ** 3, c_beta[2]))
    hold(left == commit(group, [beta], sigma), "(12)")
    left = combine_cards(group, [1, w, w ** 3, *(w * w * power for power in xs)], [*e_cards, *before])
    right = combine_cards(group, [*(w * value for value in f), *f], after)
    right = add_cards(group, right, encrypt(group, key, tau))
    hold(left == (right[0], group.add(right[1], group.base(beta))), "(13)")
def one_of_pairs(group, tr, proof, key, pairs):  # 42.2: one of these pairs is (σ·G, σ·K).
    parts, count = Parts(group, proof), len(pairs)
    commitments, challenges, answers = parts.cards(count), parts.scalars(count - 1), parts.scalars(count)
    parts.end()
    for t1, t2 in commitments: tr.send(T1=t1, T2=t2)
    challenges.append((tr.scalar("c", group.order) - sum(challenges)) % group.order)
    for pair, commitment, c, z in zip(pairs, commitments, challenges, answers):
        hold(encrypt(group, key, z) == add_cards(group, commitment, combine_cards(group, [c], [pair])), "42.2")
FAMILIES = {"cut": lambda n, k: [(i + k) % n for i in range(n)],
            "insert": lambda n, k: [*range(k), n - 1, *range(k, n - 1)]}  # the places φ_k of 42.1
def arrange(group, tr, proof, key, before, after, family):  # 42.3: a cut, or the last card inserted, all masked anew.
    n = len(before)
    need(1 <= n <= 256 and len(after) == n and all(card[0] != group.zero for card in after), "form")
    tr.statement(*shuffle_frames(f"arrange/{family}/v1", key, before, after))
    xs = [1, *powers(tr.scalar("x", group.order), n - 1, group.order)][:n]
    total, pairs = combine_cards(group, xs, after), []
    for k in range(n):
        came = combine_cards(group, xs, [before[place] for place in FAMILIES[family](n, k)])
        pairs.append(tuple(group.sub(a, b) for a, b in zip(total, came)))
    one_of_pairs(group, tr, proof, key, pairs)
def mint(group, tr, proof, key, deck, card, faces):  # 42.4: a new card has one of these faces.
    need(faces and card[0] != group.zero, "form")
    elements = [deck.elements[face] for face in faces]
    tr.statement("mint/v1", ("key", key), ("card", joined([card])), ("faces", elements))
    one_of_pairs(group, tr, proof, key, [(card[0], group.sub(card[1], element)) for element in elements])
