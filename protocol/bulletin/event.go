package bulletin

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/pakli/pakli/protocol/wire"
)

// Event announces a competition of many tables (10.12). It is the event's first entry, signed by
// its organiser. Its hash is the event's id, so every notice and decision is bound to all of it.
type Event struct {
	Format       string            `json:"pakli"`
	Name         wire.Text         `json:"name"`
	Venue        wire.Text         `json:"venue"`
	From         string            `json:"from"` // dates like 2031-05-03, or empty, on the organiser's word
	To           string            `json:"to"`
	Page         wire.Text         `json:"page"`
	Regulations  string            `json:"regulations"` // SHA-256 of a document, or empty
	Game         string            `json:"game"`
	Suite        string            `json:"suite"`
	Options      map[string]string `json:"options"`
	Deals        int               `json:"deals"` // of each table
	Rounds       int               `json:"rounds"`
	Sizes        []int             `json:"sizes"`           // of tables: one, or two, the second for the rest
	Seating      []Seating         `json:"seating"`         // by round
	Window       int               `json:"window"`          // distance of tables within which players are exchanged in rounds by rank
	Apart        bool              `json:"apart,omitempty"` // whether players of one club, and of groups that the organiser names, are kept apart
	Draw         string            `json:"draw"`            // DrawTable or DrawCommit
	Drawers      int               `json:"drawers"`
	Commit       string            `json:"commit"` // hash of the organiser's secrets (56.1.2), or empty
	Score        string            `json:"score"`  // ScoreSum or ScorePlaces
	Places       []int             `json:"places"` // points of the first, second … place at a table
	Bye          Bye               `json:"bye"`
	Ties         []Tie             `json:"ties"`
	Substitute   string            `json:"substitute"` // SubstituteOwn or SubstituteSeat
	Fouls        wire.FoulRule     `json:"fouls"`
	Ends         wire.Ends         `json:"ends"`
	Clock        wire.Clock        `json:"clock"`
	Registration Registration      `json:"registration"`
	Protest      int               `json:"protest"` // seconds to appeal after a ruling
	Arbiters     []string          `json:"arbiters"`
	Jury         []string          `json:"jury"`
	Organiser    string            `json:"organiser"`
	Nonce        []byte            `json:"nonce"`
}

// Registration says who may take part: players with a ticket of the door, if there is one, at most
// Max players, and late entrants in rounds up to Late.
type Registration struct {
	Door string `json:"door"`
	Max  int    `json:"max"`
	Late int    `json:"late"`
}

// Seating says how the players of a round come to tables (56.3).
type Seating string

// Methods of seating.
const (
	SeatByPlan   Seating = "plan"
	SeatAtRandom Seating = "random"
	SeatByRank   Seating = "ranked"
)

// Words of an event.
const (
	DrawTable      = "table"
	DrawCommit     = "commit"
	ScoreSum       = "sum"
	ScorePlaces    = "places"
	SubstituteOwn  = "own"
	SubstituteSeat = "seat"
)

// Tie is a way to rank players with equal sums (56.5).
type Tie string

const (
	TieWon       Tie = "won"
	TieLost      Tie = "lost"
	TieLast      Tie = "last"
	TieBest      Tie = "best"
	TieDirect    Tie = "direct"
	TieOpponents Tie = "opponents"
	TieLot       Tie = "lot"
	TieShared    Tie = "shared"
)

// Bye is the worth of a round without a table: points, or the player's average.
type Bye struct {
	Average bool
	Points  int
}

// MarshalJSON writes the number of points, or "average".
func (b Bye) MarshalJSON() ([]byte, error) {
	if b.Average {
		return []byte(`"average"`), nil
	}
	return []byte(strconv.Itoa(b.Points)), nil
}

// UnmarshalJSON reads what MarshalJSON writes.
func (b *Bye) UnmarshalJSON(raw []byte) (err error) {
	if *b = (Bye{Average: string(raw) == `"average"`}); !b.Average {
		b.Points, err = strconv.Atoi(string(raw))
	}
	return err
}

func (e *Event) checkForm() error {
	return cmp.Or(e.checkAnnouncement(), e.Terms().CheckTerms(), e.checkRounds(), e.checkScores(), e.checkWho())
}

func (e *Event) checkAnnouncement() error {
	if err := cmp.Or(e.Name.CheckLength("the name", wire.MaxText), e.Venue.CheckLength("the venue", wire.MaxText), e.Page.CheckLength("the page", wire.MaxReason)); err != nil {
		return err
	}
	for _, date := range []string{e.From, e.To} {
		if t, err := time.Parse(time.DateOnly, date); date != "" && (err != nil || t.Format(time.DateOnly) != date) {
			return fmt.Errorf("%.20q is no date like 2031-05-03", date)
		}
	}
	switch {
	case e.Format != EventFormat:
		return fmt.Errorf("an event of the format %.40q, want %q", e.Format, EventFormat)
	case e.Ends.SelfRuled:
		return errors.New("ends: the tables of an event are ruled, and cannot be selfruled")
	case e.Name == "":
		return errors.New("the event has no name")
	case len(e.Nonce) != wire.NonceBytes:
		return fmt.Errorf("the nonce has %d bytes, must have %d", len(e.Nonce), wire.NonceBytes)
	}
	return checkHashes(e.Regulations, e.Commit)
}

func checkHashes(list ...string) error {
	for _, s := range list {
		if _, err := wire.ParseHash(s); s != "" && err != nil {
			return err
		}
	}
	return nil
}

// Terms returns the terms that every table of the event takes over.
func (e *Event) Terms() *wire.Genesis {
	return &wire.Genesis{Format: wire.TableFormat2, Game: e.Game, Suite: e.Suite, Options: e.Options, Deals: e.Deals, Fouls: e.Fouls,
		Clock: e.Clock, Ends: e.Ends, Arbiters: e.Arbiters, Names: []wire.Text{}}
}

func (e *Event) checkRounds() error {
	for _, n := range e.Sizes {
		if n < wire.MinSeats || n > wire.MaxSeats {
			return fmt.Errorf("tables of %d seats, must be %d to %d", n, wire.MinSeats, wire.MaxSeats)
		}
	}
	for _, s := range e.Seating {
		if s != SeatByPlan && s != SeatAtRandom && s != SeatByRank {
			return fmt.Errorf("seating %.20q, must be %q, %q or %q", s, SeatByPlan, SeatAtRandom, SeatByRank)
		}
	}
	byTable := e.Draw == DrawTable && e.Drawers >= 1 && e.Drawers < wire.MaxSeats && e.Commit == ""
	byCommit := e.Draw == DrawCommit && e.Drawers == 0 && e.Commit != ""
	switch {
	case e.Rounds < 1 || e.Rounds > wire.MaxRound:
		return fmt.Errorf("%d rounds, must be 1 to %d", e.Rounds, wire.MaxRound)
	case len(e.Sizes) < 1 || len(e.Sizes) > 2 || len(e.Sizes) == 2 && e.Sizes[0] == e.Sizes[1]:
		return errors.New("tables must have one size, or two different ones")
	case len(e.Seating) != e.Rounds:
		return fmt.Errorf("seating of %d rounds, the event has %d", len(e.Seating), e.Rounds)
	case e.Window < 0 || e.Window > MaxPlayers:
		return fmt.Errorf("a window of %d tables, must be 0 to %d", e.Window, MaxPlayers)
	case !byTable && !byCommit:
		return fmt.Errorf("the draw must be %q with 1 to %d drawers and an empty commit, or %q with 0 and a commit", DrawTable, wire.MaxSeats-1, DrawCommit)
	}
	return nil
}

func (e *Event) checkScores() error {
	switch {
	case e.Score != ScoreSum && e.Score != ScorePlaces:
		return fmt.Errorf("score %.20q, must be %q or %q", e.Score, ScoreSum, ScorePlaces)
	case e.Places == nil || (e.Score == ScoreSum) != (len(e.Places) == 0) || len(e.Places) > wire.MaxSeats:
		return fmt.Errorf("points by places go with the score %q, for 1 to %d places", ScorePlaces, wire.MaxSeats)
	case slices.ContainsFunc(append(slices.Clone(e.Places), e.Bye.Points), outOfBounds):
		return fmt.Errorf("points must be from −%d to %d", MaxPoints, MaxPoints)
	case e.Ties == nil || len(e.Ties) > MaxTies:
		return fmt.Errorf("%d ways to break ties, at most %d are allowed", len(e.Ties), MaxTies)
	case e.Substitute != SubstituteOwn && e.Substitute != SubstituteSeat:
		return fmt.Errorf("substitute %.20q, must be %q or %q", e.Substitute, SubstituteOwn, SubstituteSeat)
	case e.Protest < 0 || e.Protest > wire.MaxNumber:
		return fmt.Errorf("%d seconds to protest", e.Protest)
	}
	known := []Tie{TieWon, TieLost, TieLast, TieBest, TieDirect, TieOpponents, TieLot, TieShared}
	for i, t := range e.Ties {
		if !slices.Contains(known, t) || slices.Contains(e.Ties[:i], t) {
			return fmt.Errorf("ties: %.20q is not known, or stands there twice", t)
		}
	}
	return nil
}

func outOfBounds(points int) bool { return points < -MaxPoints || points > MaxPoints }

func (e *Event) checkWho() error {
	r := e.Registration
	switch {
	case r.Max < 1 || r.Max > MaxPlayers:
		return fmt.Errorf("at most %d players: must be 1 to %d", r.Max, MaxPlayers)
	case r.Late < 0 || r.Late > e.Rounds:
		return fmt.Errorf("late entrants up to round %d, and there are %d", r.Late, e.Rounds)
	}
	if r.Door != "" {
		if _, err := wire.ParseVerifier(r.Door); err != nil {
			return fmt.Errorf("door: %w", err)
		}
	}
	if _, err := wire.ParseVerifier(e.Organiser); err != nil {
		return fmt.Errorf("organiser: %w", err)
	}
	return wire.CheckVerifiers("jury", e.Jury, wire.MaxArbiters)
}
