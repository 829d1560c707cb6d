package wire

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"golang.org/x/mod/sumdb/note"
)

// Event announces a competition of many tables (10.12): its first entry, signed by its
// organiser. Its hash is the event's id, so that every notice and decision is bound to all
// of it.
type Event struct {
	Format       string            `json:"pakli"`
	Name         Text              `json:"name"`
	Venue        Text              `json:"venue"`
	From         string            `json:"from"` // dates, 2031-05-03 or empty: the organiser's word
	To           string            `json:"to"`
	Page         Text              `json:"page"`
	Regulations  string            `json:"regulations"` // SHA-256 of a document, or empty
	Game         string            `json:"game"`
	Suite        string            `json:"suite"`
	Options      map[string]string `json:"options"`
	Deals        int               `json:"deals"` // of each table
	Rounds       int               `json:"rounds"`
	Sizes        []int             `json:"sizes"`   // of tables: one, or two of which the second takes the rest
	Seating      []Seating         `json:"seating"` // by round
	Window       int               `json:"window"`  // tables within which ranked players are exchanged
	Draw         string            `json:"draw"`    // DrawTable or DrawCommit
	Drawers      int               `json:"drawers"`
	Commit       string            `json:"commit"` // what the organiser's secrets hash to (56.1.2), or empty
	Score        string            `json:"score"`  // ScoreSum or ScorePlaces
	Places       []int             `json:"places"` // points of the first, second … at a table
	Bye          Bye               `json:"bye"`
	Ties         []Tie             `json:"ties"`
	Substitute   string            `json:"substitute"` // SubstituteOwn or SubstituteSeat
	Fouls        FoulRule          `json:"fouls"`
	Ends         Ends              `json:"ends"`
	Clock        Clock             `json:"clock"`
	Registration Registration      `json:"registration"`
	Protest      int               `json:"protest"` // seconds after a ruling
	Arbiters     []string          `json:"arbiters"`
	Jury         []string          `json:"jury"`
	Organiser    string            `json:"organiser"`
	Nonce        []byte            `json:"nonce"`
}

// Registration says who may take part: with the ticket of a door, if there is one; at
// most Max players; and late entrants before a round up to Late.
type Registration struct {
	Door string `json:"door"`
	Max  int    `json:"max"`
	Late int    `json:"late"`
}

// Seating is how the players of a round come to tables (56.3).
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

// Tie is how players of one sum are ranked (56.5).
type Tie string

// Ties.
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

// Bye is what a round without a table is worth: points, or the player's average.
type Bye struct {
	Average bool
	Points  int
}

// MarshalJSON writes the number, or "average".
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

const (
	eventPrefix    = `{"pakli":"` + EventFormat + `",`
	noticePrefix   = `{"pakli":"` + NoticeFormat + `","event":"`
	decisionPrefix = `{"pakli":"` + DecisionFormat + `","event":"`
)

// BeginsEvent reports whether an entry begins like one that announces an event.
func BeginsEvent(entry []byte) bool { return bytes.HasPrefix(entry, []byte(eventPrefix)) }

// EventNamed returns the event that a notice or decision names, and false if the bytes do
// not begin like one. It says nothing about the rest of them.
func EventNamed(entry []byte) (Hash, bool) {
	rest, ok := bytes.CutPrefix(entry, []byte(noticePrefix))
	if !ok {
		rest, ok = bytes.CutPrefix(entry, []byte(decisionPrefix))
	}
	if !ok || len(rest) < 2*len(Hash{}) {
		return Hash{}, false
	}
	id, err := ParseHash(string(rest[:2*len(Hash{})]))
	return id, err == nil
}

func parseEvent(text []byte) (*Event, error) {
	e := new(Event)
	if err := decodeCanonical(text, e); err != nil {
		return nil, err
	}
	return e, e.checkForm()
}

func (e *Event) checkForm() error {
	return cmp.Or(e.checkAnnouncement(), e.checkTerms(), e.checkRounds(), e.checkScores(), e.checkWho())
}

func (e *Event) checkAnnouncement() error {
	if err := cmp.Or(checkText("the name", e.Name, MaxText), checkText("the venue", e.Venue, MaxText), checkText("the page", e.Page, MaxReason)); err != nil {
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
	case e.Name == "":
		return errors.New("the event has no name")
	case len(e.Nonce) != NonceBytes:
		return fmt.Errorf("the nonce has %d bytes, must have %d", len(e.Nonce), NonceBytes)
	}
	return checkHashes(e.Regulations, e.Commit)
}

func checkHashes(list ...string) error {
	for _, s := range list {
		if _, err := ParseHash(s); s != "" && err != nil {
			return err
		}
	}
	return nil
}

// checkTerms checks what every table of the event takes over.
func (e *Event) checkTerms() error {
	switch {
	case e.Game == "" || len(e.Game) > MaxOption:
		return fmt.Errorf("the name of the game has %d bytes, must have 1 to %d", len(e.Game), MaxOption)
	case e.Suite == "" || len(e.Suite) > MaxOption:
		return fmt.Errorf("the name of the suite has %d bytes, must have 1 to %d", len(e.Suite), MaxOption)
	case e.Deals < 1 || e.Deals > MaxDeals:
		return fmt.Errorf("%d deals, must be 1 to %d", e.Deals, MaxDeals)
	case e.Fouls != RefuseFouls && e.Fouls != RecordFouls && e.Fouls != WarnFouls:
		return fmt.Errorf("fouls: %.20q, must be %q, %q or %q", e.Fouls, RefuseFouls, RecordFouls, WarnFouls)
	}
	return cmp.Or(checkOptions(e.Options), e.Ends.checkForm(), e.Clock.checkForm())
}

func (e *Event) checkRounds() error {
	for _, n := range e.Sizes {
		if n < MinSeats || n > MaxSeats {
			return fmt.Errorf("tables of %d seats, must be %d to %d", n, MinSeats, MaxSeats)
		}
	}
	for _, s := range e.Seating {
		if s != SeatByPlan && s != SeatAtRandom && s != SeatByRank {
			return fmt.Errorf("seating %.20q, must be %q, %q or %q", s, SeatByPlan, SeatAtRandom, SeatByRank)
		}
	}
	byTable := e.Draw == DrawTable && e.Drawers >= 1 && e.Drawers < MaxSeats && e.Commit == ""
	byCommit := e.Draw == DrawCommit && e.Drawers == 0 && e.Commit != ""
	switch {
	case e.Rounds < 1 || e.Rounds > MaxRound:
		return fmt.Errorf("%d rounds, must be 1 to %d", e.Rounds, MaxRound)
	case len(e.Sizes) < 1 || len(e.Sizes) > 2 || len(e.Sizes) == 2 && e.Sizes[0] == e.Sizes[1]:
		return errors.New("tables must have one size, or two different ones")
	case len(e.Seating) != e.Rounds:
		return fmt.Errorf("seating of %d rounds, the event has %d", len(e.Seating), e.Rounds)
	case e.Window < 0 || e.Window > MaxPlayers:
		return fmt.Errorf("a window of %d tables, must be 0 to %d", e.Window, MaxPlayers)
	case !byTable && !byCommit:
		return fmt.Errorf("the draw must be %q with 1 to %d drawers and an empty commit, or %q with 0 and a commit", DrawTable, MaxSeats-1, DrawCommit)
	}
	return nil
}

func (e *Event) checkScores() error {
	switch {
	case e.Score != ScoreSum && e.Score != ScorePlaces:
		return fmt.Errorf("score %.20q, must be %q or %q", e.Score, ScoreSum, ScorePlaces)
	case e.Places == nil || (e.Score == ScoreSum) != (len(e.Places) == 0) || len(e.Places) > MaxSeats:
		return fmt.Errorf("points by places go with the score %q, for 1 to %d places", ScorePlaces, MaxSeats)
	case slices.ContainsFunc(append(slices.Clone(e.Places), e.Bye.Points), outOfBounds):
		return fmt.Errorf("points must be from −%d to %d", MaxPoints, MaxPoints)
	case e.Ties == nil || len(e.Ties) > MaxTies:
		return fmt.Errorf("%d ways to break ties, at most %d are allowed", len(e.Ties), MaxTies)
	case e.Substitute != SubstituteOwn && e.Substitute != SubstituteSeat:
		return fmt.Errorf("substitute %.20q, must be %q or %q", e.Substitute, SubstituteOwn, SubstituteSeat)
	case e.Protest < 0 || e.Protest > MaxNumber:
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
		if _, err := parseVerifier(r.Door); err != nil {
			return fmt.Errorf("door: %w", err)
		}
	}
	if _, err := parseVerifier(e.Organiser); err != nil {
		return fmt.Errorf("organiser: %w", err)
	}
	return cmp.Or(checkOfficials("arbiters", e.Arbiters), checkOfficials("jury", e.Jury))
}

// checkOfficials checks a list of keys of people who may decide.
func checkOfficials(what string, list []string) error {
	return checkDistinct(what, list, MaxArbiters, func(vkey string) error {
		_, err := parseVerifier(vkey)
		return err
	})
}

// Notice is what a player tells an event (10.12). Notices are not chained: the log alone
// puts them in order.
type Notice struct {
	Format string          `json:"pakli"`
	Event  Hash            `json:"event"`
	Seen   Hash            `json:"seen"` // the last decision that the player saw, or the event
	By     string          `json:"by"`
	Kind   NoticeKind      `json:"kind"`
	Body   json.RawMessage `json:"body"`
}

// NoticeKind names what a notice says. Each kind has one type of body.
type NoticeKind string

// Kinds of notices.
const (
	Register NoticeKind = "register" // RegisterBody
	Withdraw NoticeKind = "withdraw" // RoundBody: from this round on
	Skip     NoticeKind = "skip"     // RoundBody: this round alone
	Appeal   NoticeKind = "appeal"   // AppealBody
	Call     NoticeKind = "call"     // CallBody
)

// RegisterBody asks for a place in the event.
type RegisterBody struct {
	Name   Text   `json:"name"`
	Club   Text   `json:"club"`
	Draw   bool   `json:"draw"`   // will sit at the draw
	Ticket string `json:"ticket"` // the door's signature over the key, in base64, or empty
}

// RoundBody names a round.
type RoundBody struct {
	Round int `json:"round"`
}

// AppealBody asks the jury for another ruling.
type AppealBody struct {
	Ruling Hash `json:"ruling"`
	Reason Text `json:"reason"`
}

// CallBody asks an arbiter to a table.
type CallBody struct {
	Table  Hash `json:"table"`
	Reason Text `json:"reason"`
}

// Decision is what somebody entitled decides (10.12). Decisions are one chain: each names
// the one before as its parent, the first the event.
type Decision struct {
	Format string          `json:"pakli"`
	Event  Hash            `json:"event"`
	Parent Hash            `json:"parent"`
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
	DecideDraw     DecisionKind = "draw"     // DrawBody
	DecideRound    DecisionKind = "round"    // SeatingBody
	DecideRuling   DecisionKind = "ruling"   // RulingBody
	DecideArbiters DecisionKind = "arbiters" // ArbitersBody
	DecideRemark   DecisionKind = "remark"   // RemarkBody
	DecideCancel   DecisionKind = "cancel"   // RemarkBody
	DecideFinal    DecisionKind = "final"    // FinalBody
)

// RosterBody says whom of those who registered below an index of the log the event takes,
// and whom not.
type RosterBody struct {
	Upto   uint64           `json:"upto"`
	Accept []AcceptedNotice `json:"accept"`
	Refuse []RefusedNotice  `json:"refuse"`
}

// AcceptedNotice gives who registered a number: [number, notice].
type AcceptedNotice struct {
	Number int
	Notice Hash
}

// RefusedNotice says why a notice was not accepted: [notice, reason].
type RefusedNotice struct {
	Notice Hash
	Reason Text
}

// MarshalJSON writes a pair.
func (a AcceptedNotice) MarshalJSON() ([]byte, error) {
	return encodeCanonical([]any{a.Number, a.Notice})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (a *AcceptedNotice) UnmarshalJSON(raw []byte) error { return readPair(raw, &a.Number, &a.Notice) }

// MarshalJSON writes a pair.
func (r RefusedNotice) MarshalJSON() ([]byte, error) {
	return encodeCanonical([]any{r.Notice, r.Reason})
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

// DrawBody names the draw of a round, or opens the organiser's secret of one.
type DrawBody struct {
	Table  string `json:"table"`
	Secret []byte `json:"secret"`
}

// SeatingBody is a part of the seating of a round: the numbers of the players at each
// table, in the order of their seats, and who has a bye. It rests on what the log has below an index,
// that where the draw of the round begins.
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
	Instead string         `json:"instead"` // the table that counts, or empty
	Grounds []Hash         `json:"grounds"` // entries
	Reason  Text           `json:"reason"`
}

// RulingSubject says what a ruling is about. Empty and zero: not that.
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
	return encodeCanonical([]int{p.Player, p.Points})
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

// ArbitersBody replaces who may rule, and who decides appeals.
type ArbitersBody struct {
	Arbiters []string `json:"arbiters"`
	Jury     []string `json:"jury"`
}

// RemarkBody is text for people: a remark, or why the event is cancelled.
type RemarkBody struct {
	Text Text `json:"text"`
}

// FinalBody publishes standings by their hash (56.6). They rest on what the log has below
// an index.
type FinalBody struct {
	Upto      uint64 `json:"upto"`
	Standings string `json:"standings"`
}

func parseNotice(text []byte) (*Notice, error) {
	n := new(Notice)
	if err := decodeCanonical(text, n); err != nil {
		return nil, err
	}
	if _, err := parseVerifier(n.By); err != nil {
		return nil, err
	}
	_, err := n.ReadBody()
	return n, err
}

// ReadBody returns the body: a pointer to the type of its kind.
func (n *Notice) ReadBody() (any, error) {
	var body boundedBody
	switch n.Kind {
	case Register:
		body = new(RegisterBody)
	case Withdraw, Skip:
		body = new(RoundBody)
	case Appeal:
		body = new(AppealBody)
	case Call:
		body = new(CallBody)
	default:
		return nil, fmt.Errorf("%.40q is no kind of notice", n.Kind)
	}
	return body, readBody(n.Body, body)
}

func parseDecision(text []byte) (*Decision, error) {
	d := new(Decision)
	if err := decodeCanonical(text, d); err != nil {
		return nil, err
	}
	if _, err := parseVerifier(d.By); err != nil {
		return nil, err
	}
	_, err := d.ReadBody()
	return d, err
}

// ReadBody returns the body: a pointer to the type of its kind.
func (d *Decision) ReadBody() (any, error) {
	var body boundedBody
	switch d.Kind {
	case DecideRoster:
		body = new(RosterBody)
	case DecidePlan:
		body = new(PlanBody)
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

// boundedBody is a body that knows its bounds.
type boundedBody interface{ checkForm() error }

func readBody(raw json.RawMessage, into boundedBody) error {
	if err := decodeCanonical(raw, into); err != nil {
		return fmt.Errorf("body: %w", err)
	}
	return into.checkForm()
}

func (b *RegisterBody) checkForm() error {
	if b.Ticket != "" {
		if _, err := binaryOf(b.Ticket, ticketBytes); err != nil {
			return fmt.Errorf("ticket: %w", err)
		}
	}
	if b.Name == "" {
		return errors.New("who registers has a name")
	}
	return cmp.Or(checkText("the name", b.Name, MaxText), checkText("the club", b.Club, MaxText))
}

func (b *RoundBody) checkForm() error { return checkRound(b.Round) }

func (b *AppealBody) checkForm() error { return checkText("the reason", b.Reason, MaxReason) }

func (b *CallBody) checkForm() error { return checkText("the reason", b.Reason, MaxReason) }

func (b *RosterBody) checkForm() error {
	if b.Accept == nil || b.Refuse == nil || b.Upto > MaxNumber {
		return errors.New("the roster has two lists, and an index")
	}
	for _, a := range b.Accept {
		if a.Number < 1 || a.Number > MaxPlayers {
			return fmt.Errorf("number %d, must be 1 to %d", a.Number, MaxPlayers)
		}
	}
	for _, r := range b.Refuse {
		if err := checkText("the reason", r.Reason, MaxReason); err != nil {
			return err
		}
	}
	return nil
}

func (b *PlanBody) checkForm() error {
	return cmp.Or(checkRound(b.Round), checkParts(b.Part, b.Parts), checkTables(b.Tables))
}

func (b *SeatingBody) checkForm() error {
	if b.Upto > MaxNumber {
		return errors.New("the index is too large")
	}
	return cmp.Or(checkRound(b.Round), checkParts(b.Part, b.Parts), checkTables(b.Tables), checkNumbers(b.Byes))
}

func checkRound(round int) error {
	if round < 1 || round > MaxRound {
		return fmt.Errorf("round %d, must be 1 to %d", round, MaxRound)
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
		if len(t) < MinSeats || len(t) > MaxSeats {
			return fmt.Errorf("a table of %d, must be of %d to %d", len(t), MinSeats, MaxSeats)
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
	if (b.Table == "") == (len(b.Secret) == 0) || b.Secret == nil || len(b.Secret) > MaxName {
		return fmt.Errorf("the draw names a table, or opens a secret of 1 to %d bytes", MaxName)
	}
	return checkHashes(b.Table)
}

func (b *RulingBody) checkForm() error {
	a := b.About
	known := []string{RuleAdjust, RulePenalty, RuleDisqualify, RuleReplay, RuleSubstitute, RuleCorrect, RuleStands, RuleUphold, RuleOverturn}
	switch {
	case !slices.Contains(known, b.Do):
		return fmt.Errorf("%.20q is nothing that a ruling does", b.Do)
	case a.Deal < 0 || a.Deal > MaxDeals || a.Player < 0 || a.Player > MaxPlayers || a.Round < 0 || a.Round > MaxRound:
		return errors.New("a ruling is about a deal, player or round that there cannot be")
	case b.Points == nil || len(b.Points) > MaxPlayers || b.Grounds == nil || len(b.Grounds) > MaxList:
		return fmt.Errorf("points and grounds must be lists, of at most %d and %d", MaxPlayers, MaxList)
	}
	for _, p := range b.Points {
		if p.Player < 1 || p.Player > MaxPlayers || outOfBounds(p.Points) {
			return fmt.Errorf("points [%d,%d] are out of bounds", p.Player, p.Points)
		}
	}
	return cmp.Or(checkHashes(a.Table, a.Entry, b.Instead), checkText("the reason", b.Reason, MaxReason))
}

func (b *ArbitersBody) checkForm() error {
	return cmp.Or(checkOfficials("arbiters", b.Arbiters), checkOfficials("jury", b.Jury))
}

func (b *RemarkBody) checkForm() error { return checkText("the text", b.Text, MaxReason) }

func (b *FinalBody) checkForm() error {
	if _, err := ParseHash(b.Standings); err != nil || b.Upto > MaxNumber {
		return errors.New("what is final names an index and the hash of the standings")
	}
	return nil
}

// ParseEvent reads an entry that announces an event, signed by the organiser whom it
// names. Anybody can write one that is not: that is no event.
func ParseEvent(entry []byte) (*Entry, error) {
	if !BeginsEvent(entry) {
		return nil, errNoEvent
	}
	e, err := ParseEntry(entry)
	if err == nil {
		err = e.VerifySelf()
	}
	if err != nil {
		return nil, err
	}
	return e, nil
}

var errNoEvent = errors.New("the entry announces no event")

// VerifySelf is Verify of an event, a notice or a decision by the key that it names itself.
func (e *Entry) VerifySelf() error {
	var by string
	switch {
	case e.Event != nil:
		by = e.Event.Organiser
	case e.Notice != nil:
		by = e.Notice.By
	case e.Decision != nil:
		by = e.Decision.By
	default:
		return errNoEvent
	}
	v, err := parseVerifier(by)
	if err != nil {
		return err
	}
	return e.Verify(v)
}

// ticketBytes is a note's 4-byte key hash and an Ed25519 signature.
const ticketBytes = signatureBytes

// TicketText is the text that a door signs for whom it lets in: the signature is of a note.
func TicketText(event Hash, vkey string) string {
	return "pakli-ticket/v1\n" + event.String() + "\n" + vkey + "\n"
}

// SignTicket is the door's signature over the key of who may register.
func SignTicket(event Hash, vkey string, door note.Signer) (string, error) {
	signed, err := note.Sign(&note.Note{Text: TicketText(event, vkey)}, door)
	if err != nil {
		return "", err
	}
	_, line, _ := bytes.Cut(signed, []byte("\n\n"))
	return string(bytes.Fields(line)[2]), nil
}

// CheckTicket reports whether a door let a key in.
func CheckTicket(ticket string, event Hash, vkey, door string) bool {
	v, err := parseVerifier(door)
	if err != nil {
		return false
	}
	s, err := binaryOf(ticket, ticketBytes)
	if err != nil {
		return false
	}
	e := Entry{signed: []byte(TicketText(event, vkey)), signer: v.Name(), signature: s}
	return e.Verify(v) == nil
}
