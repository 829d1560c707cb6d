package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/pakli/pakli/cmd/pakli/reading"
	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/internal/durable"
	"github.com/pakli/pakli/internal/plain"
	"github.com/pakli/pakli/ledger/mirror"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/wire"
)

// lookout is the flags that say what a player believes, and whom it asks besides the
// server.
type lookout struct {
	whole    bool
	against  []string
	patience time.Duration
	file     string // of the policy
	policy   *tlog.Policy
	seat     *player.Seat // once it sits
	keepAt   string       // where files that convict a log are begun
}

func newLookout(f *flag.FlagSet) *lookout {
	l := new(lookout)
	f.BoolVar(&l.whole, "whole-log", false, "read every entry of the log, and not only the messages of the table: then the server can leave none of them out")
	f.Func("against", "`place` to ask when nothing new has come for a while: URL of another server, or directory of a mirror, of the same log; may be repeated", func(s string) error {
		l.against = append(l.against, s)
		return nil
	})
	f.DurationVar(&l.patience, "patience", 30*time.Second, "how long to wait for news before others are asked")
	f.StringVar(&l.file, "policy", "", "`file` that names cosigners: this seat gives no tokens before enough of them have seen what the tokens are for, and asks them too when nothing new comes")
	return l
}

// complete reads the policy. Without --log the log is the policy's.
func (l *lookout) complete(s *server) (err error) {
	if l.patience <= 0 {
		return wrongUsage("--patience %v: must be more than nothing", l.patience)
	}
	if l.policy, err = readPolicy(l.file); err != nil || l.policy == nil || len(s.keys) > 0 {
		return err
	}
	for _, known := range l.policy.Logs {
		if len(s.keys) > 0 && known.Key.Name() != s.keys[0].Name() {
			return wrongUsage("the policy names several logs: say with --log which one is meant")
		}
		s.keys = append(s.keys, known.Key)
	}
	return nil
}

// source is the log as this player reads it.
func (l *lookout) source(e env, s server, c *client.Client, id wire.Hash) (*reading.Source, error) {
	o := reading.Options{
		Server: c, Whole: l.whole, Patience: l.patience, Policy: l.policy, Keep: l.keep,
		Tell: func(f reading.Finding) { e.say(f.Text + l.whom(f)) },
	}
	keys := s.verifiers()
	for _, name := range l.against {
		if info, err := os.Stat(name); err == nil && info.IsDir() {
			o.Others = append(o.Others, reading.Mirror{Dir: mirror.Dir(name), Keys: keys})
			continue
		}
		if !strings.HasPrefix(name, "http://") && !strings.HasPrefix(name, "https://") {
			return nil, wrongUsage("--against %s: this is no URL and no directory", name)
		}
		p, err := reading.At(name, nil, keys[0], keys[1:]...)
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
				o.Others = append(o.Others, reading.Cosigner{Name: known.Name, URL: known.URL, Server: c})
			}
		}
	}
	return reading.New(id, o), nil
}

// whom says whom play waits for, where there is nothing else to say.
func (l *lookout) whom(f reading.Finding) string {
	if f.Kind != reading.Waiting || l.seat == nil {
		return ""
	}
	return ": play is waiting for " + strings.Join(awaited(l.seat.State()), ", and for ")
}

// watch has the seat tell what it notices of others, and ask for cosigners.
func (l *lookout) watch(e env, p *player.Seat, src *reading.Source) {
	l.seat = p
	p.Stray = func(m *wire.Message, known bool) {
		if known {
			e.say(fmt.Sprintf("seat %s has signed a %s on an entry that is not the head any more: it does not count", seatLetter(m.Seat), m.Kind))
			return
		}
		e.say(fmt.Sprintf("seat %s has signed a %s on entry %s, which the server does not show: it has seen another history of this table than you", seatLetter(m.Seat), m.Kind, m.Parent))
		src.Doubt()
	}
	if l.policy != nil {
		p.Vouched = src.Vouched
	}
}

func seatLetter(n int) string { return string(rune('A' + n)) }

// keep writes two checkpoints that cannot both be true beside the seat file.
func (l *lookout) keep(a, b tlog.Checkpoint) (where string, err error) {
	one, other := l.keepAt+".checkpoint-1", l.keepAt+".checkpoint-2"
	return one + " and " + other, errors.Join(durable.Replace(one, a.Note, 0o644), durable.Replace(other, b.Note, 0o644))
}

// say tells a person something about the log, on a line of its own. Servers choose
// parts of it.
func (e env) say(text string) { fmt.Fprintf(e.err, "pakli play: %s\n", plain.Lines(text)) }
