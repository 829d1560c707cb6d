package verification

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/pakli/pakli/internal/command"
	"github.com/pakli/pakli/internal/durable"
	"github.com/pakli/pakli/internal/plain"
	"github.com/pakli/pakli/ledger/bundle"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/keeper/exchange"
	"github.com/pakli/pakli/verifier"
	"github.com/pakli/pakli/verifier/follow"
	"github.com/pakli/pakli/verifier/tableset"
)

// evidenceCommand checks a file of evidence with the log's key alone: two checkpoints that cannot
// both be true, a bundle, or a complaint. It exits with the code of the verdict that the file proves,
// or exitCannot if it proves none.
func evidenceCommand(f *command.Flags) command.Body {
	a := new(following)
	a.trust.addFlags(f)
	return func(ctx context.Context, e command.Env) error {
		if !isKeeperEvidence(f.Arg(0)) { // needs no log key
			if err := a.completeKeys(); err != nil {
				return command.Misuse(err)
			}
		}
		code, err := a.checkEvidence(ctx, f.Arg(0), e)
		if err != nil {
			return command.ExitWith(exitCannot, fmt.Errorf("cannot check: %w", err))
		}
		return command.ExitWith(code, nil)
	}
}

// isKeeperEvidence reports whether a file is evidence against a keeper and not about a log.
func isKeeperEvidence(name string) bool {
	file, err := durable.ReadFile(name, bundle.MaxSize)
	return err == nil && bytes.HasPrefix(file, []byte(exchange.EvidenceFormat+"\n"))
}

func (a *following) checkEvidence(ctx context.Context, name string, e command.Env) (int, error) {
	file, err := durable.ReadFile(name, bundle.MaxSize)
	if err != nil {
		return 0, err
	}
	switch {
	case bytes.HasPrefix(file, []byte(bundle.Format+"\n")):
		return a.checkBundle(ctx, file, e)
	case bytes.HasPrefix(file, []byte(follow.ComplaintFormat+"\n")):
		return 0, a.checkComplaint(file)
	case bytes.HasPrefix(file, []byte(exchange.EvidenceFormat+"\n")):
		return exitKeeper, a.checkKeeper(file, e)
	}
	two, err := follow.ParseEvidence(file)
	if err == nil {
		err = two.Check(a.verifiers()...)
	}
	if err != nil {
		return 0, fmt.Errorf("%s proves nothing: %w", name, err)
	}
	text := fmt.Sprintf("Log broken: %v Both cannot be true. No seat is to blame.\n%s", two, a.seenBy(two))
	return verifier.LogBroken.ExitCode(), e.Say(map[string]any{"verdict": verifier.LogBroken, "text": text}, "%s", text)
}

// checkBundle checks a bundle, which is the evidence of a foul.
func (a *following) checkBundle(ctx context.Context, file []byte, e command.Env) (int, error) {
	b, err := bundle.Parse(file)
	if err != nil {
		return 0, err
	}
	told := arguments{words: inLocale(), trust: a.trust}
	report, err := told.verifyAndTell(ctx, bundle.Reader{Bundle: b}, tableset.AgainstOptions{Options: verifier.Options{Table: b.Table, Log: a.verifiers(), Policy: a.policy, Catalogue: catalogue()}})
	if err != nil {
		return 0, err
	}
	return report.Verdict.ExitCode(), e.SayText(report, func(w io.Writer) error { return told.words.tellReport(w, e.Loud(), report) })
}

// checkComplaint checks a complaint. It never returns a verdict.
func (a *following) checkComplaint(file []byte) error {
	c, err := follow.ParseComplaint(file)
	if err != nil {
		return err
	}
	if err := c.Verify(a.verifiers()...); err != nil {
		return err
	}
	return fmt.Errorf("the log signed %d entries with root %v; that it does not show them, no file can prove: ask the log", c.Size, c.Root)
}

// checkKeeper checks two lines of a keeper that cannot both be true. The policy names the keeper;
// without a policy it is named by its key.
func (a *following) checkKeeper(file []byte, e command.Env) error {
	two, err := exchange.ParseEvidence(file)
	if err != nil {
		return err
	}
	held, silent, err := two.Check()
	if err != nil {
		return fmt.Errorf("the file proves nothing: %w", err)
	}
	who := "The keeper with the key " + two.Key
	if a.policy != nil {
		for _, c := range a.policy.Cosigners {
			if c.Lines != nil && c.Lines.String() == two.Key {
				who = "Keeper " + c.Name
			}
		}
	}
	text := fmt.Sprintf("%s has broken its word: at table %s it held a message of seat %c on entry %s since %s, and said at %s that it held none. No seat is to blame, and not the log.\n",
		plain.Text(who), two.Table, 'A'+rune(two.Seat), two.Parent, clockTime(held), clockTime(silent))
	return e.Say(map[string]any{"keeper": two.Key, "table": two.Table, "text": text}, "%s", text)
}

// clockTime formats a time by a keeper's clock.
func clockTime(at int64) string { return time.Unix(at, 0).UTC().Format("2006-01-02 15:04:05 UTC") }

// seenBy names the policy's cosigners of the checkpoints in evidence.
func (a *following) seenBy(e *follow.Evidence) string {
	if a.policy == nil {
		return ""
	}
	text := ""
	for _, c := range []tlog.Checkpoint{e.First, e.Second} {
		by := []string{}
		seen, err := a.policy.Cosignatures(c)
		for _, s := range seen {
			by = append(by, s.Cosigner)
		}
		if err != nil || len(by) == 0 {
			by = []string{"no cosigner"}
		}
		text += fmt.Sprintf("The root %v of size %d was seen by %s.\n", c.Root, c.Size, strings.Join(by, ", "))
	}
	return text
}
