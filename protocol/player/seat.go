package player

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/pakli/pakli/protocol/keeper/exchange"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/play"
	"github.com/pakli/pakli/protocol/table/timing"
	"github.com/pakli/pakli/protocol/wire"
)

// Source is the log as a player sees it.
type Source interface {
	// Messages returns entries of a table in the order of the log, from number n on; the genesis
	// entry is number 0. It waits up to wait for the first one, and may return none. It returns
	// only entries that it found in the log under a signed checkpoint that is consistent with
	// earlier ones, each followed by its blobs (wire.CutParcel). It need not know all entries of
	// the table: if one turns up between those that it returned, the error is ErrLeftOut, once;
	// read from number 0 again, the list is complete.
	Messages(ctx context.Context, id wire.Hash, n int, wait time.Duration) ([][]byte, error)
	// Post returns once the entry is in the log for good, and its blobs are kept. If the entry no
	// longer builds on the head, the error is ErrStale.
	Post(ctx context.Context, id wire.Hash, entry []byte) error
	// BelievedCheckpoint returns the newest checkpoint that was believed, as signed.
	BelievedCheckpoint() []byte
}

// ErrStale is a Source's answer to a message whose parent is not the head.
var ErrStale = errors.New("the table has moved on")

// ErrLeftOut is a Source's answer when it has found an entry that belongs before others that it has
// returned.
var ErrLeftOut = errors.New("an entry was left out of what the table's history seemed to be")

// ErrElsewhere ends Play when the log has an entry of this seat that its journal lacks: the seat
// also plays on another device, or was restored from an old copy. Of two messages on one parent the
// log takes the first, so nothing is lost yet. But the log could make two devices give tokens in
// two histories (docs/spec/46-security-arguments.md).
var ErrElsewhere = errors.New("this seat also plays elsewhere: the log has a message that it did not sign here")

// ErrCopy ends Play when the seat was restored from a copy (Identity.Copy). What the seat has
// signed since the copy is not known here, and a log may hide it. ErrElsewhere is for entries that
// the log shows.
var ErrCopy = errors.New("this seat is a copy: what the other device has signed since it was taken is not known here")

// ErrBranch ends Play when the log has put another message before the one that this seat was shown
// and has answered, and the seat must not answer again. Nobody can time the seat out for it
// (52.10).
var ErrBranch = errors.New("the log has shown this seat a message that does not count, and the seat has answered it with cards: it signs nothing more at this table, and is not late. Ask the other players, or whoever rules at the table, to give the seat to another key or to close the table")

// ErrHistory ends Play when the entry that this seat signed last is not in the history shown to it.
var ErrHistory = errors.New("the log has forked, or a server has hidden something. The seat signs nothing in another history")

// isBound reports whether err says that what a seat has signed keeps it from signing in this
// history.
func isBound(err error) bool { return errors.Is(err, ErrBranch) || errors.Is(err, ErrHistory) }

// IsWithheld reports whether an error says that something needed to judge an entry of the table is
// not shown. Play can be called again once it is.
func IsWithheld(err error) bool {
	return errors.Is(err, wire.ErrDetached) || errors.Is(err, table.ErrUntimed)
}

// ErrReseated ends Play when another player holds the seat.
var ErrReseated = errors.New("another player holds this seat now: whoever rules at the table has signed so, and what you sign here does not count any more")

// ErrFoul ends Play at a table that ended with somebody's foul.
var ErrFoul = errors.New("the table ended with a foul")

// Choose makes a move for a seat that sees v, or returns nil to wait for another seat. It may wait
// for a person. When ctx ends it must return, and its answer is not played. The context ends with
// that of Play and, where others may also move, when the table has gone on: then the seat is asked
// anew.
type Choose func(ctx context.Context, s *table.State, v table.View) (json.RawMessage, error)

// ownError is an error of the move's chooser or of the seat's records: no log has caused it, and
// waiting does not help.
type ownError struct{ error }

func (e ownError) Unwrap() error { return e.error }

func wrapOwn(err error) error {
	if err == nil {
		return nil
	}
	return ownError{err}
}

// IsOwn reports whether an error is the seat's own: of its vault, its journal, its secrets, or its
// Choose.
func IsOwn(err error) bool {
	_, is := errors.AsType[ownError](err)
	return is
}

// Bot returns a Choose that plays like the bot of the table's game.
func Bot(r *rand.Rand) Choose {
	return func(_ context.Context, s *table.State, v table.View) (json.RawMessage, error) {
		return play.Choose(s, v, r)
	}
}

// Random returns a Choose that makes any of the moves that the rules offer, each equally likely.
// This bot without judgement reaches states that no other would.
func Random(r *rand.Rand) Choose {
	return func(_ context.Context, s *table.State, v table.View) (json.RawMessage, error) {
		moves, err := play.Moves(s, v)
		move, _ := play.RandomMove(moves, r)
		return move, err
	}
}

// Seat plays one seat of one table.
type Seat struct {
	id     *Identity
	hand   Hand
	eyes   play.Eyes // of the hand's secret
	source Source
	choose Choose
	random io.Reader
	games  table.Catalogue
	state  *table.State
	read   int                     // how many entries of the table were read
	seen   map[wire.Hash]time.Time // when entries that parse came; zero if they were replayed
	past
	gaps    bool            // something was missing in the history replayed
	plays   bool            // whether Play has begun
	heard   *heardNews      // news that came while the player was asked
	moved   bool            // whether the table went on while the player was asked
	judging context.Context // ends when the player answers; nil: the player is not asked
	own     Crowd           // what this seat alone has rehearsed
	number  int             // of the card secret in hand (table.State.KeyNumber); 0: none yet

	// ReplayedMessages are the messages of the running deal that Sit has replayed, until Play
	// begins.
	ReplayedMessages []ReplayedMessage

	// Watch, if set, is told of every message that Play applies or finds to be a foul or an
	// attempt, and of the state after it.
	Watch func(after *table.State, m *wire.Message)

	// Timed, if set, is told the clocks of the seats that owe something, when this seat is to move
	// and while it waits.
	Timed func([]timing.Clock)

	// Acted, if set, is told of every act that Play applies, and of the states before and after it.
	Acted func(before, after *table.State, a *wire.Act)

	// Stray, if set, is told of every message of a seat of the table that does not build on the
	// head, and whether its parent is an entry that was read. If not, its seat has seen another
	// history.
	Stray func(m *wire.Message, known bool)

	// Vouched, if set, returns once others than the log vouch for the entry that is the head. It is
	// called before the seat signs or posts a message with tokens in a phase that shows cards, or
	// with locks, and before a copy of a seat goes on.
	Vouched func(ctx context.Context, head wire.Hash) error

	// Keepers, if set, are given what the log does not take, and asked for their silence, at a
	// table with a clock.
	Keepers Keepers
	pending pendingMessage

	attendance
	waits  bool      // whether its player lets others go first
	rested wire.Hash // the head at which it last said that it rests

	// Passes, if set, reports whether an error of the log may pass while a player is thinking and
	// is still asked. If it is nil, every error ends the question.
	Passes func(error) bool

	// Crowd, if set, is the bots of this process that rely on each other's rehearsals.
	Crowd *Crowd
	left  *int64 // seconds left for this seat, as the source last said; nil: unknown
	taken []byte // the act that gave this seat to its holder; nil: the holder has had it from the beginning
}

// longPoll is how long a seat that owes nothing waits for news in one request.
const longPoll = 25 * time.Second

// courtesy is how long a seat lets each seat before it go first when several owe something. All
// build on one head, so only one message can be applied, and the others would be made in vain.
const courtesy = 50 * time.Millisecond

// BelievedCheckpoint returns what the journal of a table remembers of the log, or nil.
func (id *Identity) BelievedCheckpoint(tableID wire.Hash) ([]byte, error) {
	j, err := id.loadJournal(tableID)
	return j.Believed, err
}

// Sit takes the identity's seat at a table: it reads the table so far and checks that the seat's
// card secret is at hand. It leaves to Play to report that the seat must not sign there, or that
// something is withheld.
func Sit(ctx context.Context, id *Identity, src Source, tableID wire.Hash, c table.Catalogue, choose Choose, random io.Reader) (*Seat, error) {
	p := &Seat{id: id, source: src, choose: choose, random: random, games: c}
	j, err := id.loadJournal(tableID)
	if err != nil {
		return nil, err
	}
	p.setJournal(j)
	p.hand.Signer, p.hand.Locks, p.hand.Chain = id.Signer(), locksOf{id, tableID}, new(Chain)
	if err := p.openTable(ctx, tableID); err != nil && (p.state == nil || !IsWithheld(err) && !errors.Is(err, ErrReseated)) {
		return nil, err
	}
	if _, err := p.findSeat(); err != nil {
		return p, nil // Play reports it, once keepers know
	}
	if p.gaps { // Play reports it
		return p, p.takeSecret()
	}
	if err := p.checkPast(); !isBound(err) {
		return p, err
	}
	return p, nil // Play reports it, once keepers know
}

// openTable replays the table from its beginning.
func (p *Seat) openTable(ctx context.Context, tableID wire.Hash) error {
	for {
		if err := p.replayTable(ctx, tableID); !errors.Is(err, ErrLeftOut) {
			for entry := range p.seen {
				p.seen[entry] = time.Time{}
			}
			p.gaps = err != nil
			return err
		}
	}
}

// replayTable reads until there is nothing more, or at least as far as this seat has signed: a
// source returns a long table in parts.
func (p *Seat) replayTable(ctx context.Context, tableID wire.Hash) error {
	first, err := p.source.Messages(ctx, tableID, 0, 0)
	if err != nil {
		return err
	}
	if len(first) == 0 || wire.HashEntry(first[0]) != tableID {
		return fmt.Errorf("the log shows no table %s", tableID)
	}
	genesis, err := wire.Parse(first[0])
	if err != nil {
		return err
	}
	if p.state, err = table.Open(genesis, p.games); err != nil {
		return err
	}
	facts, err := p.entryFacts(0)
	if err != nil {
		return err
	}
	p.state = p.state.AtIndex(facts.Index)
	p.findSeat()
	p.read, p.seen = 1, map[wire.Hash]time.Time{tableID: {}}
	p.beginReplay(tableID)
	for news := first[1:]; ; {
		if err := p.applyEntries(news); err != nil {
			return err
		}
		_, err := p.findSeat()
		if err == nil && !p.rejoins {
			return nil
		}
		more, failed := p.source.Messages(ctx, tableID, p.read, 0)
		if failed != nil || len(more) == 0 {
			return cmp.Or(failed, err)
		}
		news = more
	}
}

// ReplayedMessage is a message of a replay, between two states of its table.
type ReplayedMessage struct {
	Before, After *table.State
	Message       *wire.Message
}

// keepMessage keeps a message of the running deal, and forgets those of the deal before.
func (p *Seat) keepMessage(r ReplayedMessage) {
	if r.After.Deal() > r.Before.Deal() {
		p.ReplayedMessages = nil
	}
	p.ReplayedMessages = append(p.ReplayedMessages, r)
}

// findSeat finds the seat that this key holds, or held last, and puts it in the hand. The error is
// ErrReseated if another key holds it now.
func (p *Seat) findSeat() (table.Seat, error) {
	key := p.id.VerifierKey()
	for seat := range table.Seat(p.state.Seats()) {
		if p.state.HolderKey(seat) == key {
			p.hand.Seat = seat
			return seat, nil
		}
	}
	if first := slices.Index(p.state.Genesis().Seats, key); first >= 0 || p.taken != nil {
		if p.taken == nil {
			p.hand.Seat = table.Seat(first)
		}
		return p.hand.Seat, ErrReseated
	}
	return 0, fmt.Errorf("the key of this seat file has no seat at table %s: is the file another player's, or the table another one?", p.state.ID())
}

// checkPast refuses to sign where this seat's past is not what it remembers. With a seat file from
// before the key was posted, the seat would have drawn another card secret. At a table that went
// another way since the seat last signed, it would give tokens in two versions of one deal, which
// together open hands.
func (p *Seat) checkPast() error {
	if err := p.takeSecret(); err != nil {
		return err
	}
	posted := p.state.CardKey(p.hand.Seat)
	if posted != nil && !bytes.Equal(posted.Bytes(), p.hand.Secret.Key().Bytes()) {
		return wrapOwn(errors.New("this seat plays with another card secret than the one kept here; is this an old copy of the seat?"))
	}
	if p.rejoins && p.strayed {
		return p.leaveBranch()
	}
	if p.rejoins {
		return fmt.Errorf("this seat has signed a message on entry %s, which is not in this history of the table: %w", p.journal.Parent, ErrHistory)
	}
	return nil
}

// takeSecret puts in the hand the secret of the card key that the seat has posted, or will post
// next.
func (p *Seat) takeSecret() (err error) {
	n := p.state.KeyNumber(p.hand.Seat)
	switch {
	case n == p.number:
		return nil
	case n == 1:
		p.hand.Secret, err = p.id.Secret(p.state.ID(), p.state.Suite(), p.random)
	default:
		p.hand.Secret, err = p.id.LaterSecret(p.state.ID(), n, p.state.CardKey(p.hand.Seat) != nil, p.state.Suite(), p.random)
	}
	if err == nil {
		p.number, p.eyes = n, play.Eyes{Seat: p.hand.Seat, Secret: p.hand.Secret}
	}
	return wrapOwn(err)
}

// compareJournal compares an applied message or act with the journal. The journal remembers nothing
// from before its parent.
func (p *Seat) compareJournal(e *wire.Entry) {
	own := e.Act != nil && e.Act.By == p.id.VerifierKey() || e.Message != nil && table.Seat(e.Message.Seat) == p.hand.Seat && p.state.HolderKey(p.hand.Seat) == p.id.VerifierKey()
	if own && !p.rejoins && e.Hash != p.signed {
		p.away = e
	}
}

// IsCopy reports whether the seat is a copy that was not yet told to go on.
func (p *Seat) IsCopy() bool { return p.journal.copied }

// PlayHere lets the seat go on although it also plays elsewhere, or is a copy: its owner says that
// the other device is gone. From then on the journal begins at the head. For a copy, others than
// the log must vouch for the head, if Vouched is set: in a history that is not the log's, the copy
// could give tokens for a second time (docs/spec/46-security-arguments.md, 46.9).
func (p *Seat) PlayHere(ctx context.Context) error {
	defer p.attending(ctx)() // a log that does not answer may keep it here for any time
	err := p.catchUp(ctx)
	if err == nil {
		err = p.checkPast()
	}
	if isBound(err) || errors.Is(err, ErrReseated) {
		return nil // Play reports it
	} else if err != nil || p.away == nil && !p.journal.copied {
		return err
	}
	if p.journal.copied && p.Vouched != nil {
		if err := p.Vouched(ctx, p.state.Head()); err != nil {
			return err
		}
	}
	j := p.newJournal()
	j.Left = true
	if err := p.id.takeUp(j); err != nil {
		return err
	}
	p.setJournal(j)
	p.away = nil
	return nil
}

// State returns the table as this seat has replayed it.
func (p *Seat) State() *table.State { return p.state }

// Play plays until the table is over. It returns ErrFoul if the table ended with a foul, and errors
// of the network. After these, and after ctx has ended, Play can be called again, also by a new
// process with the same identity. After ErrElsewhere and ErrCopy it goes on only after PlayHere.
func (p *Seat) Play(ctx context.Context) error {
	defer p.attending(ctx)()
	p.plays, p.ReplayedMessages = true, nil
	err := p.playLoop(ctx)
	if hasPlayEnded(err, p.state) {
		err = p.LeaveTable(ctx, err)
	}
	return err
}

func (p *Seat) playLoop(ctx context.Context) error {
	wait := time.Duration(0)
	if !p.gaps {
		if err := p.checkPast(); err != nil {
			return err
		}
	}
	for {
		if wait > 0 && (p.waits || len(p.state.DutiesOf(p.hand.Seat)) == 0) {
			p.setPresence(exchange.Here)
		}
		news, err := p.nextEntries(ctx, wait)
		p.setPresence(exchange.Lost)
		if err == nil {
			err = p.applyEntries(news)
		}
		if err != nil {
			p.giveUnheard(ctx)
			return err
		}
		p.tellRest(ctx)
		p.setPresence(exchange.Lost)
		if p.state.Foul() != nil {
			return fmt.Errorf("%w: %w", ErrFoul, p.state.Foul())
		}
		if p.state.IsOver() {
			return nil
		}
		if _, err := p.findSeat(); err != nil {
			return err
		}
		if p.journal.copied {
			return ErrCopy
		}
		if p.away != nil {
			return ErrElsewhere
		}
		if _, err = p.tellTime(ctx, table.Move); err == nil || p.Keepers != nil { // keepers are there when the log says nothing
			wait, err = p.dischargeDuty(ctx, p.state.Duties(), len(news) == 0 && wait > 0)
		}
		if err == nil && wait > courtesy {
			wait, err = p.keepTime(ctx, wait)
			if p.needsPresence() && ctx.Err() == nil && (p.Passes == nil || p.mayPass(err)) {
				err = nil // or else a log could end play by nonsense about clocks
			}
		}
		if err != nil {
			return err
		}
	}
}

// nextEntries returns the entries that have come since. It first replays a history in which
// something was missing, and does so on every call until that succeeds.
func (p *Seat) nextEntries(ctx context.Context, wait time.Duration) ([][]byte, error) {
	if h := p.heard; h != nil {
		p.heard = nil
		return h.entries, h.err
	}
	if !p.gaps {
		news, err := p.source.Messages(ctx, p.state.ID(), p.read, wait)
		if !errors.Is(err, ErrLeftOut) {
			return news, err
		}
		p.gaps = true
	}
	return nil, p.reopenTable(ctx)
}

// reopenTable replays a history in which something was missing. If the seat has signed in the
// history that it seemed to be, and not in the real one, play ends.
func (p *Seat) reopenTable(ctx context.Context) error {
	p.setPresence(exchange.Lost)
	p.rested = wire.Hash{} // keepers may take what was said in between for a return
	watch := p.Watch
	p.Watch = nil // Watch was told most of it
	err := p.openTable(ctx, p.state.ID())
	p.Watch = watch
	if err != nil {
		return err
	}
	return p.checkPast()
}

// applyEntries applies entries of the table, up to one that cannot be checked. Unlike package
// replay it has no log: it must answer each entry when it comes, also notes void entries, and tries
// an entry that it cannot check once more.
func (p *Seat) applyEntries(entries [][]byte) error {
	for _, entry := range entries {
		if p.judging != nil && p.judging.Err() != nil {
			return fmt.Errorf("%w: its player has answered", table.ErrUntimed)
		}
		p.read++
		e, err := wire.Parse(entry)
		if err != nil {
			continue // of no table, whatever the server says
		}
		if _, again := p.seen[e.Hash]; !again {
			p.seen[e.Hash] = time.Now()
		}
		before := p.state
		facts, err := p.entryFacts(p.read - 1)
		if err != nil {
			p.read--
			return err
		}
		next, err := p.applyEntry(e, facts)
		var fault *table.Fault
		switch {
		case err == nil:
			p.compareJournal(e)
			p.state = next.AtIndex(facts.Index)
			p.noteHead(p.state.Head())
			p.findSeat()
			if givesSeat(e, p.hand.Seat, p.id.VerifierKey()) {
				p.taken = e.Bytes()
			}
		case errors.As(err, &fault) && fault.Class != table.Void:
			p.compareJournal(e)
			p.state = p.state.WithFault(fault, e.Hash).AtIndex(facts.Index)
			p.noteHead(p.state.Head())
		case fault == nil: // wire.ErrDetached, or another reason that it cannot be checked
			p.read--
			return err
		default:
			p.tellStray(e, fault)
			p.state = p.applyBeside(e, facts)
			p.strayed = p.strayed || e.Hash == p.journal.Parent && p.state.IsBeside(e.Hash)
			if p.state.Foul() == nil {
				continue
			}
		}
		switch {
		case e.Message != nil && p.Watch != nil:
			p.Watch(p.state, e.Message)
		case e.Message != nil && !p.plays:
			p.keepMessage(ReplayedMessage{before, p.state, e.Message})
		case e.Act != nil && p.Acted != nil:
			p.Acted(before, p.state, e.Act)
		}
	}
	return nil
}

// applyBeside takes in a void entry, which may have consequences (52.10). An entry that cannot be
// judged stops nobody: whoever has what a claim needs checks it.
func (p *Seat) applyBeside(e *wire.Entry, facts table.Facts) *table.State {
	next, err := p.state.TakeBeside(e, facts, func(wire.Blob) ([]byte, error) { return nil, wire.ErrDetached })
	if fault, ok := errors.AsType[*table.Fault](err); ok {
		return p.state.WithFault(fault, e.Hash)
	}
	return next
}

// applyEntry applies an entry to the state. A message of this seat or its crowd was already applied
// in rehearsal.
func (p *Seat) applyEntry(e *wire.Entry, facts table.Facts) (*table.State, error) {
	if after := p.sharedCrowd().stateAfter(p.state, e); after != nil {
		return after, nil
	}
	return p.state.Apply(e, facts)
}

// sharedCrowd returns the seat's Crowd, or else a crowd of this seat alone.
func (p *Seat) sharedCrowd() *Crowd { return cmp.Or(p.Crowd, &p.own) }

// tellStray reports a void message that its seat has signed on another entry than the head.
func (p *Seat) tellStray(e *wire.Entry, fault *table.Fault) {
	if p.Stray == nil || fault.Check != table.CheckParent || e.Message == nil {
		return
	}
	m := e.Message
	_, seats, err := p.state.Genesis().Verifiers()
	if err != nil || m.Seat >= len(seats) || e.Verify(seats[m.Seat]) != nil {
		return
	}
	_, known := p.seen[m.Parent]
	p.Stray(m, known)
}

// dischargeDuty discharges a duty of this seat, if it owes one and it is its turn, and returns how
// long to wait for news then. Patient says that the seats before this one had their chance.
func (p *Seat) dischargeDuty(ctx context.Context, duties []table.Duty, patient bool) (time.Duration, error) {
	p.waits = false
	for rank, d := range duties {
		if !d.Owes(p.hand.Seat) {
			continue
		}
		if rank > 0 && d.Kind != table.Move && !patient {
			return time.Duration(rank) * p.Crowd.courtesyTime(), nil
		}
		entry, err := p.dutyEntry(ctx, d)
		if err != nil || entry == nil {
			if p.waits = err == nil; p.moved {
				p.moved = false
				return 0, err // what came while the player was asked is applied already
			}
			return longPoll, err
		}
		// The seat is lost meanwhile: keepers may not get a message that is too large for them or
		// for the way there.
		err = p.postMessage(ctx, entry)
		if errors.Is(err, ErrStale) {
			return courtesy, nil
		}
		return 0, err
	}
	return longPoll, nil
}

// dutyEntry returns the entry for d: the journal's if the seat has already signed on this head, and
// otherwise a new one, which is in the journal when dutyEntry returns. It is nil if the player
// chooses to wait. A card that has no face is disputed in place of d.
func (p *Seat) dutyEntry(ctx context.Context, d table.Duty) ([]byte, error) {
	if err := p.checkPast(); err != nil {
		return nil, err
	}
	if signed := p.entryOn(p.state.Head()); signed != nil {
		return signed, p.awaitVouched(ctx, signed)
	}
	if c, is := p.hand.DisputedCard(p.state); is {
		d = table.Duty{Kind: table.Dispute, Seats: []table.Seat{p.hand.Seat}, Cards: []table.Card{c}}
	}
	move, err := p.decideMove(ctx, d)
	if err != nil || d.Kind == table.Move && move == nil {
		return nil, err
	}
	entry, err := p.hand.SignMessage(p.state, d, move, p.random)
	if err != nil {
		return nil, err
	}
	if err := p.rehearseEntry(entry); err != nil {
		return nil, err
	}
	// Before the journal: a seat that has signed stays in its history, which may turn out not to be
	// the log's.
	if err := p.awaitVouched(ctx, entry); err != nil {
		return nil, err
	}
	if err := p.journalEntry(entry); err != nil {
		return nil, err
	}
	return entry, nil
}

// newJournal returns a journal of the head, on which nothing is signed yet.
func (p *Seat) newJournal() journal {
	return journal{Format: journalFormat, Table: p.state.ID(), Parent: p.state.Head(), Cards: p.journal.Cards, Believed: p.source.BelievedCheckpoint()}
}

// journalEntry puts an entry on the head into the journal. No entry may leave before that.
func (p *Seat) journalEntry(entry []byte) error {
	signed := p.newJournal()
	signed.Entry, signed.Left = entry, p.journal.Left || p.leaves
	if givesCards(entry) {
		signed.Cards, p.gave = signed.Parent, true
	}
	if err := p.id.saveJournal(signed); err != nil {
		return err
	}
	p.setJournal(signed)
	return nil
}

// awaitVouched waits until somebody vouches for the head, if the entry gives tokens on it, or
// locks.
func (p *Seat) awaitVouched(ctx context.Context, entry []byte) error {
	if p.Vouched == nil {
		return nil
	}
	e, err := wire.Parse(entry)
	if err != nil || e.Message == nil {
		return err
	}
	var body wire.TokensBody
	switch e.Message.Kind {
	case table.Disclose:
	case table.Show:
		if err := wire.DecodeBody(e.Message.Body, &body); err != nil || len(body.Tokens) == 0 {
			return err
		}
	default:
		return nil
	}
	return p.Vouched(ctx, e.Message.Parent)
}

func (p *Seat) decideMove(ctx context.Context, d table.Duty) (json.RawMessage, error) {
	if d.Kind != table.Move {
		return nil, nil
	}
	v, err := p.View()
	if err != nil {
		return nil, err
	}
	p.setPresence(exchange.Here)
	defer p.setPresence(exchange.Lost)
	// A rival's move or an act may come meanwhile, and keepers must be told where the seat is.
	if len(d.Seats) > 1 || p.state.Genesis().HasActs() || p.needsPresence() {
		return (&question{Seat: p, answers: make(chan moveAnswer, 1)}).decideAmong(ctx, v)
	}
	move, err := p.choose(ctx, p.state, v)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return move, wrapOwn(err)
}

// mayPass reports whether an error of the log does not end the question.
func (p *Seat) mayPass(err error) bool {
	return p.Passes != nil && !hasPlayEnded(err, p.state) && p.Passes(err)
}

// View returns what this seat sees of its table.
func (p *Seat) View() (table.View, error) {
	return p.eyes.See(p.state)
}

// rehearseEntry applies the seat's own entry to its own state before posting it: an honest player
// never signs a foul.
func (p *Seat) rehearseEntry(entry []byte) error {
	e, err := wire.Parse(entry)
	if err != nil {
		return err
	}
	facts, err := p.entryFacts(-1)
	if err != nil {
		return err
	}
	after, err := p.state.Apply(e, facts)
	if err != nil {
		return fmt.Errorf("this seat's message was not sent, since it would be refused: %w", err)
	}
	p.sharedCrowd().addStep(e, after)
	return nil
}
