package event

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pakli/pakli/protocol/bulletin"
	"github.com/pakli/pakli/protocol/wire"
)

// History is an event as its entries make it, in the order of the log.
type History struct {
	ID    wire.Hash
	Index uint64 // of the entry that announced it
	Terms *bulletin.Event

	Head      wire.Hash // the last decision, or else the event
	Notices   []*Notice
	Decisions []*Decision
	Void      []Void

	Players  []*Player // on the roster, by number
	Rounds   []*Round  // seated rounds, in order; the last may lack parts
	Rulings  []*Ruling
	Final    *Decision // the decision that published the standings
	Canceled *Decision

	plan     map[int][][]int // by round: numbers of places, by table
	planned  map[int]partCount
	arbiters []string
	jury     []string
	entries  map[wire.Hash]bool
	byNotice map[wire.Hash]*Notice
	byKey    map[string]*Player // by key material
	byNumber map[int]*Player
}

// Notice is a notice that counts.
type Notice struct {
	*bulletin.Notice
	Body   any // of the type of its kind
	Hash   wire.Hash
	Index  uint64
	Answer *Decision // of a registration: the roster that accepted or refused it
	Reason wire.Text // why it was refused

	// why the method refuses it, as of the answer; empty: the method accepts it
	ground string
}

// Decision is a decision that counts.
type Decision struct {
	*bulletin.Decision
	Body  any // of the type of its kind
	Hash  wire.Hash
	Index uint64
}

// Void is an entry of the event without effect.
type Void struct {
	Hash  wire.Hash
	Index uint64
	By    string
	Err   error
}

// Player is a player on the roster.
type Player struct {
	Number int
	Key    string
	Name   wire.Text
	Club   wire.Text
	Draw   bool
	Notice wire.Hash
	Since  uint64 // index of the roster that accepted
	First  int    // the first round in which the player may sit, if accepted before its draw began

	clubKey   string // in an event that keeps clubs apart
	withdrawn []absence
	skips     []absence
}

// hasKey reports whether a key is the player's, under whatever name.
func (p *Player) hasKey(vkey string) bool { return wire.KeyMaterial(p.Key) == wire.KeyMaterial(vkey) }

// absence is a round that a player announced to miss, with the index of the notice.
type absence struct {
	round int
	index uint64
}

// isAway reports whether notices below an index say that the player misses a round.
func (p *Player) isAway(round int, upto uint64) bool {
	return slices.ContainsFunc(p.skips, func(a absence) bool { return a.round == round && a.index < upto }) ||
		slices.ContainsFunc(p.withdrawn, func(a absence) bool { return a.round <= round && a.index < upto })
}

// Round is the seating of a round, with its parts so far.
type Round struct {
	Number int
	Upto   uint64  // index of the entry that began its draw
	Index  uint64  // of the entry with the last part
	Tables [][]int // numbers of players, by seat
	Byes   []int
	last   wire.Hash // the decision with the last part
	partCount
}

// partCount counts the parts that have come, and how many there are to be.
type partCount struct{ came, all int }

// addPart takes the next part. A first part begins anew.
func (p *partCount) addPart(part, all int) error {
	if part != p.came+1 || part > 1 && all != p.all {
		return fmt.Errorf("part %d of %d, after %d of %d", part, all, p.came, p.all)
	}
	p.came, p.all = part, all
	return nil
}

func (p partCount) isComplete() bool { return p.came > 0 && p.came == p.all }

// Ruling is a decision of the arbiters or the jury.
type Ruling struct {
	*Decision
	*bulletin.RulingBody
	Upheld, Overturned uint64 // index of the jury's ruling on it; 0: none
	Appeals            []*Notice
}

// Open begins a history with the entry that announces the event.
func Open(e *bulletin.Entry, index uint64) (*History, error) {
	if e.Event == nil {
		return nil, fmt.Errorf("entry %s announces no event", e.Hash)
	}
	if err := e.VerifySelf(); err != nil {
		return nil, fmt.Errorf("organiser: %w", err)
	}
	return &History{
		ID: e.Hash, Index: index, Terms: e.Event, Head: e.Hash, arbiters: e.Event.Arbiters, jury: e.Event.Jury,
		plan: map[int][][]int{}, planned: map[int]partCount{}, entries: map[wire.Hash]bool{e.Hash: true},
		byNotice: map[wire.Hash]*Notice{}, byKey: map[string]*Player{}, byNumber: map[int]*Player{},
	}, nil
}

// TakeEntry takes the next entry that names the event. An error says why the entry is void; then
// only h.Void and the set of known entries have changed.
func (h *History) TakeEntry(e *bulletin.Entry, index uint64) error {
	commit, err := h.CheckEntry(e, index)
	if err != nil {
		by := ""
		if e.Notice != nil {
			by = e.Notice.By
		} else if e.Decision != nil {
			by = e.Decision.By
		}
		h.Void = append(h.Void, Void{e.Hash, index, by, err})
		h.entries[e.Hash] = true
		return err
	}
	commit(index)
	return nil
}

// PlayerByNumber returns the player with a number, or nil if there is none.
func (h *History) PlayerByNumber(n int) *Player { return h.byNumber[n] }

// PlayerByKey returns the player with a key, or nil if nobody on the roster has it.
func (h *History) PlayerByKey(vkey string) *Player { return h.byKey[wire.KeyMaterial(vkey)] }

// NoticeByHash returns a notice that counts, or nil if there is none.
func (h *History) NoticeByHash(hash wire.Hash) *Notice { return h.byNotice[hash] }

var (
	errOver     = errors.New("the event is over")
	errRepeated = errors.New("the entry was in the log before")
)

// CheckEntry says what would become of an entry at an index of the log or later, and changes
// nothing. An error says why the entry would be void. Otherwise commit takes the entry in at its
// final index; it must not be called after another entry was taken.
func (h *History) CheckEntry(e *bulletin.Entry, at uint64) (commit func(index uint64), err error) {
	switch {
	case h.entries[e.Hash]:
		return nil, errRepeated
	case e.Notice == nil && e.Decision == nil:
		return nil, errors.New("the entry is no notice and no decision")
	case e.Notice != nil && e.Notice.Event != h.ID, e.Decision != nil && e.Decision.Event != h.ID:
		return nil, errors.New("the entry is of another event")
	case h.Final != nil || h.Canceled != nil:
		return nil, errOver
	}
	if err := e.VerifySelf(); err != nil {
		return nil, err
	}
	if e.Notice != nil {
		return h.readNotice(e)
	}
	return h.readDecision(e, at)
}

func (h *History) readNotice(e *bulletin.Entry) (func(uint64), error) {
	body, err := e.Notice.ReadBody()
	if err != nil {
		return nil, err
	}
	if !h.KnowsDecision(e.Notice.Seen) {
		return nil, fmt.Errorf("the decision %s, which the notice names as the last seen, is none of this event", e.Notice.Seen)
	}
	n := &Notice{Notice: e.Notice, Body: body, Hash: e.Hash}
	if err := h.checkNotice(n); err != nil {
		return nil, err
	}
	return func(index uint64) {
		n.Index = index
		h.applyNotice(n)
		h.Notices = append(h.Notices, n)
		h.byNotice[n.Hash], h.entries[n.Hash] = n, true
	}, nil
}

// KnowsDecision reports whether a hash is that of the event or of one of its decisions that count.
func (h *History) KnowsDecision(hash wire.Hash) bool {
	return hash == h.ID || slices.ContainsFunc(h.Decisions, func(d *Decision) bool { return d.Hash == hash })
}

// checkNotice says why a notice is void (55.3.1).
func (h *History) checkNotice(n *Notice) error {
	p := h.PlayerByKey(n.By)
	switch b := n.Body.(type) {
	case *bulletin.RegisterBody:
		if p != nil {
			return fmt.Errorf("this key is on the roster, with the number %d", p.Number)
		}
	case *bulletin.RoundBody:
		if b.Round > h.Terms.Rounds {
			return fmt.Errorf("there is no round %d", b.Round)
		}
		if p == nil && (n.Kind == bulletin.Skip || !h.hasRegistered(n.By)) {
			return errors.New("this key is not registered")
		}
	case *bulletin.AppealBody:
		if p == nil || h.rulingByHash(b.Ruling) == nil {
			return errors.New("an appeal is of a player on the roster, against a ruling of this event")
		}
	case *bulletin.CallBody:
		if p == nil {
			return errors.New("only who is on the roster calls an arbiter")
		}
	}
	return nil
}

func (h *History) applyNotice(n *Notice) {
	p := h.PlayerByKey(n.By)
	switch b := n.Body.(type) {
	case *bulletin.RoundBody:
		switch {
		case p == nil: // counted once the key is accepted
		case n.Kind == bulletin.Withdraw:
			p.withdrawn = append(p.withdrawn, absence{b.Round, n.Index})
		default:
			p.skips = append(p.skips, absence{b.Round, n.Index})
		}
	case *bulletin.AppealBody:
		r := h.rulingByHash(b.Ruling)
		r.Appeals = append(r.Appeals, n)
	}
}

func (h *History) hasRegistered(vkey string) bool {
	return slices.ContainsFunc(h.Notices, func(n *Notice) bool { return n.Kind == bulletin.Register && n.By == vkey })
}

func (h *History) rulingByHash(hash wire.Hash) *Ruling {
	for _, r := range h.Rulings {
		if r.Hash == hash {
			return r
		}
	}
	return nil
}

func (h *History) readDecision(e *bulletin.Entry, at uint64) (func(uint64), error) {
	body, err := e.Decision.ReadBody()
	if err != nil {
		return nil, err
	}
	d := &Decision{Decision: e.Decision, Body: body, Hash: e.Hash, Index: at}
	if d.Parent != h.Head {
		return nil, fmt.Errorf("the decision follows %s, and the last one is %s: another came first", d.Parent, h.Head)
	}
	if err := h.checkEntitled(d); err != nil {
		return nil, err
	}
	effect, err := h.decisionEffect(d)
	if err != nil {
		return nil, err
	}
	return func(index uint64) {
		d.Index = index
		effect()
		h.Decisions = append(h.Decisions, d)
		h.Head, h.entries[d.Hash] = d.Hash, true
	}, nil
}

// checkEntitled says why the signer of a decision may not make it (55.2.3).
func (h *History) checkEntitled(d *Decision) error {
	by := h.Terms.Organiser == d.By
	switch d.Kind {
	case bulletin.DecideRemark:
		by = by || slices.Contains(h.arbiters, d.By) || slices.Contains(h.jury, d.By)
	case bulletin.DecideRuling:
		by = slices.Contains(h.arbiters, d.By)
		if b := d.Body.(*bulletin.RulingBody); b.Do == bulletin.RuleUphold || b.Do == bulletin.RuleOverturn {
			by = slices.Contains(h.jury, d.By)
		}
	}
	if !by {
		name, rest, _ := strings.Cut(d.By, "+")
		return fmt.Errorf("the key %.40s+%.8s is not entitled to decide %q: %s", name, rest, d.Kind, entitledParty(d))
	}
	return nil
}

// entitledParty says whose decision it would be.
func entitledParty(d *Decision) string {
	switch b, _ := d.Body.(*bulletin.RulingBody); {
	case d.Kind == bulletin.DecideRemark:
		return "only the organiser, the arbiters and the jury may"
	case b == nil:
		return "only the organiser may, with the key that announced the event"
	case b.Do == bulletin.RuleUphold || b.Do == bulletin.RuleOverturn:
		return "only the jury may"
	}
	return "only an arbiter may"
}

// arbitersAt returns the event's arbiters at an index.
func (h *History) arbitersAt(index uint64) []string {
	list := h.Terms.Arbiters
	for _, d := range h.Decisions {
		if b, is := d.Body.(*bulletin.ArbitersBody); is && d.Index < index {
			list = b.Arbiters
		}
	}
	return list
}

// MayDecide reports whether a key may sign decisions of any kind now.
func (h *History) MayDecide(vkey string) bool {
	return vkey == h.Terms.Organiser || slices.Contains(h.arbiters, vkey) || slices.Contains(h.jury, vkey)
}

// Officials returns the keys that may rule now, and those that decide on appeals.
func (h *History) Officials() (arbiters, jury []string) {
	return slices.Clone(h.arbiters), slices.Clone(h.jury)
}

// decisionEffect returns the effect of a decision, or says why the decision is void.
func (h *History) decisionEffect(d *Decision) (func(), error) {
	switch b := d.Body.(type) {
	case *bulletin.RosterBody:
		return func() { h.acceptRoster(d, b) }, h.checkRoster(d, b)
	case *bulletin.PlanBody:
		return h.publishPlan(b)
	case *bulletin.GroupsBody:
		return func() {}, h.checkGroups(b)
	case *bulletin.SeatingBody:
		return h.seatRound(d, b)
	case *bulletin.RulingBody:
		return h.applyRuling(d, b)
	case *bulletin.ArbitersBody:
		return func() { h.arbiters, h.jury = b.Arbiters, b.Jury }, nil
	case *bulletin.RemarkBody:
		return func() {
			if d.Kind == bulletin.DecideCancel {
				h.Canceled = d
			}
		}, nil
	case *bulletin.FinalBody:
		if b.Upto > d.Index {
			return nil, errUpto
		}
		return func() { h.Final = d }, nil
	}
	return func() {}, nil // a draw repeats what the tables say
}

var errUpto = errors.New("it rests on entries that come after it")

// checkRoster says why a roster is void. [Judge] finds where a roster departs from 55.3.5.
func (h *History) checkRoster(d *Decision, b *bulletin.RosterBody) error {
	if b.Upto > d.Index {
		return errUpto
	}
	numbers, keys, answered := map[int]bool{}, map[string]bool{}, map[wire.Hash]bool{}
	answer := func(hash wire.Hash) error {
		n := h.byNotice[hash]
		if n == nil || n.Kind != bulletin.Register || n.Answer != nil || answered[hash] {
			return fmt.Errorf("%s is no registration that waits for an answer", hash)
		}
		answered[hash] = true
		return nil
	}
	for _, a := range b.Accept {
		if err := answer(a.Notice); err != nil {
			return err
		}
		key := wire.KeyMaterial(h.byNotice[a.Notice].By)
		if numbers[a.Number] || h.byNumber[a.Number] != nil || keys[key] || h.byKey[key] != nil {
			return fmt.Errorf("number %d, or the key, is on the roster", a.Number)
		}
		numbers[a.Number], keys[key] = true, true
	}
	for _, r := range b.Refuse {
		if err := answer(r.Notice); err != nil {
			return err
		}
	}
	return nil
}

// acceptRoster puts players on the roster and records the refusals.
func (h *History) acceptRoster(d *Decision, b *bulletin.RosterBody) {
	for _, a := range b.Accept {
		h.enterPlayer(a, d)
	}
	for _, r := range b.Refuse {
		n := h.byNotice[r.Notice]
		earlier := 0 // players with earlier notices: nobody else took this one's place
		for _, p := range h.Players {
			if h.byNotice[p.Notice].Index < n.Index {
				earlier++
			}
		}
		n.Answer, n.Reason, n.ground = d, r.Reason, h.refusalGround(n, b.Upto, earlier)
	}
	slices.SortFunc(h.Players, func(a, b *Player) int { return a.Number - b.Number })
}

// refusalGround returns why the method refuses a registration when so many are accepted before it
// (55.3.5); empty if the method accepts it.
func (h *History) refusalGround(n *Notice, upto uint64, accepted int) string {
	r := h.Terms.Registration
	switch {
	case h.hasWithdrawn(n, upto):
		return "withdrawn"
	case h.PlayerByKey(n.By) != nil:
		return "registered before"
	case r.Door != "" && !bulletin.CheckTicket(n.Body.(*bulletin.RegisterBody).Ticket, h.ID, n.By, r.Door):
		return "no ticket"
	case accepted >= r.Max:
		return "full"
	case h.CountSeated() >= max(1, r.Late):
		return "too late"
	}
	return ""
}

// hasWithdrawn reports whether the registrant withdrew after the registration and below an index.
func (h *History) hasWithdrawn(n *Notice, upto uint64) bool {
	return slices.ContainsFunc(h.Notices, func(w *Notice) bool {
		return w.Kind == bulletin.Withdraw && w.By == n.By && w.Index > n.Index && w.Index < upto
	})
}

func (h *History) enterPlayer(a bulletin.AcceptedNotice, d *Decision) {
	n := h.byNotice[a.Notice]
	body := n.Body.(*bulletin.RegisterBody)
	n.Answer = d
	p := &Player{Number: a.Number, Key: n.By, Name: body.Name, Club: body.Club, Draw: body.Draw, Notice: n.Hash, Since: d.Index, First: h.CountSeated() + 1}
	if h.Terms.Apart {
		p.clubKey = clubKey(string(p.Club))
	}
	for _, n := range h.Notices {
		if n.Kind == bulletin.Withdraw && n.By == p.Key {
			p.withdrawn = append(p.withdrawn, absence{n.Body.(*bulletin.RoundBody).Round, n.Index})
		}
	}
	h.Players = append(h.Players, p)
	h.byNumber[p.Number], h.byKey[wire.KeyMaterial(p.Key)] = p, p
}

func (h *History) publishPlan(b *bulletin.PlanBody) (func(), error) {
	if b.Round > h.Terms.Rounds || h.Terms.Seating[b.Round-1] != bulletin.SeatByPlan {
		return nil, fmt.Errorf("round %d is not seated by a plan", b.Round)
	}
	came := h.planned[b.Round]
	if err := came.addPart(b.Part, b.Parts); err != nil {
		return nil, err
	}
	tables := append(slices.Clone(h.plan[b.Round]), b.Tables...)
	return func() { h.planned[b.Round], h.plan[b.Round] = came, tables }, checkSeatedOnce(tables, nil)
}

// checkSeatedOnce refuses seatings in which a number occurs twice.
func checkSeatedOnce(tables [][]int, byes []int) error {
	seen := map[int]bool{}
	for _, list := range append(slices.Clone(tables), byes) {
		for _, n := range list {
			if seen[n] {
				return fmt.Errorf("number %d is seated twice", n)
			}
			seen[n] = true
		}
	}
	return nil
}

func (h *History) seatRound(d *Decision, b *bulletin.SeatingBody) (func(), error) {
	if b.Upto > d.Index {
		return nil, errUpto
	}
	next := &Round{Number: h.CountSeated() + 1, Upto: b.Upto}
	if begun := h.begunRound(); begun != nil && b.Part > 1 && d.Parent == begun.last {
		*next = *begun
	}
	if b.Round != next.Number || b.Upto != next.Upto || b.Round > h.Terms.Rounds {
		return nil, fmt.Errorf("round %d is not the one that is to be seated", b.Round)
	}
	if err := next.addPart(b.Part, b.Parts); err != nil {
		return nil, err
	}
	next.Tables = append(slices.Clip(next.Tables), b.Tables...)
	next.Byes = append(slices.Clip(next.Byes), b.Byes...)
	if err := checkSeatedOnce(next.Tables, next.Byes); err != nil {
		return nil, err
	}
	for _, list := range append(slices.Clone(next.Tables), next.Byes) {
		for _, n := range list {
			if h.byNumber[n] == nil {
				return nil, fmt.Errorf("nobody has the number %d", n)
			}
		}
	}
	return func() {
		next.Index, next.last = d.Index, d.Hash
		h.Rounds = append(h.Rounds[:next.Number-1], next)
	}, nil
}

// begunRound returns the round of which only some parts have come, or nil if there is none. Any
// decision but its next part ends it, and it begins anew.
func (h *History) begunRound() *Round {
	if n := len(h.Rounds); n > h.CountSeated() {
		return h.Rounds[n-1]
	}
	return nil
}

func (h *History) applyRuling(d *Decision, b *bulletin.RulingBody) (func(), error) {
	r := &Ruling{Decision: d, RulingBody: b}
	on, err := h.ruleOn(r)
	return func() {
		h.Rulings = append(h.Rulings, r)
		switch r.Do {
		case bulletin.RuleUphold:
			on.Upheld = r.Index
		case bulletin.RuleOverturn:
			on.Overturned = r.Index
		}
	}, err
}

// ruleOn checks that a ruling is about something it can be about (55.4.1). It returns the ruling
// that a ruling of the jury is on, and nil for other rulings.
func (h *History) ruleOn(r *Ruling) (on *Ruling, err error) {
	a := r.About
	for _, n := range append([]bulletin.PlayerPoints{{Player: a.Player}}, r.Points...) {
		if n.Player != 0 && h.byNumber[n.Player] == nil {
			return nil, fmt.Errorf("nobody has the number %d", n.Player)
		}
	}
	missing := map[string]bool{
		bulletin.RuleAdjust:     a.Table == "" || len(r.Points) == 0,
		bulletin.RulePenalty:    a.Player == 0 || len(r.Points) != 1 || r.Points[0].Player != a.Player,
		bulletin.RuleDisqualify: a.Player == 0 || a.Round == 0,
		bulletin.RuleReplay:     a.Table == "" || r.Instead == "",
		bulletin.RuleSubstitute: a.Table == "" || a.Player == 0,
		bulletin.RuleCorrect:    r.Reason == "",
		bulletin.RuleStands:     a.Table == "" && a.Entry == "",
	}
	if missing[r.Do] {
		return nil, fmt.Errorf("a ruling that says %q must say about whom or what, and with which effect (55.4.1)", r.Do)
	}
	switch r.Do {
	case bulletin.RuleAdjust:
		for _, old := range h.Rulings {
			if old.Do == bulletin.RuleAdjust && old.About.Table == a.Table && old.About.Deal == 0 && a.Deal != 0 && old.Overturned == 0 {
				return nil, errors.New("the table was adjusted as a whole: adjust it so again")
			}
		}
	case bulletin.RuleUphold, bulletin.RuleOverturn:
		return h.reviewedRuling(r)
	}
	return nil, nil
}

// reviewedRuling returns the ruling that the jury's ruling r is on. Nobody may judge their own
// ruling.
func (h *History) reviewedRuling(r *Ruling) (*Ruling, error) {
	hash, err := wire.ParseHash(r.About.Entry)
	if err != nil {
		return nil, err
	}
	on := h.rulingByHash(hash)
	switch {
	case on == nil || on.Do == bulletin.RuleUphold || on.Do == bulletin.RuleOverturn:
		return nil, fmt.Errorf("%s is no ruling that can be upheld or overturned", hash)
	case wire.KeyMaterial(on.Decision.By) == wire.KeyMaterial(r.Decision.By):
		return nil, errors.New("nobody judges an appeal against a ruling of their own")
	case on.Upheld+on.Overturned != 0:
		return nil, errors.New("the jury has decided on this ruling before")
	}
	return on, nil
}
