"""The score of a deal of tarokk: game, figures, payments and the pool (61.10, 61.11, PAK-5)."""
from types import SimpleNamespace

OTHER = {"DEC": "DEF", "DEF": "DEC"}
def points(face):  # R-CARD-7.
    if face < 22: return 5 if face in (0, 20, 21) else 1
    return (face - 22) % 5 + 1
def share(amount, count): return [amount // count + (place < amount % count) for place in range(count)]  # PAK-5
def score(deal):  # What was made in a deal that was played, and V (R-SC-1 to R-SC-18).
    partner = deal.played_by.get(deal.called)
    dec = {deal.declarer} | ({partner} if partner is not None else set())
    faces = {side: set() for side in OTHER}
    for winner, trick in deal.tricks: faces["DEC" if winner in dec else "DEF"] |= {face for _, face in trick}
    own = sum(points(deal.open_faces[card]) for card in deal.discards[deal.declarer])
    dec_points = sum(map(points, faces["DEC"])) + own
    made = SimpleNamespace(dec=dec, points={"DEC": dec_points, "DEF": 94 - dec_points}, faces=faces,
                           volat={side: len(faces[side]) == 36 for side in OTHER},
                           side=lambda p: "DEC" if p in dec else "DEF",
                           pagat=pagat(deal, dec), capture=capture(deal, dec))
    value, silent_double = game_value(deal, made)
    made.v = value + sum(figure_values(deal, made, silent_double))
    return made
def pagat(deal, dec):  # Whose pagát was played to trick 9, and whether it won: side and boolean (R-FIG-4).
    winner, trick = deal.tricks[8]
    player = next((p for p, face in trick if face == 0), None)
    return None if player is None else ("DEC" if player in dec else "DEF", player == winner)
def capture(deal, dec):  # The side whose skíz caught the other side's XXI, or nothing (R-FIG-6).
    for _, trick in deal.tricks:
        players = {face: p for p, face in trick}
        if 21 in players and 20 in players and (players[21] in dec) != (players[20] in dec):
            return "DEC" if players[21] in dec else "DEF"
    return None
def game_value(deal, made):  # Game, double and volát for DEC (R-SC-11), and whether a silent double was scored.
    b, k, on = deal.base, deal.items.get, deal.on
    contred = k("game")
    enough = 47 if contred and on("contra-tie", "48") else 48
    winner = "DEC" if made.points["DEC"] >= enough else "DEF"
    double, value = {side: made.points[side] >= 71 for side in OTHER}, {"DEC": 0, "DEF": 0}
    announced = lambda side, figure: f"{side}.{figure}" in deal.items
    for side in OTHER:
        for figure, factor, done in (("double", 4, double[side]), ("volat", 6, made.volat[side])):
            if announced(side, figure): value[side] += (1 if done else -1) * factor * b * 2 ** k(f"{side}.{figure}")
    exclusive, silent, is_double = on("score-gdv", "exclusive"), 0, False
    barred = on("defenders-silent", "contra-only") and winner == "DEF" and not contred
    if made.volat[winner] and not announced(winner, "volat") and not barred:
        silent = 2 * b * 2 ** contred if contred and on("contra-volat", "triple") else 3 * b
    elif double[winner] and not announced(winner, "double") and not announced(winner, "volat") and not barred:
        is_double = not (exclusive and announced(OTHER[winner], "volat"))
        silent = 2 * b if is_double else 0
    sides = OTHER if exclusive else [winner]
    if contred: game = b * 2 ** contred
    elif silent or any(announced(side, figure) for side in sides for figure in ("double", "volat")): game = 0
    else: game = b
    value[winner] += silent + game
    return value["DEC"] - value["DEF"], is_double
def figure_values(deal, made, silent_double):  # The other figures, each as an amount for DEC (R-SC-12 to R-SC-16).
    o, any_volat = deal.game.o, any(made.volat.values())
    kings_left_out = any_volat or silent_double and deal.on("double-kings", "not")
    for side, sign in (("DEC", 1), ("DEF", -1)):
        has = {"trull": {0, 20, 21} <= made.faces[side], "four_kings": {26, 31, 36, 41} <= made.faces[side],
               "pagat_ultimo": made.pagat == (side, True), "xxi_capture": made.capture == side}
        worth = {"trull": (1, 2), "four_kings": (o["kings-silent"], o["kings-announced"]),
                 "pagat_ultimo": (o["ultimo-silent"], o["ultimo-announced"]),
                 "xxi_capture": (o["xxi-silent"], o["xxi-announced"])}
        for figure, done in has.items():
            item, (silent, announced) = f"{side}.{figure}", map(int, worth[figure])
            if item in deal.items: yield sign * (1 if done else -1) * announced * 2 ** deal.items[item]
            elif figure == "pagat_ultimo" and made.pagat == (side, False): yield -sign * silent
            elif figure == "trull" and any_volat and deal.on("volat-trull", "neither"): yield 0
            else: yield sign * silent * done * (figure != "four_kings" or not kings_left_out)
def payments(deal, made):  # What each player gets: V, counts, late counts, fees, and the dealer who weeps (61.11).
    alone = len(made.dec) == 1
    pays = [(3 * made.v if alone else made.v) if p in made.dec else -made.v for p in range(4)]
    for p in range(4):
        for other in range(4):
            if deal.count[p] and other != p:
                pays[p] += deal.count[p] - 7
                pays[other] -= deal.count[p] - 7
            if other != p and (other in made.dec) == (p in made.dec):
                pays[p] += deal.claims_late[p]
                pays[other] -= deal.claims_late[p]
        pays[p] -= deal.fees[p]
    if deal.on("dealer-weeps"): pays[deal.declarer] += made.v
    return pays
def pool_after(deal, pool):  # What each player gets of the ultimó pool, and what is in it then (PAK-5).
    pooled, before = [0] * 4, pool
    sides = [side for side in OTHER if f"{side}.pagat_ultimo" in deal.items]
    def spread(side, amount):
        members = [p for p in range(4) if (p in deal.score.dec) == (side == "DEC")]
        for p, part in zip(members, share(abs(amount), len(members))): pooled[p] += part if amount > 0 else -part
    for side in sides:
        if deal.score.pagat != (side, True):
            cost = min(before, 65_536)
            spread(side, -cost)
            pool += cost
    for side in sides:
        if deal.score.pagat == (side, True):
            spread(side, pool)
            pool = 0
    return pooled, pool
def deal_payments(deal, pool):  # Payments by seat, which double rounds multiply, pool's by player, the pool (61.18.4).
    pays, pooled, extra = [0] * 4, [0] * 4, 0
    pooling, dealer = deal.on("ultimo-pool"), deal.game.members[deal.game.dealer]
    if deal.outcome == "thrown in": return {}, [-2 * pooling] * 4, pool + 8 * pooling
    if deal.outcome == "trial" and pooling:
        pooled[deal.declarer] -= 8
        pool += 8
    elif deal.outcome != "played":
        payer = deal.declarer if deal.outcome == "trial" else deal.invit.maker
        each = 2 if deal.outcome == "trial" and deal.on("trial-pays", "two") else deal.base
        pays = [-3 * each if p == payer else each for p in range(4)]
    else:
        pays = payments(deal, deal.score)
        extra = sum(deal.fees) - (deal.score.v if deal.on("dealer-weeps") else 0)
        pooled, pool = pool_after(deal, pool) if pooling else (pooled, pool)
    found = dict(zip(deal.players, pays))
    found[dealer] = found.get(dealer, 0) + extra
    return found, pooled, pool
