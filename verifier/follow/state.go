package follow

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/internal/durable"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/wire"
)

// Names in the state directory.
const (
	lockFile     = "lock"
	believedFile = "checkpoint" // the last believed one, as the log published it, for others to compare
	progressFile = "progress"
	unprovenDir  = "unproven" // checkpoints not yet proven to belong to the believed tree
	tablesDir    = "tables"   // reports of finished tables
	evidenceFile = "evidence.txt"
)

// progressFormat is the first line of the progress file.
const progressFormat = "pakli-follow/v1"

// progress records how many entries were read and which tables are in play there. It is never beyond
// the believed checkpoint.
type progress struct {
	read uint64
	open map[wire.Hash]entrySpan
}

func (p progress) clone() progress { return progress{p.read, maps.Clone(p.open)} }

type state struct {
	dir  string
	lock *os.File
}

// openState locks the directory, makes it if need be, and removes partly written files of killed
// processes.
func openState(dir string) (*state, error) {
	for _, sub := range []string{unprovenDir, tablesDir} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o755); err != nil {
			return nil, err
		}
	}
	f, err := os.OpenFile(filepath.Join(dir, lockFile), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	s := &state{dir, f}
	if err = lockExclusive(f); err == nil {
		err = s.sweepTemporary()
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return s, nil
}

// older begins the names of partly written files of earlier versions.
const older = ".part-"

func (s *state) sweepTemporary() error {
	for _, sub := range []string{".", unprovenDir, tablesDir} {
		dir := filepath.Join(s.dir, sub)
		files, err := os.ReadDir(dir)
		if err != nil {
			return err
		}
		for _, f := range files {
			if strings.HasPrefix(f.Name(), older) {
				err = errors.Join(err, os.Remove(filepath.Join(dir, f.Name())))
			}
		}
		if err = errors.Join(err, durable.Sweep(dir, nil)); err != nil {
			return err
		}
	}
	return nil
}

func (s *state) writeFile(name string, data []byte) error {
	return durable.Replace(filepath.Join(s.dir, name), data, 0o644)
}

// readBelieved returns the last believed checkpoint, or one of size 0 if there is none. A checkpoint
// that the keys have not signed belongs to another log and is an error.
func (s *state) readBelieved(keys []note.Verifier) (tlog.Checkpoint, error) {
	signed, err := os.ReadFile(filepath.Join(s.dir, believedFile))
	if errors.Is(err, fs.ErrNotExist) {
		return tlog.Checkpoint{Origin: keys[0].Name(), Root: tlog.EmptyRoot()}, nil
	}
	if err != nil {
		return tlog.Checkpoint{}, err
	}
	c, err := tlog.OpenCheckpoint(signed, keys...)
	if err != nil {
		return c, fmt.Errorf("%s is of another log or key, or was altered: %w", s.dir, err)
	}
	return c, nil
}

// word returns the first word of a table's line.
var word = map[bool]string{false: "table", true: "wants"}

// writeProgress writes text: the number of entries, a line for each table in play with its span, and
// the hash of these lines, so that damage is not taken for a fault of the log.
func (s *state) writeProgress(p progress) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s\nread %d\n", progressFormat, p.read)
	for _, id := range slices.SortedFunc(maps.Keys(p.open), func(a, b wire.Hash) int { return cmp.Compare(p.open[a].first, p.open[b].first) }) {
		at := p.open[id]
		fmt.Fprintf(&b, "%s %s %d %d", word[at.wants], id, at.first, at.last)
		for _, r := range at.runs {
			fmt.Fprintf(&b, " %d %d", r.first, r.last)
		}
		b.WriteByte('\n')
	}
	sum := sha256.Sum256(b.Bytes())
	fmt.Fprintf(&b, "sum %x\n", sum)
	return s.writeFile(progressFile, b.Bytes())
}

func (s *state) readProgress() (progress, error) {
	p := progress{open: map[wire.Hash]entrySpan{}}
	b, err := os.ReadFile(filepath.Join(s.dir, progressFile))
	if errors.Is(err, fs.ErrNotExist) {
		return p, nil
	}
	if err != nil {
		return p, err
	}
	at := bytes.LastIndex(b, []byte("sum "))
	if sum := sha256.Sum256(b[:max(at, 0)]); at < 0 || string(b[at:]) != "sum "+hex.EncodeToString(sum[:])+"\n" {
		return p, fmt.Errorf("%s of %s was altered", progressFile, s.dir)
	}
	lines := strings.Split(string(b[:at]), "\n")
	_, err = fmt.Sscanf(strings.Join(lines[:min(2, len(lines))], "\n"), progressFormat+"\nread %d", &p.read)
	for _, line := range lines[min(2, len(lines)):max(len(lines)-1, 2)] {
		var id wire.Hash
		var at entrySpan
		if err == nil {
			id, at, err = parseSpan(line)
		}
		p.open[id] = at
	}
	if err != nil {
		return p, fmt.Errorf("%s of %s: %w", progressFile, s.dir, err)
	}
	return p, nil
}

// parseSpan reads the line of a table. Older files have no runs: entries may be in any entry tile
// between the first and the last.
func parseSpan(line string) (id wire.Hash, at entrySpan, err error) {
	words := strings.Fields(line)
	if len(words) < 4 || len(words)%2 > 0 || words[0] != word[false] && words[0] != word[true] {
		return id, at, fmt.Errorf("%.80q is no table's line", line)
	}
	numbers := make([]uint64, len(words)-2)
	for i := range numbers {
		if numbers[i], err = strconv.ParseUint(words[i+2], 10, 64); err != nil {
			return id, at, err
		}
	}
	at = entrySpan{first: numbers[0], last: numbers[1], wants: words[0] == word[true]}
	for pair := range slices.Chunk(numbers[2:], 2) {
		at.runs = append(at.runs, tileRun{pair[0], pair[1]})
	}
	if len(at.runs) == 0 {
		at.runs = []tileRun{{at.first / tlog.TileWidth, at.last / tlog.TileWidth}}
	}
	id, err = wire.ParseHash(words[1])
	return id, at, err
}

// unprovenName returns a file name that orders checkpoints by size.
func unprovenName(c tlog.Checkpoint) string {
	return filepath.Join(unprovenDir, fmt.Sprintf("%020d-%x", c.Size, c.Root[:8]))
}

// readUnproven returns the unproven checkpoints, the smallest first.
func (s *state) readUnproven(keys []note.Verifier) ([]tlog.Checkpoint, error) {
	names, err := os.ReadDir(filepath.Join(s.dir, unprovenDir))
	if err != nil {
		return nil, err
	}
	var list []tlog.Checkpoint
	for _, name := range names {
		signed, err := os.ReadFile(filepath.Join(s.dir, unprovenDir, name.Name()))
		if err != nil {
			return nil, err
		}
		c, err := tlog.OpenCheckpoint(signed, keys...)
		if err != nil {
			return nil, fmt.Errorf("%s of %s: %w", name.Name(), s.dir, err)
		}
		list = append(list, c)
	}
	return list, nil
}

// forgetUnproven removes an unproven checkpoint. If a crash undoes the removal, it is proven again.
func (s *state) forgetUnproven(c tlog.Checkpoint) error {
	err := os.Remove(filepath.Join(s.dir, unprovenName(c)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func reportName(id wire.Hash) string { return filepath.Join(tablesDir, id.String()+".json") }

// isReported reports whether a table has a report and so was finished before.
func (s *state) isReported(id wire.Hash) (bool, error) {
	_, err := os.Stat(filepath.Join(s.dir, reportName(id)))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}
