package main

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/ledger/admission"
	"github.com/pakli/pakli/ledger/tlog"
)

// logKeys are all that sign the log's checkpoints.
func (s *runningServer) logKeys() (keys []note.Verifier, err error) {
	for _, text := range append([]string{s.key.Public}, s.also...) {
		k, err := tlog.ParseLogKey(text)
		if err != nil {
			return nil, err
		}
		keys = append(keys, k)
	}
	return keys, nil
}

// policyKeys are those of a policy's cosigners.
func policyKeys(p *tlog.Policy) func() []string {
	var list []string
	if p != nil {
		for _, c := range p.Cosigners {
			list = append(list, c.Key.String())
		}
	}
	return func() []string { return list }
}

// markTime is how often it is looked whether a mark is due.
const markTime = time.Second

// postMarks posts marks while a table with a clock is in play, until ctx ends. Who signs them
// does not matter: a key of the day does.
func (s *runningServer) postMarks(ctx context.Context, logger *slog.Logger) error {
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
		every := time.NewTicker(markTime)
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
