package skat

// March is the score for all ten tricks of a Ramsch (SK-R-71).
const March = 120

// ScoreRamsch is the score of each player for points, with the skat, and tricks, after so many pushes
// (SK-R-70 to SK-R-72).
func ScoreRamsch(points, tricks [3]int, pushes int) (scores [3]int) {
	most, without := 0, 0
	for p := range points {
		most = max(most, points[p])
		if tricks[p] == 0 {
			without++
		}
	}
	factor := 1 << pushes
	for p := range points {
		switch {
		case without == 2 && tricks[p] > 0:
			scores[p] = March * factor
		case without == 2 || points[p] < most || 3*most == TotalPoints:
		case without == 1:
			scores[p] = -2 * most * factor
		default:
			scores[p] = -most * factor
		}
	}
	return scores
}
