"""56.1.3, 56.3 and 56.3.7: lots, and who sits where in a round, from what is known before it."""

import hashlib
import unicodedata

APART, FAR, PASSES = 1_000_000_000, 16, 16
SMALL = ((0x41, 0x5A), (0xC0, 0xDE), (0x391, 0x3A9), (0x410, 0x42F))


def lot(seed, number, player):
    """56.1.3."""
    return hashlib.sha256(b"pakli-lot/v1\n" + seed + number.to_bytes(2, "big") + player.to_bytes(2, "big")).digest()


def club_of(text):
    """What the names of one club have in common (56.3.7)."""
    left = []
    for char in text:
        decomposed = ord(char) < 0x530 or 0x1E00 <= ord(char) <= 0x1EFF
        for part in unicodedata.normalize("NFD", char) if decomposed else char:
            code = ord(part)
            if any(low <= code <= high for low, high in SMALL):
                code += 32
            if code < 0xC0 and not (0x61 <= code <= 0x7A or 0x30 <= code <= 0x39):
                continue
            if not (0x300 <= code <= 0x36F or 0x2000 <= code <= 0x206F):
                left.append(chr(code))
    return "".join(left)


def cut(order, sizes, had):
    """Tables and byes of players in an order (56.3.1, 56.3.2)."""
    order, byes, first, second = list(order), [], sizes[0], sizes[-1]
    while True:
        for full in range(len(order) // first, -1, -1):
            rest = len(order) - full * first
            if rest == 0 or len(sizes) == 2 and rest % second == 0:
                ends = [first * i for i in range(full + 1)]
                ends += [ends[-1] + second * i for i in range(1, rest // second + 1)]
                return [order[a:b] for a, b in zip(ends, ends[1:])], byes
        fewest = min(had.get(p, 0) for p in order)
        last = max(i for i, p in enumerate(order) if had.get(p, 0) == fewest)
        byes.append(order.pop(last))


def exchange(tables, window, pair_cost):
    """Part players, as far as exchanges go (56.3.4)."""
    def cost(player, table, place):
        return sum(pair_cost(player, other) for k, other in enumerate(table) if k != place)

    def better(t, i):
        for u in (u for d in range(1, window + 1) for u in (t + d, t - d) if 0 <= u < len(tables)):
            for j, q in enumerate(tables[u]):
                p = tables[t][i]
                now = cost(p, tables[t], i) + cost(q, tables[u], j)
                if cost(q, tables[t], i) + cost(p, tables[u], j) < now:
                    tables[t][i], tables[u][j] = q, p
                    return True
        return False
    for _ in range(PASSES):
        changed = False
        for t, table in enumerate(tables):
            for i in range(len(table)):
                if cost(table[i], table, i) > 0 and better(t, i):
                    changed = True
        if not changed:
            return


def pair_costs(met, apart, clubs, groups):
    """What two players at one table cost (56.3.4, 56.3.7)."""
    clubs = {player: club_of(text) for player, text in clubs.items()}

    def cost(p, q):
        reasons = 0
        if apart:
            reasons = (clubs[p] != "" and clubs[p] == clubs[q]) + sum(p in group and q in group for group in groups)
        return met.get(frozenset((p, q)), 0) ** 2 + APART * reasons
    return cost


def seat_at_random(seed, number, players, sizes, had, apart, pair_cost):
    """A round at random: the tables by seat, and the byes."""
    def by_lot(list_of):
        return sorted(list_of, key=lambda p: lot(seed, number, p))
    tables, byes = cut(by_lot(players), sizes, had)
    exchange(tables, min(len(tables), FAR) if apart else len(tables), pair_cost)
    return [by_lot(table) for table in tables], sorted(byes)
