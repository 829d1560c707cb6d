package event

import "slices"

// Plan finds places at tables for all rounds so that few players meet twice. It is a good plan and
// not the best: any plan published before the draw is equally fair, since lots assign the places.
//
// For tables of two it is the round robin of the circle method: place 1 stays, the others rotate.
// Otherwise each round begins with the places laid out with another stride, and exchanges reduce
// the repeated meetings.
func Plan(players int, sizes []int, rounds int) [][][]int {
	met, byes := Meetings{}, map[int]int{}
	var plan [][][]int
	for r := range rounds {
		order := circleOrder(players, r)
		if len(sizes) > 1 || sizes[0] != 2 {
			order = strideOrder(players, r)
		}
		tables, without := dealTables(order, sizes, byes)
		met.Reduce(tables, len(tables))
		for i := range tables {
			slices.Sort(tables[i])
		}
		met.Add(tables)
		for _, p := range without {
			byes[p]++
		}
		plan = append(plan, tables)
	}
	return plan
}

// circleOrder returns the order of a round of the circle method: neighbours meet. If the number is
// odd, the last of the order has no table.
func circleOrder(players, round int) []int {
	n := players + players%2
	ring := make([]int, n)
	for i := range n - 1 {
		ring[i+1] = 2 + (i+round)%(n-1)
	}
	ring[0] = 1
	var order, left []int
	for i := range n / 2 {
		pair := []int{ring[i], ring[n-1-i]}
		if slices.Max(pair) > players {
			left = append(left, slices.Min(pair))
			continue
		}
		order = append(order, pair...)
	}
	return append(order, left...)
}

// strideOrder returns every place once, in steps of a stride that has no common factor with the
// number of players.
func strideOrder(players, round int) []int {
	step := 1
	for k := 0; k < round; {
		if step++; gcd(step, players) == 1 || players < 3 {
			k++
		}
	}
	order := make([]int, players)
	for i := range order {
		order[i] = 1 + i*step%players
	}
	return order
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
