package fivecarddraw_test

import (
	"slices"
)

// heap is a pot: its chips, and who may claim them.
type heap struct {
	chips     int
	claimants []int
}

// uncalledChips are the chips that nobody called, by seat (FD-R-50): they are taken off the highest
// heap as long as it alone is the highest.
func uncalledChips(paid []int) []int {
	back := make([]int, len(paid))
	for {
		top, second := -1, 0
		for s, n := range paid {
			if top < 0 || n-back[s] > paid[top]-back[top] {
				top = s
			}
		}
		for s, n := range paid {
			if s != top {
				second = max(second, n-back[s])
			}
		}
		if paid[top]-back[top] <= second {
			return back
		}
		back[top]++
	}
}

// heaps divides the chips of a deal, one of each seat at a time (FD-R-51). Chips that were in the
// middle before go to the first heap.
func heaps(paid []int, live []bool, before int) (list []heap) {
	for level := 1; ; level++ {
		chips, claimants := 0, []int(nil)
		for s, n := range paid {
			if n >= level {
				chips++
				if live[s] {
					claimants = append(claimants, s)
				}
			}
		}
		if chips == 0 {
			break
		}
		if n := len(list); n > 0 && (slices.Equal(list[n-1].claimants, claimants) || claimants == nil) {
			list[n-1].chips += chips
			continue
		}
		list = append(list, heap{chips, claimants})
	}
	if len(list) == 0 {
		var all []int
		for s, l := range live {
			if l {
				all = append(all, s)
			}
		}
		list = []heap{{0, all}}
	}
	list[0].chips += before
	return list
}

// share divides chips: one to each winner in turn, from the left of the dealer (FD-R-52).
func share(chips int, winners []int, dealer, n int) []int {
	got := make([]int, n)
	order := seatsLeftOf(dealer, n, func(s int) bool { return slices.Contains(winners, s) })
	if each := chips / len(order); each > 0 { // a million chips are not counted one by one
		for _, s := range order {
			got[s] = each
		}
		chips -= each * len(order)
	}
	for i := range chips {
		got[order[i]]++
	}
	return got
}

// leaving is how a seat left the table: in which deal and with how many chips, or at the end.
type leaving struct {
	deal, chips, dealer int
	end                 bool
}

// placePayout are the results of payout=places (FD-R-55): a seat shares the prizes of as many places as
// there are seats equal to it, after as many places as there are better seats.
func placePayout(out []leaving, stack int, prizes []int) []int {
	n, pool := len(out), len(out)*stack
	money := make([]int, n)
	rest := pool
	for p, percent := range prizes {
		money[p] = pool * percent / 100
		rest -= money[p]
	}
	money[0] += rest
	better := func(a, b leaving) bool {
		switch {
		case a.end != b.end:
			return a.end
		case !a.end && a.deal != b.deal:
			return a.deal > b.deal
		}
		return a.chips > b.chips
	}
	result := make([]int, n)
	for s, l := range out {
		first := 0
		var equals []int
		for x, o := range out {
			if better(o, l) {
				first++
			}
			if !better(o, l) && !better(l, o) {
				equals = append(equals, x)
			}
		}
		sum := 0
		for _, m := range money[first : first+len(equals)] {
			sum += m
		}
		result[s] = share(sum, equals, l.dealer, n)[s] - stack
	}
	return result
}
