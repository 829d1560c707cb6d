package cosign

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"

	"github.com/pakli/pakli/internal/plain"
	"github.com/pakli/pakli/ledger/tlog"
)

// sizeMedia is the media type of the size in an answer 409.
const sizeMedia = "text/x.tlog.size"

// maxAnswer bounds how much of an answer is read: more lines than fit into a note are of no use.
const maxAnswer = tlog.MaxAddCheckpoint

// An OtherHistoryError says that a cosigner claims to have cosigned a tree of this log that the log
// does not have.
type OtherHistoryError struct {
	Cosigner string // URL
	Known    uint64 // size that it has cosigned
	Shown    uint64 // size that it was shown
	Answer   string
}

func (e *OtherHistoryError) Error() string {
	return fmt.Sprintf("%s has cosigned %d entries of another history of this log than it was shown with %d entries (%s). "+
		"Either this log is an old or another copy, and going on would fork it: restore the newest one. "+
		"Or the cosigner is broken: ask who runs it, and if so, take it out of the policy", e.Cosigner, e.Known, e.Shown, e.Answer)
}

// conflictError says that the cosigner has last cosigned another size than the one it was asked to
// build on. If it is the same size, which is then the checkpoint's, the cosigner has another root
// for it or has moved on while it answered.
type conflictError struct{ size uint64 }

func (e *conflictError) Error() string {
	return fmt.Sprintf("the cosigner is at size %d: somebody else shows it our checkpoints, and is faster", e.size)
}

// askCosigner sends c to a cosigner that has cosigned old entries and returns the lines of its
// answer, unverified.
func (s *Submitter) askCosigner(ctx context.Context, e *endpoint, old uint64, c tlog.Checkpoint) ([]byte, error) {
	p, err := s.log.Consistency(ctx, old, c.Size)
	if err != nil {
		return nil, fmt.Errorf("proving our checkpoint to the cosigner: %w", err)
	}
	body := tlog.AddCheckpoint{Old: old, Hashes: p.Hashes, Checkpoint: c.Note}.Marshal()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, e.url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "text/plain; charset=utf-8")
	resp, err := s.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	if err != nil {
		return nil, err
	}
	if len(answer) > maxAnswer {
		return nil, fmt.Errorf("the cosigner answers with more than %d bytes", maxAnswer)
	}
	if resp.StatusCode == http.StatusOK {
		return answer, nil
	}
	return nil, s.refusalOf(ctx, e, old, c, resp, answer)
}

// refusalOf returns the meaning of an answer other than 200.
func (s *Submitter) refusalOf(ctx context.Context, e *endpoint, old uint64, c tlog.Checkpoint, resp *http.Response, answer []byte) error {
	other := &OtherHistoryError{Cosigner: e.url, Known: old, Shown: c.Size, Answer: fmt.Sprintf("%d %s", resp.StatusCode, printableAnswer(answer))}
	media, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	switch {
	case resp.StatusCode == http.StatusConflict && media == sizeMedia:
		size, err := strconv.ParseUint(strings.TrimSuffix(string(answer), "\n"), 10, 63)
		if err != nil || size == old && old != c.Size {
			return fmt.Errorf("size %d is refused, and wanted is %q", old, printableAnswer(answer))
		}
		// The cosigner may be ahead of c: somebody else may have sent it a newer checkpoint.
		newest, err := s.newestCheckpoint(ctx, size)
		if err != nil {
			return err
		}
		if size > newest.Size {
			other.Known = size
			return other
		}
		return &conflictError{size}
	case resp.StatusCode == http.StatusConflict && old == c.Size:
		return other // another root for this size; later versions of the cosigner answer 422
	case resp.StatusCode == http.StatusUnprocessableEntity && old > 0:
		return other // no history makes a proof from size 0 fail
	case resp.StatusCode == http.StatusForbidden:
		return fmt.Errorf("the cosigner does not know the log's key (403 %s)", printableAnswer(answer))
	case resp.StatusCode == http.StatusNotFound:
		return fmt.Errorf("the cosigner does not know this log, or the URL is wrong (404 %s)", printableAnswer(answer))
	}
	return fmt.Errorf("the cosigner answers %d %s", resp.StatusCode, printableAnswer(answer))
}

// A Latest is a log that others may have extended, and that can catch up with them.
type Latest interface {
	// CatchUp returns a checkpoint that covers everything published anywhere before the call.
	CatchUp(ctx context.Context) (tlog.Checkpoint, error)
}

// newestCheckpoint returns the log's newest checkpoint, and catches up first if it has fewer than
// size entries.
func (s *Submitter) newestCheckpoint(ctx context.Context, size uint64) (tlog.Checkpoint, error) {
	c, err := s.log.Checkpoint(ctx)
	if l, ok := s.log.(Latest); ok && err == nil && size > c.Size {
		return l.CatchUp(ctx)
	}
	return c, err
}

// printableAnswer returns an answer made safe for logs and terminals.
func printableAnswer(b []byte) string {
	return plain.ASCII(strings.TrimSpace(string(b[:min(len(b), 200)])), 200)
}
