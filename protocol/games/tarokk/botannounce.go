package tarokk

import (
	"slices"

	"github.com/pakli/pakli/protocol/card"
)

// What announcements require, in strength and tarokks of the nine cards to play. Strength is higher
// here than in the auction, because the exchange has emptied suits. Most turns should be a pass: three
// of them end the phase.
const (
	trullTarokks   = 5  // with all honours: enough to bring the pagát home
	kingsTarokks   = 9  // all kings that are led fall to them; kings in hand make no difference
	ultimoTarokks  = 8  // with the pagát: the other seven tarokks draw two or three each
	ultimoTops     = 1  // this many of them among the five highest
	doubleTakes    = 40 // nine tarokks, most of them high: it costs four games and earns two more
	volatTakes     = 43 // nine tarokks, nearly all of them the highest
	contraTakes    = 27 // strength of an opponent who could have bid one himself
	rekontraTakes  = 33
	contraTarokks  = 7 // against an ultimó: one of them will last to the last trick
	contraTops     = 2
	perContraLevel = 1 // a higher bid means a better hand
)

var tops = card.SetOf(Skiz, XXI, XX, XIX, XVIII)

// turnMoves are what the bot would say: everything, then less and less of it; and at last what it may
// be obliged to say, in case the pass before is not provable.
func (b bot) turnMoves() []Move {
	contras, figures := b.contraStatements(), b.promisedFigures()
	var says, obliged [][]string
	for _, opening := range b.turnBeginnings() {
		say := func(more ...string) []string { return append(slices.Clip(opening), more...) }
		says = append(says, say(slices.Concat(contras, figures)...), say(figures...), say(contras...), say())
		obliged = append(obliged, say("fig:"+string(Ultimo)))
		for _, contra := range []string{"contra:game", "compulsory:game"} {
			obliged = append(obliged, say(contra), say(contra, countStatement(b.countHeld(Tarokks)))) // a hidden player counts after what shows the side
		}
	}
	told := announcing{b.State}.dueDisclosure(b.p, b.v)
	return movesFrom(slices.Concat(says, obliged), func(m *Move, say []string) { m.Say = &Speech{Turn: say, Discards: told} })
}

// turnBeginnings are the possible beginnings of a turn: with a count, which brings points, or without
// it; then the declarer's call.
func (b bot) turnBeginnings() [][]string {
	counts := [][]string{{}}
	if n := b.countHeld(Tarokks); n >= handSize-1 && b.Deal.Announce.Counts[b.p] == 0 {
		counts = [][]string{{countStatement(n)}, {}}
	}
	if b.p != b.Deal.Outcome.Declarer || b.Deal.Announce.Called != nil {
		return counts
	}
	return withCalls(counts, b.callableTarokks())
}

// callableTarokks are the tarokks to call, best first: the XX, or the highest that the declarer does
// not have; last his own, which would leave him alone.
func (b bot) callableTarokks() []card.Face {
	all := b.Deal.Announce.CallableTarokks(b.Rules)
	slices.Reverse(all)
	own := func(f card.Face) bool { return !b.unseen.Has(f) }
	others := slices.DeleteFunc(slices.Clone(all), own)
	return append(others, slices.DeleteFunc(all, func(f card.Face) bool { return !own(f) })...)
}

// promisedFigures are the figures that the hand can promise by itself, for the bot's side.
func (b bot) promisedFigures() []string {
	tarokks, have := b.countHeld(Tarokks), handStrength(b.hand)
	promises := map[Figure]bool{
		Trull:     b.countHeld(Honours) == 3 && tarokks >= trullTarokks,
		FourKings: tarokks >= kingsTarokks,
		Ultimo:    b.hand.Has(Pagat) && tarokks >= ultimoTarokks && b.countHeld(tops) >= ultimoTops,
		Double:    have >= doubleTakes && have < volatTakes,
		Volat:     have >= volatTakes,
	}
	var list []string
	for _, f := range Figures {
		if promises[f] && !b.isAnnounced(Item{Side: b.ownSide(), Figure: f}) {
			list = append(list, "fig:"+string(f))
		}
	}
	return list
}

func (b bot) isAnnounced(item Item) bool {
	return slices.ContainsFunc(b.Deal.Announce.Items, func(a AnnouncedItem) bool { return a.Item == item })
}

// contraStatements are contra steps on what the other side will probably not make.
func (b bot) contraStatements() []string {
	if b.Deal.Announce.Called == nil {
		return nil
	}
	var list []string
	for _, a := range b.Deal.Announce.Items {
		against := a.Item.Side != b.ownSide()
		switch {
		case against && a.Contra == 0 && b.canStop(a.Item.Figure), !against && a.Contra == 1 && b.canMake(a.Item.Figure):
			list = append(list, "contra:"+a.Item.String())
		}
	}
	return list
}

// canStop reports whether the hand will probably stop a figure of the other side.
func (b bot) canStop(f Figure) bool {
	have, tarokks := handStrength(b.hand), b.countHeld(Tarokks)
	switch f {
	case Ultimo:
		return b.hand.Has(Pagat) || tarokks >= contraTarokks && b.countHeld(tops) >= contraTops
	case Trull, Volat, XXICapture:
		return b.hand.Has(Skiz)
	case GameFigure, Double:
		return have >= contraTakes+perContraLevel*b.Deal.Outcome.Level
	}
	return false
}

// canMake reports whether the hand makes a figure in spite of a contra.
func (b bot) canMake(f Figure) bool {
	switch f {
	case GameFigure:
		return handStrength(b.hand) >= rekontraTakes
	case Trull:
		return b.countHeld(Honours) == 3
	}
	return false
}
