package bulletin

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/pakli/pakli/protocol/wire"
)

// Decision is a decision of somebody entitled (10.12). Decisions are one chain: each names the
// previous one as its parent, and the first names the event.
type Decision struct {
	Format string          `json:"pakli"`
	Event  wire.Hash       `json:"event"`
	Parent wire.Hash       `json:"parent"`
	By     string          `json:"by"`
	Kind   DecisionKind    `json:"kind"`
	Body   json.RawMessage `json:"body"`
}

// DecisionKind names what is decided. Each kind has one type of body.
type DecisionKind string

// Kinds of decisions.
const (
	DecideRoster   DecisionKind = "roster"   // RosterBody
	DecidePlan     DecisionKind = "plan"     // PlanBody
	DecideGroups   DecisionKind = "groups"   // GroupsBody
	DecideDraw     DecisionKind = "draw"     // DrawBody
	DecideRound    DecisionKind = "round"    // SeatingBody
	DecideRuling   DecisionKind = "ruling"   // RulingBody
	DecideArbiters DecisionKind = "arbiters" // ArbitersBody
	DecideRemark   DecisionKind = "remark"   // RemarkBody
	DecideCancel   DecisionKind = "cancel"   // RemarkBody
	DecideFinal    DecisionKind = "final"    // FinalBody
)

// RosterBody says which registrations below an index of the log the event accepts, and which it
// refuses.
type RosterBody struct {
	Upto   uint64           `json:"upto"`
	Accept []AcceptedNotice `json:"accept"`
	Refuse []RefusedNotice  `json:"refuse"`
}

// AcceptedNotice gives a registration a number: [number, notice].
type AcceptedNotice struct {
	Number int
	Notice wire.Hash
}

// RefusedNotice says why a registration is refused: [notice, reason].
type RefusedNotice struct {
	Notice wire.Hash
	Reason wire.Text
}

// MarshalJSON writes a pair.
func (a AcceptedNotice) MarshalJSON() ([]byte, error) {
	return wire.EncodeBody([]any{a.Number, a.Notice})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (a *AcceptedNotice) UnmarshalJSON(raw []byte) error { return readPair(raw, &a.Number, &a.Notice) }

// MarshalJSON writes a pair.
func (r RefusedNotice) MarshalJSON() ([]byte, error) {
	return wire.EncodeBody([]any{r.Notice, r.Reason})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (r *RefusedNotice) UnmarshalJSON(raw []byte) error { return readPair(raw, &r.Notice, &r.Reason) }

func readPair(raw []byte, first, second any) error {
	var two []json.RawMessage
	if err := json.Unmarshal(raw, &two); err != nil || len(two) != 2 {
		return errors.New("a pair has two values")
	}
	return cmp.Or(json.Unmarshal(two[0], first), json.Unmarshal(two[1], second))
}

// PlanBody is a part of the published plan: places of the draw at the tables of a round.
type PlanBody struct {
	Round  int     `json:"round"`
	Part   int     `json:"part"`
	Parts  int     `json:"parts"`
	Tables [][]int `json:"tables"`
}

// GroupsBody names all groups of players to be kept apart from now on, such as families and pairs.
type GroupsBody struct {
	Groups [][]int `json:"groups"`
}

// DrawBody names the table of a round's draw, or opens the organiser's secret for the round.
type DrawBody struct {
	Table  string `json:"table"`
	Secret []byte `json:"secret"`
}

// SeatingBody is a part of the seating of a round: the numbers of the players at each table, in the
// order of their seats, and the players with a bye. It rests on what the log has below Upto, where
// the draw of the round begins.
type SeatingBody struct {
	Round  int     `json:"round"`
	Upto   uint64  `json:"upto"`
	Part   int     `json:"part"`
	Parts  int     `json:"parts"`
	Tables [][]int `json:"tables"`
	Byes   []int   `json:"byes"`
}

// RulingBody is a ruling (55.4).
type RulingBody struct {
	About   RulingSubject  `json:"about"`
	Do      string         `json:"do"`
	Points  []PlayerPoints `json:"points"`
	Instead string         `json:"instead"` // id of the table that counts, or empty
	Grounds []wire.Hash    `json:"grounds"` // hashes of entries
	Reason  wire.Text      `json:"reason"`
}

// RulingSubject says what a ruling is about. Fields that are empty or zero say nothing.
type RulingSubject struct {
	Table  string `json:"table"`
	Deal   int    `json:"deal"`
	Player int    `json:"player"`
	Round  int    `json:"round"`
	Entry  string `json:"entry"`
}

// PlayerPoints gives a player points: [player, points].
type PlayerPoints struct {
	Player, Points int
}

// MarshalJSON writes a pair.
func (p PlayerPoints) MarshalJSON() ([]byte, error) {
	return wire.EncodeBody([]int{p.Player, p.Points})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (p *PlayerPoints) UnmarshalJSON(raw []byte) error { return readPair(raw, &p.Player, &p.Points) }

// What a ruling does.
const (
	RuleAdjust     = "adjust"
	RulePenalty    = "penalty"
	RuleDisqualify = "disqualify"
	RuleReplay     = "replay"
	RuleSubstitute = "substitute"
	RuleCorrect    = "correct"
	RuleStands     = "stands"
	RuleUphold     = "uphold"
	RuleOverturn   = "overturn"
)

// ArbitersBody replaces those who may rule and those who decide appeals.
type ArbitersBody struct {
	Arbiters []string `json:"arbiters"`
	Jury     []string `json:"jury"`
}

// RemarkBody is text for people: a remark, or why the event is cancelled.
type RemarkBody struct {
	Text wire.Text `json:"text"`
}

// FinalBody publishes standings by their hash (56.6). They rest on what the log has below Upto.
type FinalBody struct {
	Upto      uint64 `json:"upto"`
	Standings string `json:"standings"`
}

func (d *Decision) checkForm() error {
	if _, err := wire.ParseVerifier(d.By); err != nil {
		return err
	}
	_, err := d.ReadBody()
	return err
}

// ReadBody returns the body as a pointer to the type of its kind.
func (d *Decision) ReadBody() (any, error) {
	var body form
	switch d.Kind {
	case DecideRoster:
		body = new(RosterBody)
	case DecidePlan:
		body = new(PlanBody)
	case DecideGroups:
		body = new(GroupsBody)
	case DecideDraw:
		body = new(DrawBody)
	case DecideRound:
		body = new(SeatingBody)
	case DecideRuling:
		body = new(RulingBody)
	case DecideArbiters:
		body = new(ArbitersBody)
	case DecideRemark, DecideCancel:
		body = new(RemarkBody)
	case DecideFinal:
		body = new(FinalBody)
	default:
		return nil, fmt.Errorf("%.40q is no kind of decision", d.Kind)
	}
	return body, readBody(d.Body, body)
}

func (b *RosterBody) checkForm() error {
	if b.Accept == nil || b.Refuse == nil || b.Upto > wire.MaxNumber {
		return errors.New("the roster has two lists, and an index")
	}
	for _, a := range b.Accept {
		if a.Number < 1 || a.Number > MaxPlayers {
			return fmt.Errorf("number %d, must be 1 to %d", a.Number, MaxPlayers)
		}
	}
	for _, r := range b.Refuse {
		if err := r.Reason.CheckLength("the reason", wire.MaxReason); err != nil {
			return err
		}
	}
	return nil
}

func (b *PlanBody) checkForm() error {
	return cmp.Or(checkRound(b.Round), checkParts(b.Part, b.Parts), checkTables(b.Tables))
}

func (b *GroupsBody) checkForm() error {
	if b.Groups == nil || len(b.Groups) > MaxGroups {
		return fmt.Errorf("groups must be a list, of at most %d", MaxGroups)
	}
	for _, g := range b.Groups {
		if len(g) < 2 || len(g) > MaxGroups {
			return fmt.Errorf("a group of %d players, must be of 2 to %d", len(g), MaxGroups)
		}
		if err := checkNumbers(g); err != nil {
			return err
		}
		for i, n := range g {
			if slices.Contains(g[:i], n) {
				return fmt.Errorf("a group names number %d twice", n)
			}
		}
	}
	return nil
}

func (b *SeatingBody) checkForm() error {
	if b.Upto > wire.MaxNumber {
		return errors.New("the index is too large")
	}
	return cmp.Or(checkRound(b.Round), checkParts(b.Part, b.Parts), checkTables(b.Tables), checkNumbers(b.Byes))
}

func checkRound(round int) error {
	if round < 1 || round > wire.MaxRound {
		return fmt.Errorf("round %d, must be 1 to %d", round, wire.MaxRound)
	}
	return nil
}

func checkParts(part, parts int) error {
	if part < 1 || part > parts || parts > MaxParts {
		return fmt.Errorf("part %d of %d, there are at most %d", part, parts, MaxParts)
	}
	return nil
}

func checkTables(tables [][]int) error {
	if tables == nil {
		return errors.New("tables must be a list")
	}
	for _, t := range tables {
		if len(t) < wire.MinSeats || len(t) > wire.MaxSeats {
			return fmt.Errorf("a table of %d, must be of %d to %d", len(t), wire.MinSeats, wire.MaxSeats)
		}
		if err := checkNumbers(t); err != nil {
			return err
		}
	}
	return nil
}

func checkNumbers(list []int) error {
	if list == nil {
		return errors.New("numbers must be a list")
	}
	for _, n := range list {
		if n < 1 || n > MaxPlayers {
			return fmt.Errorf("number %d, must be 1 to %d", n, MaxPlayers)
		}
	}
	return nil
}

func (b *DrawBody) checkForm() error {
	if (b.Table == "") == (len(b.Secret) == 0) || b.Secret == nil || len(b.Secret) > wire.MaxName {
		return fmt.Errorf("the draw names a table, or opens a secret of 1 to %d bytes", wire.MaxName)
	}
	return checkHashes(b.Table)
}

func (b *RulingBody) checkForm() error {
	a := b.About
	known := []string{RuleAdjust, RulePenalty, RuleDisqualify, RuleReplay, RuleSubstitute, RuleCorrect, RuleStands, RuleUphold, RuleOverturn}
	switch {
	case !slices.Contains(known, b.Do):
		return fmt.Errorf("%.20q is nothing that a ruling does", b.Do)
	case a.Deal < 0 || a.Deal > wire.MaxDeals || a.Player < 0 || a.Player > MaxPlayers || a.Round < 0 || a.Round > wire.MaxRound:
		return errors.New("a ruling is about a deal, player or round that there cannot be")
	case b.Points == nil || len(b.Points) > MaxPlayers || b.Grounds == nil || len(b.Grounds) > wire.MaxList:
		return fmt.Errorf("points and grounds must be lists, of at most %d and %d", MaxPlayers, wire.MaxList)
	}
	for _, p := range b.Points {
		if p.Player < 1 || p.Player > MaxPlayers || outOfBounds(p.Points) {
			return fmt.Errorf("points [%d,%d] are out of bounds", p.Player, p.Points)
		}
	}
	return cmp.Or(checkHashes(a.Table, a.Entry, b.Instead), b.Reason.CheckLength("the reason", wire.MaxReason))
}

func (b *ArbitersBody) checkForm() error {
	return cmp.Or(wire.CheckVerifiers("arbiters", b.Arbiters, wire.MaxArbiters), wire.CheckVerifiers("jury", b.Jury, wire.MaxArbiters))
}

func (b *RemarkBody) checkForm() error { return b.Text.CheckLength("the text", wire.MaxReason) }

func (b *FinalBody) checkForm() error {
	if _, err := wire.ParseHash(b.Standings); err != nil || b.Upto > wire.MaxNumber {
		return errors.New("what is final names an index and the hash of the standings")
	}
	return nil
}
