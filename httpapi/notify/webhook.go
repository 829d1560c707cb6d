package notify

// This file reports happenings of events to a club's program (docs/spec/70-http.md, 70.15), with
// signed requests in the form of Standard Webhooks.
//
// A [Feed] reads them from the log. So nothing can be lost, and only the progress is stored.

import (
	"bytes"
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// HookSender sends happenings to one receiver.
type HookSender struct {
	*Feed
	url    string
	secret []byte // at least 24 bytes
	client http.Client
}

// ParseSecret reads a secret of Standard Webhooks: whsec_ and base64.
func ParseSecret(text string) ([]byte, error) {
	raw, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(strings.TrimSpace(text), "whsec_"))
	if err != nil || len(raw) < 24 || len(raw) > 64 {
		return nil, errors.New("the secret must be whsec_ and base64 of 24 to 64 bytes, as from: echo whsec_$(openssl rand -base64 32)")
	}
	return raw, nil
}

// NewHook returns a sender that waits for an answer as long as patience; 0 means 15 seconds.
func NewHook(url string, secret []byte, patience time.Duration, f *Feed) *HookSender {
	f.Gone = []int{http.StatusGone}
	return &HookSender{Feed: f, url: url, secret: secret, client: http.Client{Timeout: cmp.Or(patience, 15*time.Second), CheckRedirect: RefuseRedirect}}
}

// RefuseRedirect is for clients that may ask only the configured address: a redirect would choose
// another one.
func RefuseRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// Run sends happenings until ctx ends. A receiver that unsubscribes gets none until the next start.
func (s *HookSender) Run(ctx context.Context) error {
	return s.Feed.Run(ctx, func(ctx context.Context, h Happening) bool {
		body, err := json.Marshal(struct {
			Type string    `json:"type"`
			Data Happening `json:"data"`
		}{h.Kind, h})
		return err == nil && s.Deliver(ctx, h, func(ctx context.Context, now time.Time) (int, error) { return s.post(ctx, h.ID(), body, now) })
	})
}

func (s *HookSender) post(ctx context.Context, id string, body []byte, now time.Time) (status int, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url, bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	stamp := strconv.FormatInt(now.Unix(), 10)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Webhook-Id", id)
	r.Header.Set("Webhook-Timestamp", stamp)
	r.Header.Set("Webhook-Signature", sign(s.secret, id, stamp, body))
	answer, err := s.client.Do(r)
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	_, _ = io.CopyN(io.Discard, answer.Body, 4096) // so that the connection can be reused
	return answer.StatusCode, nil
}

// sign returns a signature of Standard Webhooks, version v1.
func sign(secret []byte, id, stamp string, body []byte) string {
	m := hmac.New(sha256.New, secret)
	fmt.Fprintf(m, "%s.%s.%s", id, stamp, body)
	return "v1," + base64.StdEncoding.EncodeToString(m.Sum(nil))
}
