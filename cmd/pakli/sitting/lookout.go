package sitting

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pakli/pakli/cmd/pakli/flags"
	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/httpapi/client/tablelog"
	"github.com/pakli/pakli/internal/command"
	"github.com/pakli/pakli/internal/durable"
	"github.com/pakli/pakli/internal/plain"
	"github.com/pakli/pakli/ledger/bundle"
	"github.com/pakli/pakli/ledger/tiles"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/keeper"
	"github.com/pakli/pakli/protocol/keeper/exchange"
	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

// Lookout has the flags that say what a player believes, and which sources besides the server the
// player asks.
type Lookout struct {
	whole    bool
	against  []string
	patience time.Duration
	file     string // of the policy
	policy   *tlog.Policy
	seat     *player.Seat // set once it sits
	Beside   string       // seat file
	KeepAt   string       // beginning of the names of its table's files, which may convict a log
}

// LookoutOf declares these flags.
func LookoutOf(f *command.Flags) *Lookout {
	l := new(Lookout)
	f.BoolVar(&l.whole, "whole-log", false, "read every entry of the log, and not only the messages of the table: then the server can leave none of them out")
	f.Func("against", "`place` to ask when nothing new has come for a while: URL of another server, or directory of a mirror, of the same log; may be repeated", func(s string) error {
		l.against = append(l.against, s)
		return nil
	})
	f.DurationVar(&l.patience, "patience", 30*time.Second, "how long to wait for news before others are asked")
	f.StringVar(&l.file, "policy", "", "`file` that names cosigners: this seat gives no tokens before enough of them have seen what the tokens are for, and asks them too when nothing new comes")
	return l
}

// CompleteKeys reads the policy. Without --log, the log is the policy's.
func (l *Lookout) CompleteKeys(s *flags.Server) (err error) {
	if l.patience <= 0 {
		return command.WrongUsage("--patience %v: must be more than nothing", l.patience)
	}
	for _, name := range l.against {
		info, err := os.Stat(name)
		if !(err == nil && info.IsDir() || strings.HasPrefix(name, "http://") || strings.HasPrefix(name, "https://")) {
			return command.WrongUsage("--against %s: this is no URL and no directory", name)
		}
	}
	if l.policy, err = flags.ReadPolicy(l.file); err != nil || l.policy == nil || len(s.Keys) > 0 {
		return err
	}
	for _, known := range l.policy.Logs {
		if len(s.Keys) > 0 && known.Key.Name() != s.Keys[0].Name() {
			return command.WrongUsage("the policy names several logs: say with --log which one is meant")
		}
		s.Keys = append(s.Keys, known.Key)
	}
	return nil
}

// newSource returns the source from which this player reads the log.
func (l *Lookout) newSource(e command.Env, s *flags.Server, c *client.Client, id wire.Hash) (*tablelog.Source, error) {
	o := tablelog.Options{
		Server: c, Whole: l.whole, Patience: l.patience, Policy: l.policy, Keep: l.keepFork,
		Tell: func(f tablelog.Finding) { TellPlayer(e, f.Text+l.awaitedText(f)) },
	}
	keys := s.Verifiers()
	for _, name := range l.against {
		if info, err := os.Stat(name); err == nil && info.IsDir() {
			o.Others = append(o.Others, tablelog.Mirror{Directory: tiles.Directory(name), Keys: keys})
			continue
		}
		p, err := tablelog.NewOtherServer(name, nil, keys[0], keys[1:]...)
		if err != nil {
			return nil, err
		}
		o.Others = append(o.Others, p)
	}
	if l.policy != nil {
		asked := map[string]bool{"": true}
		for _, known := range l.policy.Cosigners {
			if !asked[known.URL] {
				asked[known.URL] = true
				o.Others = append(o.Others, tablelog.Cosigner{Name: known.Name, URL: known.URL, Server: c})
			}
		}
	}
	return tablelog.New(id, o), nil
}

// awaitedText returns whom play waits for, if a finding says no more than that.
func (l *Lookout) awaitedText(f tablelog.Finding) string {
	if f.Kind != tablelog.Waiting || l.seat == nil {
		return ""
	}
	return ": play is waiting for " + strings.Join(AwaitedDuties(l.seat.State()), ", and for ")
}

// headsIn is the number of requests to keepers within the grace of a table.
const headsIn = 3

// useKeepers makes the seat give keepers the messages that the log does not take, and ask them for
// heads and silences, if the table's clock names keepers that the policy knows with their keys for
// lines.
func (l *Lookout) useKeepers(e command.Env, p *player.Seat, src *tablelog.Source) {
	clock := p.State().Genesis().Clock
	list, err := keepersOf(l.policy, clock)
	if err == nil && len(list) == 0 {
		if clock.Silence {
			TellPlayer(e, "this table's clock has keepers, who would hold your messages if the log withheld them: name them with --policy")
		}
		return
	}
	if err != nil {
		TellPlayer(e, fmt.Sprintf("keepers cannot hold your messages: %v", err))
		return
	}
	proof, _ := readProof(l.KeepAt + ProofSuffix)
	k := tablelog.NewKeepers(src, list, proof, l.keepHeld)
	if clock.Silence {
		k.Sat = func(r exchange.Request) {
			if err := durable.Replace(l.KeepAt+ProofSuffix, r.Marshal(), 0o644); err != nil {
				TellPlayer(e, fmt.Sprintf("what keepers have to be shown is not kept, so when this program begins again they know where your seat is only once the server has shown the table: %v", err))
			}
		}
	}
	p.Keepers = k
	src.ReadKeepers(k.Places(src.Server), time.Duration(clock.Grace)*time.Second/headsIn)
}

// ProofSuffix ends the name of a file with what a table's keepers are shown of the table and the
// seat: a request with the seat's last presence.
const ProofSuffix = ".proof"

// readProof reads such a file. It returns nil if there is none.
func readProof(file string) (*exchange.Request, error) {
	body, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	r, err := exchange.ParseRequest(body)
	return &r, err
}

// TellPresence tells keepers that a seat is lost, for the tables of this name at which it has sat
// before, or for all: as long as the server does not let the seat open them, somebody could have it
// timed out. It reports whether keepers are told. stop ends this for one table, or for all with a
// zero id.
func (l *Lookout) TellPresence(ctx context.Context, e command.Env, seat *player.Identity, table string) (told bool, stop func(table wire.Hash)) {
	at := map[wire.Hash]func(){}
	dir, name := filepath.Split(l.Beside)
	files, _ := os.ReadDir(cmp.Or(dir, "."))
	begins := func(wire.Hash) bool { return true }
	if table != "" {
		if named, err := bundle.BeginsWith(table); err == nil { // opening reports a wrong name
			begins = named
		}
	}
	for _, f := range files {
		text, is := strings.CutSuffix(f.Name(), ProofSuffix)
		text, ours := strings.CutPrefix(text, name+".")
		id, err := wire.ParseHash(text)
		if !is || !ours || err != nil || !begins(id) {
			continue
		}
		attend, err := l.presenceTeller(e, seat, filepath.Join(dir, f.Name()))
		if err != nil {
			TellPlayer(e, fmt.Sprintf("%s shows keepers nothing: %v", f.Name(), err))
		} else if attend != nil {
			told = true
			ctx, cancel := context.WithCancel(ctx)
			var until sync.WaitGroup
			until.Go(func() { attend(ctx) })
			at[id] = func() { cancel(); until.Wait() }
		}
	}
	return told, func(table wire.Hash) {
		for id, stop := range at {
			if table == id || table == (wire.Hash{}) {
				stop()
			}
		}
	}
}

// presenceTeller returns a function that tells keepers that a seat is lost, by its proof, or nil if
// the policy names none of them.
func (l *Lookout) presenceTeller(e command.Env, id *player.Identity, file string) (func(context.Context), error) {
	proof, err := readProof(file)
	if err != nil {
		return nil, err
	}
	genesis, err := wire.Parse(proof.Genesis)
	if err != nil {
		return nil, err
	}
	at, doc, err := exchange.ParsePresence(proof.Message)
	if err != nil {
		return nil, err
	}
	key, err := wire.ParseVerifier(id.VerifierKey())
	if err == nil {
		err = doc.Verify(key)
	}
	if err != nil || genesis.Table == nil {
		return nil, cmp.Or(err, errors.New("it is of no table"))
	}
	list, err := keepersOf(l.policy, genesis.Table.Clock)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	k := tablelog.ProvedKeepers(list, *proof, func(f tablelog.Finding) { TellPlayer(e, f.Text) }, l.keepHeld)
	return func(ctx context.Context) { player.TellLost(ctx, id, k, at.Place(), proof.Reseat, genesis.Table.Clock) }, nil
}

// UntilOpen repeats a call to the server until it succeeds, if keepers know that a seat waits for it.
func UntilOpen(ctx context.Context, e command.Env, told bool, open func() error) error {
	for said := ""; ; {
		err := open()
		if err == nil || !told || ctx.Err() != nil || IsFinal(err) {
			return err
		}
		if text := err.Error(); text != said {
			TellPlayer(e, text+"; this seat waits until it can open the table, and its keepers are told that")
			said = text
		}
		_ = command.Wait(ctx, Pause) // the end of ctx is reported by the next call
	}
}

// keepersOf returns the keepers of a clock that a policy knows with a URL and a key for lines.
func keepersOf(policy *tlog.Policy, clock wire.Clock) (list []*client.Keeper, err error) {
	if policy == nil {
		return nil, nil
	}
	for _, c := range policy.Cosigners {
		if c.Lines == nil || c.URL == "" || !slices.Contains(clock.Keepers, c.Key.String()) {
			continue
		}
		k, err := client.NewKeeper(c.Name, c.URL, c.Lines.String(), nil)
		if err != nil {
			return nil, err
		}
		list = append(list, k)
	}
	return list, nil
}

// AddSilence adds keepers' silences to a claim, if the table's clock asks for them. Keepers have to
// show the head for the grace before they sign any.
func (l *Lookout) AddSilence(ctx context.Context, e command.Env, src *tablelog.Source, now *table.State, body *wire.TimeoutBody) error {
	clock := now.Genesis().Clock
	if !clock.Silence {
		return nil
	}
	list, err := keepersOf(l.policy, clock)
	if err != nil {
		return err
	}
	if len(list) < clock.Quorum {
		return command.WrongUsage("%d keepers of this table must say that they hold no message of that seat, and --policy names %d of them with a URL and a key for lines", clock.Quorum, len(list))
	}
	if _, err := src.Messages(ctx, now.ID(), 0, 0); err != nil {
		return err
	}
	k := tablelog.NewKeepers(src, list, nil, l.keepHeld)
	TellPlayer(e, "asking keepers, who must have shown the last entry for a while before they answer")
	place := keeper.Place{Table: now.ID(), Parent: now.Head(), Seat: body.Seat}
	for end := time.Now().Add(time.Duration(clock.Grace)*time.Second + KeepersTime); ; {
		if body.Silence = append([][]byte{}, k.Silence(ctx, place)...); len(body.Silence) >= clock.Quorum {
			return nil
		}
		if time.Now().After(end) || ctx.Err() != nil {
			return fmt.Errorf("%d of %d keepers have said that they hold no message of seat %s", len(body.Silence), clock.Quorum, SeatLetter(body.Seat))
		}
		_ = command.Wait(ctx, Pause) // the end of ctx is reported by the next call
	}
}

// KeepersTime is how long keepers are asked, in addition to the grace of the table.
var KeepersTime = 30 * time.Second

// keepHeld writes a held message beside the seat file.
func (l *Lookout) keepHeld(m keeper.Message) (where string, err error) {
	where = fmt.Sprintf("%s.%.8s.held", l.KeepAt, m.Entry)
	return where, durable.Replace(where, exchange.Marshal(m), 0o644)
}

// WatchSeat makes the seat report what it notices about others, and ask cosigners and keepers.
func (l *Lookout) WatchSeat(e command.Env, p *player.Seat, src *tablelog.Source) {
	l.seat = p
	l.useKeepers(e, p, src)
	p.Stray = func(m *wire.Message, known bool) {
		if known {
			TellPlayer(e, fmt.Sprintf("seat %s has signed a %s on an entry that is not the head any more: it does not count", SeatLetter(m.Seat), m.Kind))
			return
		}
		TellPlayer(e, fmt.Sprintf("seat %s has signed a %s on entry %s, which the server does not show: it has seen another history of this table than you", SeatLetter(m.Seat), m.Kind, m.Parent))
		src.Doubt()
	}
	if l.policy != nil {
		p.Vouched = src.AwaitVouching
	}
}

// SeatLetter returns the letter of a seat.
func SeatLetter(n int) string { return string(rune('A' + n)) }

// keepFork writes two checkpoints that cannot both be true beside the seat file.
func (l *Lookout) keepFork(a, b tlog.Checkpoint) (where string, err error) {
	one, other := l.KeepAt+".checkpoint-1", l.KeepAt+".checkpoint-2"
	return one + " and " + other, errors.Join(durable.Replace(one, a.Note, 0o644), durable.Replace(other, b.Note, 0o644))
}

// TellPlayer writes a line about the log to a person. Servers may have chosen parts of it.
func TellPlayer(e command.Env, text string) {
	fmt.Fprintf(e.Err, "pakli play: %s\n", plain.Lines(text))
}

// OpenTable returns a client, the source of a table for a player, and the table's id.
func (l *Lookout) OpenTable(ctx context.Context, e command.Env, s *flags.Server, id *player.Identity, table string) (*client.Client, *tablelog.Source, wire.Hash, error) {
	c, tableID, err := s.FindTable(ctx, e, table)
	if err != nil {
		return nil, nil, wire.Hash{}, err
	}
	l.KeepAt = l.Beside + "." + tableID.String()
	believed, err := id.BelievedCheckpoint(tableID)
	if err != nil {
		return nil, nil, wire.Hash{}, err
	}
	if believed != nil {
		if err := c.BelieveCheckpoint(ctx, believed); errors.Is(err, tlog.ErrUnsigned) {
			return nil, nil, wire.Hash{}, fmt.Errorf("what this seat saw before was signed with another key: give the former key of the log too, in a second --log: %w", err)
		} else if err != nil {
			return nil, nil, wire.Hash{}, err
		}
	}
	src, err := l.newSource(e, s, c, tableID)
	return c, src, tableID, err
}
