package httpapi

import (
	"context"
	"errors"
	"net/http"

	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/internal/version"
	"github.com/pakli/pakli/ledger/tlog"
)

// getLog says whose log this is.
func (s *logAPI) getLog(w http.ResponseWriter, r *http.Request) error {
	keys, err := s.verifierKeys()
	if err != nil {
		return err
	}
	s.answer(w, r, http.StatusOK, client.LogInfo{Origin: keys[0].Name(), Key: s.keys[0], Keys: s.keys})
	return nil
}

// verifierKeys are the log's keys, of which the first is the one that all readers of
// C2SP can use.
func (s *Server) verifierKeys() ([]*tlog.VerifierKey, error) {
	list := make([]*tlog.VerifierKey, len(s.keys))
	for i, text := range s.keys {
		var err error
		if list[i], err = tlog.ParseVerifierKey(text); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// getLive says that the process answers.
func (s *logAPI) getLive(w http.ResponseWriter, r *http.Request) error {
	answerText(w, r, "alive\n")
	return nil
}

// getReady says whether the log can be read and would take an entry.
func (s *logAPI) getReady(w http.ResponseWriter, r *http.Request) error {
	err := s.checkReady(r.Context())
	if err == nil {
		answerText(w, r, "ready\n")
	}
	return err
}

// getHealth says the same to programs, and which program answers.
func (s *logAPI) getHealth(w http.ResponseWriter, r *http.Request) error {
	if err := s.checkReady(r.Context()); err != nil {
		return err
	}
	b := version.Read()
	s.answer(w, r, http.StatusOK, struct {
		Status  string `json:"status"`
		Version string `json:"version"`
		Commit  string `json:"commit,omitempty"`
	}{"ready", b.Version, b.Commit})
	return nil
}

// checkReady fails if the log cannot be read or would take no entry. Errors may name files: strangers learn which
// check fails, and the operator why.
func (s *logAPI) checkReady(ctx context.Context) error {
	if _, err := s.log.Checkpoint(ctx); err != nil {
		s.logger.Debug("not ready", "error", err)
		return problem(client.NotReady, "the log cannot be read")
	}
	if err := s.ready(ctx); err != nil {
		s.logger.Debug("not ready", "error", err)
		if errors.Is(err, tlog.ErrReadOnly) || errors.Is(err, tlog.ErrUnconfirmed) {
			return err
		}
		return problem(client.NotReady, "the log takes no entries")
	}
	if s.life.Err() != nil {
		return problem(client.NotReady, "shutting down")
	}
	return nil
}
