package cosign

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"
	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/internal/durable"
	"github.com/pakli/pakli/ledger/tlog"
)

// CosignerOptions name the signers and the logs of a Cosigner.
type CosignerOptions struct {
	// Signers are private keys of cosigners (tlog.ParseSignerKey). Every answer carries a
	// cosignature of each.
	Signers []string

	// Logs are the keys of the logs. One log may have several.
	Logs []tlog.PolicyLog

	Clock  func() time.Time // nil means time.Now
	Logger *slog.Logger     // nil: nothing is logged
}

// A Cosigner is an open directory of checkpoints. It is an http.Handler.
type Cosigner struct {
	dir     string
	lock    *flock.Flock
	signers []*tlog.SignerKey
	logs    map[string][]note.Verifier // by origin
	clock   func() time.Time
	logger  *slog.Logger

	mu     sync.Mutex
	closed bool
	now    time.Time                   // time of the cosignature that is being made
	latest map[string]latestCheckpoint // by origin
}

// latestCheckpoint is the newest cosigned checkpoint of a log, as on disk.
type latestCheckpoint struct {
	checkpoint tlog.Checkpoint // with the log's signatures and our own
	at         time.Time
}

// ErrLocked says that another process has the directory.
var ErrLocked = errors.New("the cosigner's directory is open in another process")

// OpenCosigner opens the cosigner in dir, which must exist. It refuses a directory with a
// checkpoint that does not carry this cosigner's cosignatures: the file is damaged or belongs to
// another key.
func OpenCosigner(dir string, o CosignerOptions) (*Cosigner, error) {
	c := &Cosigner{dir: dir, logs: map[string][]note.Verifier{}, clock: o.Clock, logger: o.Logger, latest: map[string]latestCheckpoint{}}
	if c.clock == nil {
		c.clock = time.Now
	}
	if c.logger == nil {
		c.logger = slog.New(slog.DiscardHandler)
	}
	if err := c.addSigners(o.Signers); err != nil {
		return nil, err
	}
	for _, l := range o.Logs {
		c.logs[l.Key.Name()] = append(c.logs[l.Key.Name()], l.Key)
	}
	c.lock = flock.New(filepath.Join(dir, "lock"))
	if ok, err := c.lock.TryLock(); err != nil || !ok {
		return nil, errors.Join(fmt.Errorf("%s: %w", dir, ErrLocked), err)
	}
	if err := c.loadCheckpoints(); err != nil {
		return nil, errors.Join(err, c.lock.Close())
	}
	return c, nil
}

// Close releases the directory and ends signing: another process may open the directory and cosign
// a later checkpoint.
func (c *Cosigner) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	return c.lock.Close()
}

func (c *Cosigner) addSigners(keys []string) error {
	for _, skey := range keys {
		s, err := tlog.ParseSignerKey(skey, func() time.Time { return c.now })
		if err != nil {
			return err
		}
		if s.Algorithm() == tlog.Ed25519 {
			return fmt.Errorf("the key of %q is a log's, not a cosigner's", s.Name())
		}
		c.signers = append(c.signers, s)
	}
	if len(c.signers) == 0 {
		return errors.New("no key to sign with")
	}
	return nil
}

// loadCheckpoints reads the checkpoints of all logs. It first makes files durable that an
// interrupted write has left visible.
func (c *Cosigner) loadCheckpoints() error {
	checkpoints := func(name string) bool { return strings.HasSuffix(name, checkpointSuffix) }
	if err := errors.Join(durable.Sweep(c.dir, checkpoints), durable.SyncDirectory(c.dir)); err != nil {
		return err
	}
	for origin := range c.logs {
		b, err := os.ReadFile(c.checkpointPath(origin))
		if errors.Is(err, fs.ErrNotExist) {
			c.latest[origin] = latestCheckpoint{checkpoint: tlog.Checkpoint{Origin: origin, Root: tlog.EmptyRoot()}}
			continue
		}
		if err == nil {
			c.latest[origin], err = c.parseLatest(origin, b)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", c.checkpointPath(origin), err)
		}
	}
	return nil
}

func (c *Cosigner) parseLatest(origin string, b []byte) (latestCheckpoint, error) {
	cp, err := tlog.ParseCheckpoint(b)
	if err != nil {
		return latestCheckpoint{}, err
	}
	if cp.Origin != origin {
		return latestCheckpoint{}, fmt.Errorf("it is of the log %q, not %q", cp.Origin, origin)
	}
	at, err := cp.CosignedAt(c.signers[0].Verifier())
	return latestCheckpoint{cp, at}, err
}

// logID returns the name of a log in paths: hex(SHA-256(origin)).
func logID(origin string) string {
	sum := sha256.Sum256([]byte(origin))
	return hex.EncodeToString(sum[:])
}

const checkpointSuffix = ".checkpoint"

func (c *Cosigner) checkpointPath(origin string) string {
	return filepath.Join(c.dir, logID(origin)+checkpointSuffix)
}

// signRequest checks a request against the last checkpoint, replaces that, and returns the
// cosignatures. The caller has verified the log's signature.
func (c *Cosigner) signRequest(a tlog.AddCheckpoint, cp tlog.Checkpoint) ([]byte, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, errCosignerClosed
	}
	last := c.latest[cp.Origin]
	if err := c.checkGrowth(last.checkpoint, a, cp); err != nil {
		return nil, err
	}
	// A clock that is set back must not date the larger tree before the smaller.
	c.now = c.clock()
	if c.now.Before(last.at) {
		c.now = last.at
	}
	signed, err := c.cosignNote(cp)
	if err != nil {
		return nil, err
	}
	next := latestCheckpoint{tlog.Checkpoint{Origin: cp.Origin, Size: cp.Size, Root: cp.Root, Note: signed}, c.now}
	if last.checkpoint.Note == nil || cp.Size != last.checkpoint.Size || c.now.Unix() != last.at.Unix() {
		if err := durable.Replace(c.checkpointPath(cp.Origin), signed, 0o644); err != nil {
			return nil, err
		}
	}
	c.latest[cp.Origin] = next
	return c.linesOf(signed), nil
}

// checkGrowth verifies that cp extends the last checkpoint.
func (c *Cosigner) checkGrowth(last tlog.Checkpoint, a tlog.AddCheckpoint, cp tlog.Checkpoint) error {
	if a.Old != last.Size {
		return &conflict{last.Size}
	}
	p := tlog.Consistency{Old: a.Old, Size: cp.Size, Hashes: a.Hashes}
	if err := p.Verify(last.Root, cp.Root); err != nil {
		c.logger.Error("not the history that was cosigned", "log", cp.Origin, "cosigned", last.Size, "size", cp.Size, "note", string(cp.Note), "err", err)
		return &inconsistent{err}
	}
	return nil
}

// cosignNote returns the note with the log's verified signatures and the cosigner's.
func (c *Cosigner) cosignNote(cp tlog.Checkpoint) ([]byte, error) {
	n, err := note.Open(cp.Note, note.VerifierList(c.logs[cp.Origin]...))
	if err != nil {
		return nil, err
	}
	n.UnverifiedSigs = nil
	signers := make([]note.Signer, len(c.signers))
	for i, s := range c.signers {
		signers[i] = s
	}
	return note.Sign(n, signers...)
}

// linesOf returns the cosigner's signature lines of a note, which are the last ones.
func (c *Cosigner) linesOf(signed []byte) []byte {
	lines := strings.SplitAfter(strings.TrimSuffix(string(signed), "\n"), "\n")
	own := strings.Join(lines[len(lines)-len(c.signers):], "")
	return []byte(own + "\n")
}

// conflict refuses a request whose old size is not the one cosigned last.
type conflict struct{ size uint64 }

func (e *conflict) Error() string { return fmt.Sprintf("%d entries were cosigned last", e.size) }

// inconsistent refuses a checkpoint of another history.
type inconsistent struct{ err error }

func (e *inconsistent) Error() string { return e.err.Error() }

// Latest returns the newest cosigned checkpoint of a log with its cosignatures. Its Note is nil if
// there is none.
func (c *Cosigner) Latest(origin string) tlog.Checkpoint {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.latest[origin].checkpoint
}
