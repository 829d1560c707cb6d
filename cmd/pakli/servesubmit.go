package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/httpapi/operator"
	"github.com/pakli/pakli/ledger"
	"github.com/pakli/pakli/ledger/submit"
	"github.com/pakli/pakli/ledger/tlog"
)

// furtherSigners are the further keys in the log's directory, see pakli key.
func (s *running) furtherSigners() (signers []note.Signer, err error) {
	_, also, err := ledger.LoadKeys(s.data)
	for _, k := range also {
		signers, s.also = append(signers, k.Signer), append(s.also, k.Public)
	}
	return signers, err
}

// policyOf reads which cosigners the log in data has, nil if no file says so. If
// the file names logs, this one must be among them.
func policyOf(file, data string) (*tlog.Policy, error) {
	policy, err := readPolicy(file)
	if policy == nil || err != nil {
		return nil, err
	}
	if err := submit.Check(policy); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if len(policy.Logs) == 0 {
		return policy, nil
	}
	key, also, err := ledger.LoadKeys(data)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: it is a policy for certain logs, and that in %s has no key yet: start it without the policy once, "+
			"and name its key, or leave the lines with logs out", file, data)
	}
	if err != nil {
		return nil, err
	}
	for _, k := range append(also, key) {
		if slices.ContainsFunc(policy.Logs, func(l tlog.PolicyLog) bool { return l.Key.String() == k.Public }) {
			return policy, nil
		}
	}
	return nil, fmt.Errorf("%s: the key of this log is not among its logs: %s", file, key.Public)
}

// openCosigners asks the cosigners of a policy, if there is one, whether they
// have seen another history of this log, and begins to show them this one.
func (s *running) openCosigners(ctx context.Context, policy *tlog.Policy, alone bool, logger *slog.Logger) (err error) {
	if policy == nil {
		return nil
	}
	if s.cosigners, err = submit.New(s.log, submit.Options{Policy: policy, Logger: logger}); err != nil {
		return err
	}
	if err := s.cosigners.Probe(ctx); err != nil {
		return err
	}
	if err := s.confirm(ctx, alone, logger); err != nil {
		return err
	}
	s.measureCosigners()
	go s.cosigners.Run(ctx)
	return nil
}

// confirm sees to it that the log is not an old copy of which its cosigners know more.
// They have been asked. If a quorum has not answered, the log goes on only if nothing
// says that it may be one: it was not restored, and the last that a quorum has
// seen of it is all there is. The operator can say that it is none.
func (s *running) confirm(ctx context.Context, alone bool, logger *slog.Logger) error {
	restored, err := s.log.Restored()
	if err != nil {
		return err
	}
	q, list := s.cosigners.State()
	switch doubt, err := s.doubt(ctx, restored); {
	case err != nil:
		return err
	case !q.At.IsZero() && restored:
		return s.log.Confirm()
	case !q.At.IsZero() || doubt == "":
		return nil
	case alone:
		logger.Warn("the log goes on although too few of its cosigners have said that they know of nothing further", "because", doubt, "failing", failing(list))
		return nil
	default:
		return fmt.Errorf("%s, and too few of its cosigners have said that they know of nothing further: no answer from %s. "+
			"If it had got further, going on would fork it for good. Start the server when they answer; "+
			"or, if you are sure that this is the newest copy, with --restored-alone", doubt, strings.Join(failing(list), ", "))
	}
}

// doubt says why the log may be an old copy, "" if nothing says so.
func (s *running) doubt(ctx context.Context, restored bool) (string, error) {
	if restored {
		return "this log was restored", nil
	}
	c, err := s.log.Checkpoint(ctx)
	if err != nil || c.Size == 0 {
		return "", err
	}
	last, err := s.log.Cosigned().Checkpoint(ctx)
	if err != nil && !errors.Is(err, tlog.ErrNotCosigned) {
		return "", err
	}
	if last.Size == c.Size {
		return "", nil
	}
	return fmt.Sprintf("a quorum has cosigned %d of the %d entries of this log", last.Size, c.Size), nil
}

// cosigned reads the log as its cosigners have seen it, nil if it has none.
func (s *running) cosigned() tlog.Reader {
	if s.cosigners == nil {
		return nil
	}
	return s.log.Cosigned()
}

func (s *running) measureCosigners() {
	s.metrics.Gauge("cosigned_entries", "Entries under the newest checkpoint that enough cosigners have seen.", func() float64 {
		q, _ := s.cosigners.State()
		return float64(q.Size)
	})
	s.metrics.Gauge("cosigners_failing", "Cosigners that do not cosign.", func() float64 {
		_, list := s.cosigners.State()
		return float64(len(failing(list)))
	})
}

// cosignersCheck says how the cosigners do. The log is ready without them: no
// append waits for a cosigner.
func (s *running) cosignersCheck() []operator.Check {
	if s.cosigners == nil {
		return nil
	}
	q, list := s.cosigners.State()
	detail := "no checkpoint was cosigned since the start"
	if !q.At.IsZero() {
		detail = fmt.Sprintf("%d entries cosigned, %v ago", q.Size, time.Since(q.At).Round(time.Second))
	}
	if bad := failing(list); len(bad) > 0 {
		detail += "; failing: " + strings.Join(bad, ", ")
	}
	return []operator.Check{{Name: "cosigners", Ready: true, Detail: detail}}
}

func failing(list []submit.Health) (urls []string) {
	for _, c := range list {
		if c.Err != nil {
			urls = append(urls, c.URL)
		}
	}
	return urls
}
