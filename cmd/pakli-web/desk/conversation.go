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

// conversation is a table that a page shows while it goes on.
type conversation struct {
	tableAddress
	seat  string // whose alone it is; "": of the page, with its bots
	desk  *Desk
	ctx   context.Context // until the page leaves
	leave context.CancelFunc
	ended chan struct{} // closed when all its seats have left

	policy *tlog.Policy // of who must vouch for the table before a copy of a seat goes on; nil: nobody

	mu     sync.Mutex
	shown  scene.Position         // what the page sees, or is to see when it is due
	told   []Tell                 // what the page is told with it
	heard  int                    // of the messages that are told
	due    *time.Timer            // nil: the page sees what is shown
	asked  chan<- json.RawMessage // nil: nothing is asked
	asking bool                   // the page shows a question
	stands string                 // how the seat is, as the page was told
	halted map[string]string      // why bots of the page play no more, by their verifier keys
	gone   bool                   // the person's own seat plays no more
	plays  []*playing             // the seats of the page here, the person's among them
	faces  int                    // cards of the deck that the page was told
	here   int                    // seats that this page plays
}

// playing is a seat of a page while it plays: what is wanted of it besides moves is done between two of its steps.
type playing struct {
	bot  bool
	acts chan wantedAct // holds one
}

// wantedAct is an act that a seat is to do.
type wantedAct struct {
	player.Act
	done chan error // takes one
}

// playBetweenActs plays a seat, and has it do what is wanted of it, until play ends by itself.
func (w *playing) playBetweenActs(ctx context.Context, p *player.Seat) error {
	return player.PlayBetween(ctx, p.Play, func(ctx context.Context) func(context.Context) {
		var a wantedAct
		select {
		case a = <-w.acts:
		case <-ctx.Done():
			select {
			case a = <-w.acts: // before play had ended
			default:
				return nil
			}
		}
		return func(ctx context.Context) { a.done <- p.PostAct(ctx, a.Act) }
	})
}

// doActOf has a seat do something, and waits until it is done.
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

// doAct has the person's seat leave the table, come back, or say what it agrees to. Bots of the page want what their
// person wants: nobody else could ask them. So before who leaves is gone with them, they agree to end.
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
			_ = c.doActOf(ctx, w, wire.KindAgree, to) // void if the table is over, or it wants that already
		}
	}
	return nil, nil
}

// sitDown seats the person of this browser at a table, and the bots of this browser that
// sit there as well. Here says that the person's other device is gone.
func sitDown(d *Desk, _ context.Context, a struct {
	tableAddress
	Here   bool       `json:"here"`
	Kept   keptReason `json:"kept"`
	Policy string     `json:"policy"` // that names the log's cosigners, if these pages have one
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

// openSeats opens all seats of this browser at a table, of which one must be the person's.
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

// mayPlay notes what keeps the seat at a table, and refuses if nothing does.
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

// openTable puts a table on the desk, in place of what was shown of it before.
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

// conversationName names a conversation: a page has one at a table, a program one for each of its
// seats there.
type conversationName struct {
	Table wire.Hash `json:"table"`
	Seat  string    `json:"seat"` // its ID; "": of the page
}

// conversationOf is the conversation of that name.
func (d *Desk) conversationOf(a conversationName) (*conversation, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if c, ok := d.tables[a]; ok {
		return c, nil
	}
	return nil, errors.New("this table is not open here")
}

// What a vault may say of a record: it could not be stored, or what was stored is not whole.
var (
	ErrFull    = errors.New("there is no space left to store it")
	ErrDamaged = errors.New("it is damaged")
)

// pause is how long a seat waits for a server that is away, or for space; twice as long every time, up to most.
const pause, most = time.Second, 15 * time.Second

// isGarbled reports whether an answer came in half, or is that of something between: nothing
// of it was believed, and it is asked for again.
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
			return // the table says so
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

// emit tells of an event of this conversation.
func (c *conversation) emit(name string, fields map[string]any) {
	fields["table"] = c.Table
	if c.seat != "" {
		fields["seat"] = c.seat
	}
	c.desk.emit(name, fields)
}

// tellState tells the page how its own seat is.
func (c *conversation) tellState(s *seat, state string, alarm bool, text string) {
	if s == nil || !s.about.Bot || alarm {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.gone && s != nil && s.about.Bot {
			return // of the person's seat is asked whether the other device is gone
		}
		if c.due != nil {
			c.drawTable(nil) // which says that the seat plays
		}
		c.emitState(state, alarm, text)
	}
}

// emitState tells the page how its seat is. The caller holds mu.
func (c *conversation) emitState(state string, alarm bool, text string) {
	c.stands = state
	c.emit("state", map[string]any{"state": state, "alarm": alarm, "text": text})
}

// halt tells the page that a seat of it plays no more. Of a bot's it is told again when the table
// is drawn and waits for it: the person's own seat goes on, of which the page must know before all.
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

// missingBot is why a bot plays no more for which the table as it is shown waits; "" if it waits for none.
// The caller holds mu.
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

// playSeat plays a seat. Here is true until the seat was told that its other device is gone: that is
// said once, of what has been, and not of a device that comes back.
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
	if c.here < p.State().Seats() { // or else there is nobody to tell
		ctx, stop := context.WithCancel(ctx)
		defer stop()
		go tablelog.Attend(ctx, cl, c.Table, s.VerifierKey(), s.Signer(), c.tellPresent)
	}
	return w.playBetweenActs(ctx, p)
}

// tellPresent tells the page which seats are there, as the server says: no verdict knows of it.
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
	c.emit("present", map[string]any{"seats": seats})
}

func newRand() *mathrand.Rand {
	return mathrand.New(mathrand.NewPCG(mathrand.Uint64(), mathrand.Uint64()))
}

// watchSeat shows what the person's seat sees, from now on.
func (c *conversation) watchSeat(p *player.Seat) error {
	before := p.State()
	p.Watch = func(after *table.State, m *wire.Message) {
		c.tellLater(before, after, m)
		before = after
		if v, err := p.View(); err == nil { // and if not, Play says so when it matters
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

// tellLater tells the page what a message did, once, with the table as it is then.
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

// settle is how long a page may lag behind the table: what several machines do in a row is
// drawn once.
const settle = 100 * time.Millisecond

// showTable shows the table as it is now. What was asked before is asked no longer, and who is
// asked must see that at once, as everybody the end of the table.
func (c *conversation) showTable(p scene.Position) {
	c.mu.Lock()
	defer c.mu.Unlock()
	first := c.shown.Table == nil
	c.shown = p
	switch {
	case first || c.asking || len(p.Table.Duties()) == 0:
		c.drawTable(nil)
	case c.due == nil:
		c.due = time.AfterFunc(settle, c.drawDue)
	}
}

// drawDue shows what is due.
func (c *conversation) drawDue() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.due != nil && c.ctx.Err() == nil {
		c.drawTable(nil)
	}
}

// drawTable has the page draw the table. The caller holds mu.
func (c *conversation) drawTable(ask *Ask) {
	if c.due != nil {
		c.due.Stop()
	}
	c.due, c.asking = nil, ask != nil
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

// choose is a player.Choose that asks the page, unless there is but one answer which
// decides nothing.
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

// askPage has the page ask something, to be answered in reply.
func (c *conversation) askPage(p scene.Position, reply chan<- json.RawMessage, ask *Ask) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.shown, c.asked = p, reply
	c.drawTable(ask)
}

// picks are some of the answers to what is asked.
type picks struct {
	conversationName
	Picks []scene.Pick `json:"picks"`
	At    *int         `json:"at"` // of the question, if the answer is to no other one
}

// pendingQuestion is what the player is asked of, the conversation it is asked in, and how it is answered.
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

// consider says what some picks come to, and what may follow.
func consider(d *Desk, _ context.Context, a picks) (any, error) {
	c, p, _, err := d.pendingQuestion(a.conversationName)
	if err != nil {
		return nil, err
	}
	return voiceOf(c.Lang, p.Table).askAfter(p, a.Picks), nil
}

// answerPicks gives the move that some picks come to.
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
	default: // it was answered already
	}
	return nil, nil
}

// terminal is how a terminal shows this conversation, what it shows, and whether the seat is asked.
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

// textOf is how a terminal shows a table.
func textOf(lang string, p scene.Position) (terminal.Display, error) {
	return terminal.For(p.Table.Genesis().Game, lang, terminal.Style{})
}

// terminalText is the table as a terminal shows it, with what is asked after some picks.
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

// LineResult is what came of a line: a command's answer, a refusal, or picks.
type LineResult struct {
	Command string `json:"command,omitempty"`
	Said    string `json:"said,omitempty"`
	Why     string `json:"why,omitempty"`
	Ask     *Ask   `json:"ask,omitempty"`
}

// readLine understands what a person typed, as a terminal does: a command, or the names of
// parts, one after another.
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
