// Who plays with whom: drawn by the organiser's browser, with its random numbers. Nobody else
// can check that, and the page says so.

/** A number below n, each as likely as another. */
function below(n) {
  const end = 2 ** 32 - 2 ** 32 % n, x = new Uint32Array(1);
  do crypto.getRandomValues(x); while (x[0] >= end);
  return x[0] % n;
}

/** @param {string[]} list */
function shuffled(list) {
  const a = [...list];
  for (let i = a.length - 1; i > 0; i--) {
    const j = below(i + 1);
    [a[i], a[j]] = [a[j], a[i]];
  }
  return a;
}

/**
 * How many players each table has: as many tables as possible of one size, the others of sizes
 * that the game allows, and as few players as possible who sit out.
 * @param {number} players @param {number} size @param {number[]} allowed
 */
export function sizes(players, size, allowed) {
  const odd = list => list.filter(n => n !== size).length;
  /** @type {number[][]} */
  const best = [[]]; // by number of players
  for (let n = 1; n <= players; n++) {
    for (const last of allowed) {
      const list = best[n - last] && [...best[n - last], last];
      if (list && (!best[n] || odd(list) < odd(best[n]))) best[n] = list;
    }
  }
  for (let n = players; n > 0; n--) if (best[n]) return best[n].sort((a, b) => b - a);
  return [];
}

/** How many draws are compared. */
const tries = 500;

/**
 * A round: tables of players, and who sits out. Of many draws it is the one in which the
 * fewest sit out again, and then the fewest pairs meet again.
 * @param {string[]} players @param {number} size @param {number[]} allowed
 * @param {{tables: {names: string[]}[], out: string[]}[]} before earlier rounds
 */
export function draw(players, size, allowed, before) {
  const counts = sizes(players.length, size, allowed);
  const met = new Map(), rested = new Map(), pair = (a, b) => [a, b].sort().join(" "), more = (map, key) => map.set(key, (map.get(key) ?? 0) + 1);
  const pairs = names => names.flatMap((a, i) => names.slice(i + 1).map(b => pair(a, b)));
  for (const round of before) {
    for (const { names } of round.tables) pairs(names).forEach(p => more(met, p));
    round.out.forEach(name => more(rested, name));
  }
  let best;
  for (let i = 0; i < tries && best?.cost !== 0; i++) {
    const order = shuffled(players), tables = counts.map(n => order.splice(0, n));
    const cost = tables.flatMap(pairs).reduce((sum, p) => sum + (met.get(p) ?? 0), 0) + 1e6 * order.reduce((sum, name) => sum + (rested.get(name) ?? 0), 0);
    if (!best || cost < best.cost) best = { cost, tables, out: order };
  }
  return { tables: best.tables.map(names => ({ names })), out: best.out };
}
