package serve

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/cmd/pakli/flags"
	"github.com/pakli/pakli/httpapi"
	"github.com/pakli/pakli/ledger"
	"github.com/pakli/pakli/ledger/admission"
	"github.com/pakli/pakli/ledger/cosign"
	"github.com/pakli/pakli/ledger/tlog"
)

// furtherSigners returns the signers of the further keys in the log's directory, see pakli key.
func (s *Server) furtherSigners() (signers []note.Signer, err error) {
	_, also, err := ledger.LoadKeys(s.data)
	for _, k := range also {
		signers, s.also = append(signers, k.Signer), append(s.also, k.Public)
	}
	return signers, err
}

// policyOf reads the policy with the log's cosigners. It returns nil if there is no file. If the file
// names logs, this log must be among them.
func policyOf(file, data string) (*tlog.Policy, error) {
	policy, err := flags.ReadPolicy(file)
	if policy == nil || err != nil {
		return nil, err
	}
	if err := cosign.CheckPolicy(policy); err != nil {
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

// Promptly is how long a start waits for cosigners before the log is served without them.
var Promptly = time.Second

// openCosigners begins to send the log to the cosigners of a policy, if there is one. The log may be
// an old copy, however much of it they have cosigned, and going on would fork it for good. So at
// every start it takes no entry until they have been asked, but can be read.
func (s *Server) openCosigners(ctx context.Context, policy *tlog.Policy, alone bool, logger *slog.Logger) (err error) {
	if policy == nil {
		return nil
	}
	if s.cosigners, err = cosign.NewSubmitter(s.log, cosign.SubmitterOptions{Policy: policy, Logger: logger}); err != nil {
		return err
	}
	s.measureCosigners()
	s.log.HoldEntries(true)
	asked := make(chan error, 1)
	go func() { asked <- s.confirm(ctx, alone, logger) }()
	select {
	case err := <-asked:
		return err
	case <-time.After(Promptly):
	}
	go func() {
		switch err := <-asked; {
		case err == nil:
			logger.Info("enough cosigners know of nothing further than this log has")
		case ctx.Err() == nil:
			s.log.Stop(err)
		}
	}()
	if _, list := s.cosigners.State(); !alone {
		logger.Warn("the log is read, and takes no entries before enough of its cosigners have said that they know of nothing further: had it got further, going on would fork it for good. "+
			"If you are sure that this is its newest copy, start it with --restored-alone", "no answer from", failing(list))
	}
	return nil
}

// confirm lets the log take entries once all cosigners were asked and those that have not cosigned
// its content are no quorum. If the operator says that it is the newest copy, it is enough that all
// were asked. A cosigner that has seen another history stops the log.
func (s *Server) confirm(ctx context.Context, alone bool, logger *slog.Logger) error {
	if err := s.cosigners.Probe(ctx); err != nil {
		return err
	}
	go s.cosigners.Run(ctx)
	if alone {
		select {
		case <-s.cosigners.StartCosigned():
		default:
			_, list := s.cosigners.State()
			logger.Warn("the log goes on although too few of its cosigners have said that they know of nothing further", "no answer from", failing(list))
		}
		s.log.HoldEntries(false)
	}
	select {
	case <-s.cosigners.StartCosigned():
	case <-ctx.Done():
		return ctx.Err()
	}
	restored, err := s.log.IsUnconfirmed()
	if err == nil && restored {
		err = s.log.ConfirmRestored()
	}
	if err == nil {
		s.log.HoldEntries(false)
	}
	return err
}

// cosignedReader returns the log as its cosigners have seen it, or nil if it has none.
func (s *Server) cosignedReader() tlog.Reader {
	if s.cosigners == nil {
		return nil
	}
	return s.log.CosignedReader()
}

func (s *Server) measureCosigners() {
	s.metrics.AddGauge("cosigned_entries", "Entries under the newest checkpoint that enough cosigners have seen.", func() float64 {
		q, _ := s.cosigners.State()
		return float64(q.Size)
	})
	s.metrics.AddGauge("cosigners_failing", "Cosigners that do not cosign.", func() float64 {
		_, list := s.cosigners.State()
		return float64(len(failing(list)))
	})
}

// cosignersCheck returns the state of the cosigners. The log is ready without them: appending never
// waits for a cosigner.
func (s *Server) cosignersCheck() []httpapi.HealthCheck {
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
	return []httpapi.HealthCheck{{Name: "cosigners", Ready: true, Detail: detail}}
}

func failing(list []cosign.Health) (urls []string) {
	for _, c := range list {
		if c.Err != nil {
			urls = append(urls, c.URL)
		}
	}
	return urls
}

// logKeys returns all keys that sign the log's checkpoints.
func (s *Server) logKeys() (keys []note.Verifier, err error) {
	for _, text := range append([]string{s.Key.Public}, s.also...) {
		k, err := tlog.ParseLogKey(text)
		if err != nil {
			return nil, err
		}
		keys = append(keys, k)
	}
	return keys, nil
}

// policyKeys returns a function that lists the keys of a policy's cosigners.
func policyKeys(p *tlog.Policy) func() []string {
	var list []string
	if p != nil {
		for _, c := range p.Cosigners {
			list = append(list, c.Key.String())
		}
	}
	return func() []string { return list }
}

// MarkTime is the interval of checks whether a mark is due.
var MarkTime = time.Second

// postMarks posts marks while a table with a clock is in play, until ctx ends. Any key may sign a
// mark, so it makes one at every start.
func (s *Server) postMarks(ctx context.Context, logger *slog.Logger) error {
	if s.cosigners == nil {
		return nil // nobody tells a time
	}
	skey, vkey, err := note.GenerateKey(rand.Reader, "marks")
	if err != nil {
		return err
	}
	signer, err := note.NewSigner(skey)
	if err != nil {
		return err
	}
	t := admission.Ticker{Admission: s.tables, Cosigned: s.log.CosignedReader(), By: vkey, Signer: signer}
	go func() {
		every := time.NewTicker(MarkTime)
		defer every.Stop()
		for said := ""; ; {
			select {
			case <-ctx.Done():
				return
			case <-every.C:
			}
			err := t.Tick(ctx)
			if err == nil {
				said = ""
			} else if text := err.Error(); text != said && !errors.Is(err, context.Canceled) {
				said = text
				logger.Warn("no mark could be posted: clocks stand still meanwhile", "error", err)
			}
		}
	}()
	return nil
}
