package skat

// This file is what a game of Skat is worth: matadors, levels, base values, and the score of a game won
// or lost (SK-R-38 to SK-R-54), whether it ended early (SK-R-56 to SK-R-60) or was played out.
//
// It reads no deal: the caller knows the declarer's twelve cards, or the matadors that were proved.
// Scores are the classic ones (SK-R-62), before Kontra, Re and Bock.

import (
	"github.com/pakli/pakli/protocol/card"
)

// Contract is what a declarer plays: his choice and his announcement (SK-R-24, SK-R-27, SK-R-28).
type Contract struct {
	Game   Game `json:"game"`
	Hand   bool `json:"hand"`
	Ann    int  `json:"ann"` // the level announced: Schneider or Schwarz
	Ouvert bool `json:"ouvert"`
}

// Levels that are announced, claimed, or reached.
const (
	Normal    = 0
	Schneider = 1
	Schwarz   = 2
)

// Matadors are the unbroken run of trumps, from the jack of clubs down, that a declarer has or lacks
// (SK-R-38). Null has none: N is 0.
type Matadors struct {
	With bool `json:"with"`
	N    int  `json:"n"`
}

// CountMatadors counts the matadors of twelve cards.
func CountMatadors(g Game, twelve card.Set) Matadors {
	trumps := g.Trumps()
	if len(trumps) == 0 {
		return Matadors{}
	}
	m := Matadors{With: twelve.Has(trumps[0])}
	for m.N < len(trumps) && twelve.Has(trumps[m.N]) == m.With {
		m.N++
	}
	return m
}

// Level is one of the levels that count one each (SK-R-40).
type Level string

// The levels, in the order in which they are counted out.
const (
	GameLevel          Level = "game"
	HandLevel          Level = "hand"
	SchneiderLevel     Level = "schneider"
	SchneiderAnnounced Level = "schneider announced"
	SchwarzLevel       Level = "schwarz"
	SchwarzAnnounced   Level = "schwarz announced"
	OuvertLevel        Level = "ouvert"
)

// GameResult is the result of a game.
type GameResult struct {
	Matadors Matadors `json:"matadors"`
	Levels   []Level  `json:"levels"` // empty for null
	Reached  int      `json:"reached"`
	Value    int      `json:"value"` // what the game counts: Reached, or more if the bid was higher (SK-R-53)
	Overbid  bool     `json:"overbid"`
	Won      bool     `json:"won"`
	Score    int      `json:"score"`
}

// nulls are the values of null, by hand and ouvert (SK-R-48).
var nulls = map[Contract]int{
	{Game: Null}:                           23,
	{Game: Null, Hand: true}:               35,
	{Game: Null, Ouvert: true}:             46,
	{Game: Null, Hand: true, Ouvert: true}: 59,
}

// OfNull is the fixed value of a null.
func (c Contract) OfNull() int { return nulls[c] }

// gameResult is the result of a game with these levels: won if it was made and its value reaches the
// bid (SK-R-47, SK-R-52, SK-R-53).
func (c Contract) gameResult(bid int, m Matadors, reached int, made bool) GameResult {
	levels := c.levels(reached)
	base := c.Game.Base()
	r := GameResult{Matadors: m, Levels: levels, Reached: base * (m.N + len(levels))}
	r.Overbid = r.Reached < bid
	r.Won = made && !r.Overbid
	r.Value, r.Score = r.Reached, r.Reached
	if !r.Won {
		r.Value = max(r.Reached, (bid+base-1)/base*base)
		r.Score = -2 * r.Value
	}
	return r
}

// levels are the levels of a game in which Schneider or Schwarz was reached, by either side, or claimed
// (SK-R-40 to SK-R-45).
func (c Contract) levels(reached int) []Level {
	list := []Level{GameLevel}
	for _, l := range []struct {
		level  Level
		counts bool
	}{
		{HandLevel, c.Hand},
		{SchneiderLevel, max(reached, c.Ann) >= Schneider},
		{SchneiderAnnounced, c.Ann >= Schneider},
		{SchwarzLevel, max(reached, c.Ann) >= Schwarz},
		{SchwarzAnnounced, c.Ann >= Schwarz},
		{OuvertLevel, c.Ouvert},
	} {
		if l.counts {
			list = append(list, l.level)
		}
	}
	return list
}

// nullResult is the result of a null that was won or lost (SK-R-48, SK-R-50).
func (c Contract) nullResult(won bool) GameResult {
	r := GameResult{Levels: []Level{}, Reached: c.OfNull(), Value: c.OfNull(), Won: won, Score: c.OfNull()}
	if !won {
		r.Score = -2 * r.Value
	}
	return r
}

// PlayedResult is the result of a game that was played out, given the declarer's tricks and points,
// with the skat (SK-R-49, SK-R-50).
func (c Contract) PlayedResult(bid int, m Matadors, points, tricks int) GameResult {
	if c.Game == Null {
		return c.nullResult(tricks == 0)
	}
	reached := Normal
	switch low := min(points, TotalPoints-points); {
	case tricks == 0 || tricks == allTricks:
		reached = Schwarz
	case low <= schneider:
		reached = Schneider
	}
	made := points >= toWin && (c.Ann < Schneider || points >= TotalPoints-schneider) && (c.Ann < Schwarz || tricks == allTricks)
	return c.gameResult(bid, m, reached, made)
}

// Bounds of points and tricks (SK-R-41, SK-R-49, SK-R-51).
const (
	toWin     = 61
	schneider = 30
	allTricks = 10
)

// Defence is what the defenders have taken so far.
type Defence struct {
	Points int
	Tricks int
}

// Excludes reports whether the declarer can no longer reach a level: Normal once the defenders have 60
// points, Schneider above 30, Schwarz after a trick of theirs (SK-R-58, SK-R-59).
func (d Defence) Excludes(level int) bool {
	return d.Points > TotalPoints-toWin || level >= Schneider && d.Points > schneider || level >= Schwarz && d.Tricks > 0
}

// ConcededResult is the result of a game that the declarer gave up: lost at the simple level with what
// was announced; no Schneider of either side is added (SK-R-56).
func (c Contract) ConcededResult(bid int, m Matadors) GameResult {
	if c.Game == Null {
		return c.nullResult(false)
	}
	return c.gameResult(bid, m, Normal, false)
}

// GivenUpResult is the result of a game that the defenders gave up: won at the simple level with what
// was announced, or at the lowest level that reaches the bid, unless that is excluded (SK-R-58).
func (c Contract) GivenUpResult(bid int, m Matadors, d Defence) GameResult {
	if c.Game == Null {
		return c.nullResult(true)
	}
	for level := c.Ann; level <= Schwarz && !d.Excludes(level); level++ {
		if r := c.gameResult(bid, m, level, true); r.Won {
			return r
		}
	}
	return c.gameResult(bid, m, Normal, false)
}

// ClaimedResult is the result of a game in which the defenders accepted a claim at a level that was not
// excluded (SK-R-59, SK-R-60).
func (c Contract) ClaimedResult(bid int, m Matadors, level int) GameResult {
	if c.Game == Null {
		return c.nullResult(true)
	}
	return c.gameResult(bid, m, level, true)
}

// NullOverbidResult is the result of a null announced below the bid, where that loses at once
// (OPT-NULL-OVERBID).
func (c Contract) NullOverbidResult(bid int) GameResult {
	v := bid
	for _, n := range []int{59, 46, 35, 23} {
		if n >= bid {
			v = n
		}
	}
	return GameResult{Levels: []Level{}, Reached: c.OfNull(), Value: v, Overbid: true, Score: -2 * v}
}
