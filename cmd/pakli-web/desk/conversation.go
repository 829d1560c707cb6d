package desk

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/pakli/pakli/cmd/pakli/terminal"
	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/httpapi/client/tablelog"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/scene"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

// conversation is a table that a page shows while it is played.
type conversation struct {
	tableAddress
	seat  string // the program's seat that it belongs to; "": the page, with its bots
	desk  *Desk
	ctx   context.Context // ends when the page leaves
	leave context.CancelFunc
	ended chan struct{} // closed when all its seats have left

	policy *tlog.Policy // who must vouch for the table before a copy of a seat plays on; nil: nobody

	mu      sync.Mutex
	shown   scene.Position         // what the page sees, or will see when due fires
	told    []Tell                 // what the page will be told then
	heard   int                    // number of messages that were told
	due     *time.Timer            // nil: the page sees shown
	drawn   time.Time              // when the page was told last
	asked   chan<- json.RawMessage // nil: nothing is asked
	asking  bool                   // the page shows a question
	stands  string                 // state of the seat, as the page was told
	halted  map[string]string      // why bots of the page stopped playing, by their verifier keys
	gone    bool                   // the person's own seat has stopped playing
	plays   []*playing             // the page's seats here, including the person's
	faces   int                    // number of the deck's cards that the page was told
	here    int                    // number of seats that this page plays
	present []int                  // seats that are there, as the page was told; nil: it was told nothing
}

// playing is a seat of a page while it plays. Acts are done between two steps of play.
type playing struct {
	bot  bool
	acts chan wantedAct // holds one
}

// wantedAct is an act that a seat shall do.
type wantedAct struct {
	player.Act
	done chan error // takes one
}

// playBetweenActs plays a seat and does its wanted acts, until play ends by itself.
func (w *playing) playBetweenActs(ctx context.Context, p *player.Seat) error {
	return player.PlayBetween(ctx, p.Play, func(ctx context.Context) func(context.Context) {
		var a wantedAct
		select {
		case a = <-w.acts:
		case <-ctx.Done():
			select {
			case a = <-w.acts: // wanted before play ended
			default:
				return nil
			}
		}
		return func(ctx context.Context) { a.done <- p.PostAct(ctx, a.Act) }
	})
}

// doActOf makes a seat do an act and waits for the result.
func (c *conversation) doActOf(ctx context.Context, w *playing, kind wire.Kind, body any) error {
	a := wantedAct{player.Act{Kind: kind, Body: func() (any, error) { return body, nil }}, make(chan error, 1)}
	select {
	case w.acts <- a:
	default:
		return errors.New("this seat is at work on what was asked of it before")
	}
	select {
	case err := <-a.done:
		return err
	case <-c.ended:
		return errors.New("this seat plays no more here")
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// doAct makes the person's seat leave the table, come back, or agree. Bots of the page follow their
// person, since nobody else could ask them: before a leaving person is gone, the bots agree to end.
func doAct(d *Desk, ctx context.Context, a struct {
	conversationName
	Kind wire.Kind `json:"kind"` // resign, agree, back
	To   string    `json:"to"`   // of agree
}) (any, error) {
	c, err := d.conversationOf(a.conversationName)
	if err != nil {
		return nil, err
	}
	body := map[wire.Kind]any{wire.KindResign: wire.ResignBody{Scope: wire.ResignTable}, wire.KindAgree: wire.AgreeBody{To: a.To}, wire.KindBack: wire.EmptyBody{}}[a.Kind]
	if body == nil {
		return nil, fmt.Errorf("%.20q is nothing that a player does", a.Kind)
	}
	c.mu.Lock()
	seats := slices.Clone(c.plays)
	c.mu.Unlock()
	i := slices.IndexFunc(seats, func(w *playing) bool { return !w.bot })
	if i < 0 {
		return nil, ErrNoSeat
	}
	if err := c.doActOf(ctx, seats[i], a.Kind, body); err != nil || a.Kind == wire.KindBack {
		return nil, err
	}
	to := wire.AgreeBody{To: wire.AgreeEnd}
	if a.Kind == wire.KindAgree {
		to.To = a.To
	}
	for _, w := range seats {
		if w.bot {
			_ = c.doActOf(ctx, w, wire.KindAgree, to) // void if the table is over or the bot has agreed already
		}
	}
	return nil, nil
}

// sitDown seats this browser's person at a table, with the bots of this browser that sit there. Here
// says that the person's other device is gone.
func sitDown(d *Desk, _ context.Context, a struct {
	tableAddress
	Here   bool       `json:"here"`
	Kept   keptReason `json:"kept"`
	Policy string     `json:"policy"` // the policy that names the log's cosigners, if these pages have one
}) (any, error) {
	policy, err := policyOf(a.Policy)
	if err != nil {
		return nil, err
	}
	c, err := d.openTable(a.tableAddress, "")
	if err != nil {
		return nil, err
	}
	c.policy = policy
	taken, err := d.openSeats(a.tableAddress, a.Kept)
	if err != nil {
		close(c.ended)
		return nil, err
	}
	c.here = len(taken)
	var running sync.WaitGroup
	for _, s := range taken {
		w := &playing{bot: s.about.Bot, acts: make(chan wantedAct, 1)}
		c.plays = append(c.plays, w)
		running.Go(func() {
			defer s.Close()
			c.playToEnd(c.ctx, s, w, a.Here)
		})
	}
	go func() { running.Wait(); close(c.ended) }()
	return nil, nil
}

func policyOf(text string) (*tlog.Policy, error) {
	if text == "" {
		return nil, nil
	}
	return tlog.ParsePolicy([]byte(text))
}

// openSeats opens all seats of this browser at a table. One of them must be the person's.
func (d *Desk) openSeats(a tableAddress, k keptReason) (taken []*seat, err error) {
	all, err := d.seatRecords()
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			for _, s := range taken {
				s.Close()
			}
			taken = nil
		}
	}()
	found := false
	for _, one := range all {
		if _, here := one.findTable(a.Table); !here {
			continue
		}
		s, err := d.openSeat(one)
		if err != nil {
			return taken, err
		}
		taken = append(taken, s)
		if err := s.mayPlay(a, k); err != nil {
			return taken, err
		}
		found = found || !one.Bot
	}
	if !found {
		return taken, ErrNoSeat
	}
	return taken, nil
}

// mayPlay records why the seat may sign at a table, and returns an error if there is no reason.
func (s *seat) mayPlay(a tableAddress, k keptReason) error {
	if k != "" && k != persisted && k != backedUp && k != trifling {
		return fmt.Errorf("kept: %q is none of the reasons", k)
	}
	if err := s.noteTable(a, k); err != nil {
		return err
	}
	if t, _ := s.about.findTable(a.Table); t.Kept == "" && !s.about.Bot {
		return ErrKept
	}
	return nil
}

// openTable puts a table on the desk and replaces its conversation, if there is one.
func (d *Desk) openTable(a tableAddress, seat string) (*conversation, error) {
	if _, err := d.clientOf(a); err != nil {
		return nil, err
	}
	d.mu.Lock()
	where := conversationName{a.Table, seat}
	before := d.tables[where]
	c := &conversation{tableAddress: a, seat: seat, desk: d, ended: make(chan struct{}), halted: map[string]string{}}
	c.ctx, c.leave = context.WithCancel(context.Background())
	d.tables[where] = c
	d.mu.Unlock()
	if before != nil {
		before.leave()
		<-before.ended
	}
	return c, nil
}

func leaveTable(d *Desk, _ context.Context, a conversationName) (any, error) {
	c, err := d.conversationOf(a)
	if err != nil {
		return nil, err
	}
	c.leave()
	<-c.ended
	return nil, nil
}

// conversationName names a conversation. A page has one at a table, and a program has one for each of
// its seats there.
type conversationName struct {
	Table wire.Hash `json:"table"`
	Seat  string    `json:"seat"` // its ID; "": of the page
}

// conversationOf returns the conversation of a name.
func (d *Desk) conversationOf(a conversationName) (*conversation, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if c, ok := d.tables[a]; ok {
		return c, nil
	}
	return nil, errors.New("this table is not open here")
}

// Errors of a vault about a record: it could not be stored, or the stored bytes are not whole.
var (
	ErrFull    = errors.New("there is no space left to store it")
	ErrDamaged = errors.New("it is damaged")
)

// pause is how long a seat waits for an unreachable server or for space. The wait doubles every time,
// up to most.
const pause, most = time.Second, 15 * time.Second

// isGarbled reports whether an answer was truncated or came from somewhere between. Nothing of it was
// believed, so the request is repeated.
func isGarbled(err error) bool {
	return errors.Is(err, tlog.ErrMalformed) || errors.Is(err, tlog.ErrUnsigned)
}

// playToEnd plays a seat until the table is over or the page leaves it.
func (c *conversation) playToEnd(ctx context.Context, s *seat, w *playing, here bool) {
	for wait := pause; ; wait = min(2*wait, most) {
		begun := time.Now()
		err := c.playSeat(ctx, s, w, &here)
		if time.Since(begun) > most {
			wait = pause
		}
		switch {
		case err == nil || ctx.Err() != nil:
			return
		case errors.Is(err, player.ErrElsewhere):
			c.halt(s, "elsewhere", err)
			return
		case errors.Is(err, player.ErrCopy):
			c.halt(s, "copy", err)
			return
		case errors.Is(err, player.ErrFoul):
			return // the table shows it
		case errors.Is(err, ErrFull): // nothing left the vault
			c.tellState(s, "full", true, err.Error())
		case errors.Is(err, ErrDamaged):
			c.halt(s, "damaged", err)
			return
		case errors.Is(err, tlog.ErrUnconfirmed):
			c.tellState(s, "unconfirmed", false, err.Error())
		case client.IsPassing(err):
			c.tellState(s, "away", false, err.Error())
		case isGarbled(err), player.IsWithheld(err):
			c.tellState(s, "garbled", true, err.Error())
		default:
			c.halt(s, "stopped", err)
			return
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return
		}
	}
}

// emit emits an event of this conversation.
func (c *conversation) emit(name string, fields map[string]any) {
	fields["table"] = c.Table
	if c.seat != "" {
		fields["seat"] = c.seat
	}
	c.desk.emit(name, fields)
}

// tellState tells the page the state of its own seat.
func (c *conversation) tellState(s *seat, state string, alarm bool, text string) {
	if s == nil || !s.about.Bot || alarm {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.gone && s != nil && s.about.Bot {
			return // the page already asks whether the person's other device is gone
		}
		if c.due != nil {
			c.drawTable(nil) // draws that the seat plays
		}
		c.emitState(state, alarm, text)
	}
}

// emitState tells the page the state of its seat. The caller holds mu.
func (c *conversation) emitState(state string, alarm bool, text string) {
	c.stands = state
	c.emit("state", map[string]any{"state": state, "alarm": alarm, "text": text})
}

// halt tells the page that one of its seats has stopped playing. The stop of a bot is told again when
// the table waits for it: the person's own seat plays on, and its state has priority.
func (c *conversation) halt(s *seat, state string, err error) {
	text := err.Error()
	c.mu.Lock()
	if s.about.Bot {
		state, text = "stopped", s.about.Name+": "+text
		c.halted[s.VerifierKey()] = text
	} else {
		c.gone = true
	}
	c.mu.Unlock()
	c.tellState(s, state, true, text)
}

// missingBot returns why a bot has stopped playing that the shown table waits for, or "". The caller
// holds mu.
func (c *conversation) missingBot() string {
	for _, d := range c.shown.Table.Duties() {
		for _, seat := range d.Seats {
			if why := c.halted[c.shown.Table.HolderKey(seat)]; why != "" {
				return why
			}
		}
	}
	return ""
}

// playSeat plays a seat. Here says that its other device is gone. The seat is told so once, about the
// past, and not about a device that comes back.
func (c *conversation) playSeat(ctx context.Context, s *seat, w *playing, here *bool) error {
	cl, err := c.desk.believingClient(ctx, c.tableAddress, s)
	if err != nil {
		return err
	}
	choose := player.Bot(newRand())
	if !s.about.Bot {
		choose = c.choose
	}
	src := tablelog.New(c.Table, tablelog.Options{Server: cl, Policy: c.policy, Tell: func(f tablelog.Finding) { c.tellState(s, "waits", false, f.Text) }})
	p, err := player.Sit(ctx, s.Identity, src, c.Table, catalogue(), choose, rand.Reader)
	if err != nil {
		return err
	}
	if *here && !s.about.Bot {
		if err := src.PlayHere(ctx, p); err != nil {
			return err
		}
		*here = false
	}
	if !s.about.Bot {
		if err := c.watchSeat(p); err != nil {
			return err
		}
	}
	if c.here < p.State().Seats() { // otherwise there is nobody to tell
		ctx, stop := context.WithCancel(ctx)
		defer stop()
		go tablelog.Attend(ctx, cl, c.Table, s.VerifierKey(), s.Signer(), c.tellPresent)
	}
	return w.playBetweenActs(ctx, p)
}

// tellPresent tells the page which seats are there, as the server says. No verdict depends on it.
func (c *conversation) tellPresent(keys []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.seat != "" || c.shown.Table == nil {
		return
	}
	seats := []int{}
	for seat := range table.Seat(c.shown.Table.Seats()) {
		if slices.Contains(keys, c.shown.Table.HolderKey(seat)) {
			seats = append(seats, int(seat))
		}
	}
	if c.present == nil || !slices.Equal(c.present, seats) { // to draw a page costs more than all else that it does while nobody plays
		c.present = seats
		c.emit("present", map[string]any{"seats": seats})
	}
}

func newRand() *mathrand.Rand {
	return mathrand.New(mathrand.NewPCG(mathrand.Uint64(), mathrand.Uint64()))
}

// watchSeat shows the person's seat's view from now on.
func (c *conversation) watchSeat(p *player.Seat) error {
	before := p.State()
	p.Watch = func(after *table.State, m *wire.Message) {
		c.tellLater(before, after, m)
		before = after
		if v, err := p.View(); err == nil { // otherwise Play returns the error when it matters
			c.showTable(scene.SeatPosition(after, v))
		}
	}
	p.Acted = func(was, after *table.State, a *wire.Act) {
		c.tellAct(was, after, a)
		before = after
		if v, err := p.View(); err == nil {
			c.showTable(scene.SeatPosition(after, v))
		}
	}
	for _, r := range p.ReplayedMessages {
		c.tellLater(r.Before, r.After, r.Message)
	}
	v, err := p.View()
	if err == nil {
		c.showTable(scene.SeatPosition(before, v))
	}
	return err
}

// tellLater tells the page once what a message did, together with the next drawing of the table.
func (c *conversation) tellLater(before, after *table.State, m *wire.Message) {
	tells := voiceOf(c.Lang, after).tellsOf(before, after, m)
	c.mu.Lock()
	defer c.mu.Unlock()
	n := after.CountApplied()
	if n > before.CountApplied() && n <= c.heard {
		return
	}
	c.heard = max(c.heard, n)
	c.told = append(c.told, tells...)
}

// tellAct tells the page what an act did.
func (c *conversation) tellAct(before, after *table.State, a *wire.Act) {
	tell := voiceOf(c.Lang, after).actTell(before, after, a)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.told = append(c.told, tell)
}

// settle is how long a page may lag behind the table, so that several steps of machines are drawn
// once. After a pause the first is drawn at once, since it is most often a card that somebody laid.
const settle = 100 * time.Millisecond

// showTable shows the table as it is now, which ends the last question. The page draws at once if a
// question is pending, the table is over or nothing was drawn for a while.
func (c *conversation) showTable(p scene.Position) {
	c.mu.Lock()
	defer c.mu.Unlock()
	first := c.shown.Table == nil
	c.shown = p
	switch {
	case first || c.asking || len(p.Table.Duties()) == 0 || c.due == nil && time.Since(c.drawn) >= settle:
		c.drawTable(nil)
	case c.due == nil:
		c.due = time.AfterFunc(time.Until(c.drawn.Add(settle)), c.drawDue)
	}
}

// drawDue draws the table if a drawing is due.
func (c *conversation) drawDue() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.due != nil && c.ctx.Err() == nil {
		c.drawTable(nil)
	}
}

// drawTable makes the page draw the table. The caller holds mu.
func (c *conversation) drawTable(ask *Ask) {
	if c.due != nil {
		c.due.Stop()
	}
	c.due, c.asking, c.drawn = nil, ask != nil, time.Now()
	if len(c.told) > 0 {
		c.emit("tell", map[string]any{"tells": c.told})
		c.told = nil
	}
	v := voiceOf(c.Lang, c.shown.Table)
	event := map[string]any{"view": v.viewOf(c.shown), "ask": ask}
	if n := c.shown.Table.Cards(); n > c.faces {
		c.faces = n
		event["faces"] = v.faces(c.shown.Table)
	}
	c.emit("table", event)
	switch why := c.missingBot(); {
	case why != "":
		c.emitState("stopped", true, why)
	case c.stands != "playing":
		c.emitState("playing", false, "")
	}
}

// choose is a player.Choose that asks the page, unless the only possible answer decides nothing.
func (c *conversation) choose(ctx context.Context, s *table.State, v table.View) (json.RawMessage, error) {
	p := scene.SeatPosition(s, v)
	voice := voiceOf(c.Lang, s)
	if move := voice.game.ForcedMove(p); move != nil {
		return move, nil
	}
	reply := make(chan json.RawMessage, 1)
	c.askPage(p, reply, voice.askAfter(p, nil))
	defer func() {
		c.mu.Lock()
		c.asked = nil
		c.mu.Unlock()
	}()
	select {
	case move := <-reply:
		return move, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// askPage makes the page ask a question and expects the answer in reply.
func (c *conversation) askPage(p scene.Position, reply chan<- json.RawMessage, ask *Ask) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.shown, c.asked = p, reply
	c.drawTable(ask)
}

// picks are some of the answers to a question.
type picks struct {
	conversationName
	Picks []scene.Pick `json:"picks"`
	At    *int         `json:"at"` // of the question that this answers; null: any
}

// pendingQuestion returns a conversation, the position that its player is asked about, and the
// channel for the answer.
func (d *Desk) pendingQuestion(a conversationName) (*conversation, scene.Position, chan<- json.RawMessage, error) {
	c, err := d.conversationOf(a)
	if err != nil {
		return nil, scene.Position{}, nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.asked == nil {
		return nil, scene.Position{}, nil, errNothingAsked
	}
	return c, c.shown, c.asked, nil
}

var errNothingAsked = errors.New("nothing is asked of you now")

// consider returns what some picks mean and what may follow them.
func consider(d *Desk, _ context.Context, a picks) (any, error) {
	c, p, _, err := d.pendingQuestion(a.conversationName)
	if err != nil {
		return nil, err
	}
	return voiceOf(c.Lang, p.Table).askAfter(p, a.Picks), nil
}

// answerPicks answers with the move that some picks make.
func answerPicks(d *Desk, _ context.Context, a picks) (any, error) {
	c, p, asked, err := d.pendingQuestion(a.conversationName)
	if err != nil {
		return nil, err
	}
	if a.At != nil && *a.At != p.Table.CountApplied() {
		return nil, errors.New("that was asked before, and something else is asked now")
	}
	move := voiceOf(c.Lang, p.Table).game.Answer(p, a.Picks).Move
	if move == nil {
		return nil, errors.New("that is no whole move")
	}
	select {
	case asked <- *move:
	default: // answered already
	}
	return nil, nil
}

// terminal returns a terminal's display for this conversation, the shown position, and whether the
// seat is asked.
func (c *conversation) terminal() (terminal.Display, scene.Position, bool, error) {
	c.mu.Lock()
	p, asked := c.shown, c.asked != nil
	c.mu.Unlock()
	if p.Table == nil {
		return terminal.Display{}, p, false, errNothingShown
	}
	t, err := textOf(c.Lang, p)
	return t, p, asked, err
}

var errNothingShown = errors.New("nothing is shown of this table yet")

// textOf returns a terminal's display of a table.
func textOf(lang string, p scene.Position) (terminal.Display, error) {
	return terminal.For(p.Table.Genesis().Game, lang, terminal.Style{})
}

// terminalText returns the table as a terminal shows it, with the question after some picks.
func terminalText(d *Desk, _ context.Context, a picks) (any, error) {
	c, err := d.conversationOf(a.conversationName)
	if err != nil {
		return nil, err
	}
	t, p, asked, err := c.terminal()
	if err != nil {
		return nil, err
	}
	return t.Screen(p, asked, a.Picks), nil
}

// LineResult is the result of a line: a command's answer, a refusal, or picks.
type LineResult struct {
	Command string `json:"command,omitempty"`
	Said    string `json:"said,omitempty"`
	Why     string `json:"why,omitempty"`
	Ask     *Ask   `json:"ask,omitempty"`
}

// readLine reads a person's line as a terminal does: a command, or names of parts in sequence.
func readLine(d *Desk, _ context.Context, a struct {
	picks
	Line string `json:"line"`
}) (any, error) {
	c, err := d.conversationOf(a.conversationName)
	if err != nil {
		return nil, err
	}
	t, p, asked, err := c.terminal()
	if err != nil {
		return nil, err
	}
	if command := t.Command(a.Line); command != "" {
		return LineResult{Command: command, Said: t.AnswerCommand(command, p, asked, a.Picks, newRand())}, nil
	}
	if !asked {
		return LineResult{Said: t.NotYours(p)}, nil
	}
	picked, _, err := t.ReadPicks(p, a.Picks, a.Line)
	if err != nil {
		return LineResult{Why: err.Error()}, nil
	}
	return LineResult{Ask: voiceOf(c.Lang, p.Table).askAfter(p, picked)}, nil
}
