package fivecarddraw

import (
	"cmp"
	"slices"
)

// Every hand of five cards is of one of 7,462 classes, of which 1 is the best (FD-R-44). Hands of one
// class are equal.
//
// Ranks are counted. Sets of ranks are numbered by the combinatorial number system, in which a set with
// a higher card comes after all sets without one so high. So the class of a hand is the first class of
// its kind plus the number of better hands of its kind.

// HandSize is the number of cards of a hand.
const HandSize = 5

// HandClasses is the number of classes, with and without a wheel.
const HandClasses = 7462

// HandKind is a kind of hand, from a straight flush down to a high card.
type HandKind int

// Kinds of hand, as the table of 92.6 numbers them.
const (
	HighCard HandKind = iota
	OnePair
	TwoPairs
	ThreeOfAKind
	Straight
	Flush
	FullHouse
	FourOfAKind
	StraightFlush
)

// kindSizes returns how many classes each kind has, the best kind first, if n of the sets of five ranks
// are straights.
func kindSizes(n int) []int {
	return []int{n, 156, 156, binomial(Ranks, HandSize) - n, n, 858, 858, 2860, binomial(Ranks, HandSize) - n}
}

// straights returns the numbers of the sets of ranks that are straights, the wheel first.
func straights(wheel bool) (list []int) {
	if wheel {
		list = append(list, setNumber([]int{int(Ace), 3, 2, 1, 0}))
	}
	for high := HandSize - 1; high < Ranks; high++ {
		list = append(list, setNumber([]int{high, high - 1, high - 2, high - 3, high - 4}))
	}
	return list
}

// rankings are the straights without and with a wheel.
var rankings = [2][]int{straights(false), straights(true)}

func straightRanking(wheel bool) []int {
	if wheel {
		return rankings[1]
	}
	return rankings[0]
}

func bestClass(kind HandKind, wheel bool) int {
	class := 1
	for _, n := range kindSizes(len(straightRanking(wheel)))[:StraightFlush-kind] {
		class += n
	}
	return class
}

// HandClass returns the class of five different cards; wheel says whether A 2 3 4 5 is a straight.
func HandClass(faces [HandSize]Face, wheel bool) int {
	groups := rankGroups(faces[:])
	switch {
	case len(groups) == HandSize:
		return unpairedClass(faces, ranksOf(groups), wheel)
	case groups[0].n == 4:
		return bestClass(FourOfAKind, wheel) + betterCount(groups, 1)
	case groups[0].n == 3 && groups[1].n == 2:
		return bestClass(FullHouse, wheel) + betterCount(groups, 1)
	case groups[0].n == 3:
		return bestClass(ThreeOfAKind, wheel) + betterCount(groups, 1)
	case groups[1].n == 2:
		return bestClass(TwoPairs, wheel) + betterCount(groups, 2)
	}
	return bestClass(OnePair, wheel) + betterCount(groups, 1)
}

// unpairedClass returns the class of five ranks, descending.
func unpairedClass(faces [HandSize]Face, ranks []int, wheel bool) int {
	flush := !slices.ContainsFunc(faces[:], func(f Face) bool { return f.Suit() != faces[0].Suit() })
	list, at := straightRanking(wheel), setNumber(ranks)
	if i := slices.Index(list, at); i >= 0 {
		kind := Straight
		if flush {
			kind = StraightFlush
		}
		return bestClass(kind, wheel) + len(list) - 1 - i
	}
	kind, above := HighCard, binomial(Ranks, HandSize)-1-at
	if flush {
		kind = Flush
	}
	for _, straight := range list {
		if straight > at {
			above--
		}
	}
	return bestClass(kind, wheel) + above
}

// group is a rank and the number of cards that have it.
type group struct{ rank, n int }

// rankGroups returns the groups of some cards, the largest first, then the highest.
func rankGroups(faces []Face) (groups []group) {
	var counts [Ranks]int
	for _, f := range faces {
		counts[f.Rank()]++
	}
	for rank, n := range counts {
		if n > 0 {
			groups = append(groups, group{rank, n})
		}
	}
	slices.SortFunc(groups, func(a, b group) int { return cmp.Or(b.n-a.n, b.rank-a.rank) })
	return groups
}

func ranksOf(groups []group) []int {
	ranks := make([]int, len(groups))
	for i, g := range groups {
		ranks[i] = g.rank
	}
	return ranks
}

// betterCount returns how many choices of n ranks, and then of as many others as there are in the rest
// of groups, are better.
func betterCount(groups []group, n int) int {
	main, others := ranksOf(groups[:n]), ranksOf(groups[n:])
	for i, rank := range others { // as numbered without the n ranks
		for _, taken := range main {
			if taken < rank {
				others[i]--
			}
		}
	}
	left := binomial(Ranks-n, len(others))
	return (binomial(Ranks, n)-1-setNumber(main))*left + left - 1 - setNumber(others)
}

// setNumber returns how many sets of as many ranks are lower than these descending ranks: C(r1, k) +
// C(r2, k−1) + … + C(rk, 1).
func setNumber(ranks []int) (n int) {
	for i, r := range ranks {
		n += binomial(r, len(ranks)-i)
	}
	return n
}

func binomial(n, k int) int {
	c := 1
	for i := range k {
		c = c * (n - i) / (i + 1)
	}
	return c
}

// KindOf returns the kind of the hands of a class.
func KindOf(class int, wheel bool) HandKind {
	kind := StraightFlush
	for kind > HighCard && class >= bestClass(kind-1, wheel) {
		kind--
	}
	return kind
}

// OpensBetting reports whether some cards of a hand show a pair of jacks or better, whatever the other
// cards are (FD-R-61).
func OpensBetting(faces []Face, wheel bool) bool {
	groups := rankGroups(faces)
	switch {
	case len(groups) == 0:
		return false
	case groups[0].n >= 3, groups[0].n == 2 && groups[0].rank >= int(Jack), len(groups) > 1 && groups[1].n == 2:
		return true
	}
	return len(faces) == HandSize && KindOf(HandClass([HandSize]Face(faces), wheel), wheel) >= Straight
}
