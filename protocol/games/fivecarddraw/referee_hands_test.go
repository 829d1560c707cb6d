package fivecarddraw_test

import "strings"

// ranks from the highest.
const ranks = "AKQJT98765432"

// rows are the hands in a straight, from the highest; the last is the wheel.
var rows = []string{"AKQJT", "KQJT9", "QJT98", "JT987", "T9876", "98765", "87654", "76543", "65432", "5432A"}

// ordinals are the places in the lists of all classes with and without a wheel, 1 the best,
// of ranks as they are written there; "s" behind them: of one suit.
var ordinals = map[bool]map[string]int{true: listClasses(rows), false: listClasses(rows[:9])}

// listClasses writes all hands out from the best to the worst (92.6).
func listClasses(rows []string) map[string]int {
	at := map[string]int{}
	add := func(hand string) { at[hand] = len(at) + 1 }
	each := func(without string, do func(rank string)) {
		for _, r := range ranks {
			if !strings.ContainsRune(without, r) {
				do(string(r))
			}
		}
	}
	straight := func(hand string) bool {
		for _, row := range rows {
			if row == hand || row == "5432A" && hand == "A5432" {
				return true
			}
		}
		return false
	}
	for _, row := range rows {
		add(row + "s")
	}
	each("", func(four string) { each(four, func(one string) { add(strings.Repeat(four, 4) + one) }) })
	each("", func(three string) {
		each(three, func(two string) { add(strings.Repeat(three, 3) + strings.Repeat(two, 2)) })
	})
	eachFiveRanks(func(hand string) {
		if !straight(hand) {
			add(hand + "s")
		}
	})
	for _, row := range rows {
		add(row)
	}
	each("", func(three string) {
		eachTwoRanks(three, func(two string) { add(strings.Repeat(three, 3) + two) })
	})
	eachTwoRanks("", func(two string) {
		each(two, func(one string) { add(strings.Repeat(two[:1], 2) + strings.Repeat(two[1:], 2) + one) })
	})
	each("", func(pair string) {
		eachThreeRanks(pair, func(three string) { add(strings.Repeat(pair, 2) + three) })
	})
	eachFiveRanks(func(hand string) {
		if !straight(hand) {
			add(hand)
		}
	})
	return at
}

// eachTwoRanks, each3 and each5 go through sets of ranks, from the highest, without one.
func eachTwoRanks(without string, do func(string))   { eachRankSet(2, "", ranks, without, do) }
func eachThreeRanks(without string, do func(string)) { eachRankSet(3, "", ranks, without, do) }
func eachFiveRanks(do func(string))                  { eachRankSet(5, "", ranks, "", do) }

func eachRankSet(n int, begun, from, without string, do func(string)) {
	if n == 0 {
		do(begun)
		return
	}
	for i, r := range from {
		if !strings.ContainsRune(without, r) {
			eachRankSet(n-1, begun+string(r), from[i+1:], without, do)
		}
	}
}

// rankOf is a card's rank as the list writes it.
func rankOf(face string) byte {
	if strings.HasPrefix(face, "10") {
		return 'T'
	}
	return face[0]
}

// handNotation is a hand as the list writes it: what there is most of first, then the highest.
func handNotation(faces []string, wheel bool) string {
	count, suits := map[rune]int{}, map[byte]bool{}
	for _, f := range faces {
		count[rune(rankOf(f))]++
		suits[f[len(f)-1]] = true
	}
	hand := ""
	for n := 4; n > 0; n-- {
		for _, r := range ranks {
			if count[r] == n {
				hand += strings.Repeat(string(r), n)
			}
		}
	}
	if hand == "A5432" && wheel {
		hand = "5432A"
	}
	if len(suits) == 1 && len(faces) == 5 {
		hand += "s"
	}
	return hand
}

// handClass is the place of five cards in the list.
func handClass(faces []string, wheel bool) int {
	n, found := ordinals[wheel][handNotation(faces, wheel)]
	if !found {
		panic("referee: no hand: " + strings.Join(faces, " "))
	}
	return n
}

// opens reports whether some cards of a hand show a pair of jacks or better (FD-R-61):
// five by their place in the list, fewer if the worst cards beside them would do.
func opens(faces []string, wheel bool) bool {
	if len(faces) == 5 {
		return handClass(faces, wheel) <= ordinals[wheel]["JJ432"]
	}
	hand := handNotation(faces, wheel)
	switch {
	case len(hand) >= 3 && hand[0] == hand[2], len(hand) == 4 && hand[0] == hand[1] && hand[2] == hand[3]:
		return true
	}
	return len(hand) >= 2 && hand[0] == hand[1] && strings.IndexByte(ranks, hand[0]) <= strings.IndexByte(ranks, 'J')
}
