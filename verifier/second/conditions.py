"""Conditions: facts about hidden cards of one hand (chapter 45)."""
from math import prod
from proofs import (Parts, add_cards, bayer_groth, combine_cards, encrypt, hold, joined, permutation_argument, powers)
from wire import need

def size_of(argument, k, t, faces, deck):  # The length of an argument in words (45.3); none where it does not apply.
    if argument == "threshold": return k - t + 1 + k * (2 * faces - 1)
    if argument == "inequality": return k + deck - faces + 5 if deck > faces else None
    return 3 * faces + 15 + 2 * (faces - k) if faces >= max(k, 2) else None
def argument_for(k, t, faces, deck):  # The argument that proves a bound, and its length (45.3.1, 45.3.2).
    threshold = ("threshold", size_of("threshold", k, t, faces, deck))
    if t < k or faces == deck: return threshold
    others = [(name, size_of(name, k, t, faces, deck)) for name in ("inequality", "subset")]
    others = [other for other in others if other[1] is not None]
    best = min(others, key=lambda other: other[1])
    return threshold if 4 * best[1] >= 5 * threshold[1] else best
def bounds(k, chosen, deck, low, high):  # The inner and the outer bound: which, how many cards, and faces (45.2).
    found = [("inner", low, sorted(chosen))] if low > 0 else []
    if high < k: found.append(("outer", k - high, [face for face in range(deck) if face not in chosen]))
    return found
def is_permuted(k, limits, deck):  # Whether the hand is permuted first (45.3.3).
    lying = sum(argument_for(k, t, len(faces), deck)[1] for _, t, faces in limits)
    permuted = 5 * k + 10 + sum(argument_for(t, t, len(faces), deck)[1] for _, t, faces in limits)
    return permuted < lying or (any(t < k for _, t, _ in limits) and 4 * permuted < 5 * lying)
def condition(group, tr, proof, key, deck, cards, chosen, low, high):  # 45: from `low` to `high` are in the set.
    k, size = len(cards), len(deck.elements)
    limits = bounds(k, chosen, size, low, high)
    need(0 <= high and low <= high and low <= k <= size and all(0 <= face < size for face in chosen), "form")
    need(len(set(cards)) == k and all(card[0] != group.zero for card in cards), "form")
    need(all(faces for _, _, faces in limits), "form")
    bits = sum(1 << face for face in chosen)
    words = [("set", (bits >> 64 * i & 2 ** 64 - 1).to_bytes(8, "big")) for i in range(4)]
    tr.statement("condition/v1", ("key", key), ("deck", deck.id), ("cards", joined(cards)), *words,
                 ("min", low.to_bytes(8, "big", signed=True)), ("max", high.to_bytes(8, "big", signed=True)))
    parts, permuted = Parts(group, proof), bool(limits) and is_permuted(k, limits, size)
    if permuted:
        hand = parts.cards(k)
        bayer_groth(group, tr, parts.bytes(group.size * (3 * k + 10)), key, cards, hand)
    for side, t, faces in limits:
        lying = cards
        if permuted: lying = hand[:t] if side == "inner" else hand[-t:]
        prove_bound(group, tr, key, deck, lying, t, faces, parts)
    parts.end()
def prove_bound(group, tr, key, deck, cards, t, faces, parts):  # One bound, by its argument (45.3).
    name, words = argument_for(len(cards), t, len(faces), len(deck.elements))
    part, elements = parts.bytes(group.size * words), [deck.elements[face] for face in faces]
    if name == "threshold": threshold(group, tr, key, cards, elements, t, part)
    elif name == "subset": subset(group, tr, key, cards, elements, part)
    else:
        inside = set(faces)
        others = [element for face, element in enumerate(deck.elements) if face not in inside]
        inequality(group, tr, key, cards, others, part)
def interpolate(values, order):  # The polynomial through (0, values[0]), (1, values[1]) … modulo the order (45.4).
    def weight(i, place): return prod((place - j) * pow(i - j, -1, order) for j in range(len(values)) if j != i)
    return lambda place: sum(value * weight(i, place) for i, value in enumerate(values)) % order
def threshold(group, tr, key, cards, elements, t, proof):  # 45.4: at least t of these cards have one of these faces.
    k, order = len(cards), group.order
    tr.statement("condition/threshold/v1", ("key", key), ("cards", joined(cards)), ("faces", elements),
                 ("need", t.to_bytes(8, "big")))
    parts = Parts(group, proof)
    given = parts.scalars(k - t + 1)
    polynomial = interpolate(given, order)
    for j, (a, b) in enumerate(cards, 1):
        challenges, answers = parts.scalars(len(elements) - 1), parts.scalars(len(elements))
        challenges.append((polynomial(j) - sum(challenges)) % order)
        for c, z, element in zip(challenges, answers, elements):
            tr.send(T1=group.sub(group.base(z), group.mul(c, key)),
                    T2=group.sub(group.mul(z, a), group.mul(c, group.sub(b, element))))
    parts.end()
    hold(tr.scalar("c", order) == given[0], "45.4")
def inequality(group, tr, key, cards, excluded, proof):  # 45.5: none of these cards has one of the excluded faces.
    k, n, order, parts = len(cards), len(excluded), group.order, Parts(group, proof)
    tr.statement("condition/inequality/v1", ("key", key), ("cards", joined(cards)), ("excluded", excluded))
    vs, us = parts.elements(n), parts.elements(k)
    (t0, t1, t2), (z1, z2) = parts.elements(3), parts.scalars(2)
    parts.end()
    tr.send(V=vs, U=us)
    alpha = tr.scalar("alpha", order)
    tr.send(T0=t0, T1=t1, T2=t2)
    c = tr.scalar("c", order)
    hold(not set(us) & set(vs), "45.5, U is V")
    hold(group.sub(group.mul(z1, key), group.base(z2)) == t0, "45.5")
    hold(group.mul(z1, excluded[0]) == group.combine((1, t1), (c, vs[0])), "45.5")
    weights = [1, *powers(alpha, n + k - 1, order)][:n + k - 1]
    left = group.combine(*zip(weights, [*excluded[1:], *(b for _, b in cards)]))
    stars = group.combine(*zip(weights[n - 1:], (a for a, _ in cards)))
    right = group.combine((1, t2), (c, group.combine(*zip(weights, [*vs[1:], *us]))))
    hold(group.sub(group.mul(z1, left), group.mul(z2, stars)) == right, "45.5")
def subset(group, tr, key, cards, elements, proof):  # 45.6: the faces of these cards are different ones of these.
    n, parts = len(elements), Parts(group, proof)
    tr.statement("condition/subset/v1", ("key", key), ("cards", joined(cards)), ("faces", elements))
    fillers = parts.cards(n - len(cards))
    tr.absorb("fillers", joined(fillers))
    tail = Parts(group, proof[-group.size * 5:])
    (f_a, f_b, t1, t2), (z,) = tail.elements(4), tail.scalars(1)
    between = lambda: tr.send(sum=[f_a, f_b], T1=t1, T2=t2)
    x, c, e, f, tau = permutation_argument(group, tr, parts, n, between)
    parts.bytes(group.size * 5)
    parts.end()
    left = add_cards(group, (group.mul(c, f_a), group.mul(c, f_b)), e)
    right = add_cards(group, encrypt(group, key, tau), combine_cards(group, f, [*cards, *fillers]))
    hold(left == right, "45.6")
    hold(group.base(z) == group.combine((1, t1), (c, key)), "45.6")
    faces = group.combine(*zip(powers(x, n, group.order), elements))
    hold(group.mul(z, f_a) == group.combine((1, t2), (c, group.sub(f_b, faces))), "45.6")
