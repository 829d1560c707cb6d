package cosign

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/pakli/pakli/internal/durable"
	"github.com/pakli/pakli/protocol/keeper"
	"github.com/pakli/pakli/protocol/keeper/exchange"
	"github.com/pakli/pakli/protocol/wire"
)

// store is a directory. Each file is replaced whole (package durable):
//
//	<table>.table           a table with messages, as a request names it
//	<table>-<entry>.held    a message, as a file of keeper.Message with the line
//	<table>-<hash>.rests    the rest of a seat, as it has signed it
//	doubts                  places about which nothing is signed any more
//	time                    the latest time of a silence
type store struct {
	dir    string
	doubts []byte // a bit for each hash of a place
	dirty  bool
	last   int64 // latest time of a signed line
	stated int64 // time in the file
}

// doubtBytes is the size of the file of doubts, which does not grow: places share bits, and a doubt
// about one place is a doubt about all that share its bit. After n doubts, a place is in doubt by
// chance with probability n in 8 million.
const doubtBytes = 1 << 20

const (
	tableSuffix = ".table"
	heldSuffix  = ".held"
	restsSuffix = ".rests"
	doubtsFile  = "doubts"
	timeFile    = "time"
)

func openStore(dir string) (*store, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	s := &store{dir: dir}
	if err := errors.Join(durable.Sweep(dir, isOurs), durable.SyncDirectory(dir)); err != nil {
		return nil, err
	}
	var err error
	if s.doubts, err = os.ReadFile(s.path(doubtsFile)); errors.Is(err, fs.ErrNotExist) {
		s.doubts, err = make([]byte, doubtBytes), nil
	}
	if err == nil && len(s.doubts) != doubtBytes {
		err = fmt.Errorf("%s: %d bytes, must have %d", s.path(doubtsFile), len(s.doubts), doubtBytes)
	}
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(s.path(timeFile))
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err == nil {
		s.stated, err = strconv.ParseInt(strings.TrimSuffix(string(text), "\n"), 10, 64)
		s.noteTime(s.stated)
	}
	return s, err
}

// isOurs reports whether a store writes files of this name.
func isOurs(name string) bool {
	return strings.HasSuffix(name, tableSuffix) || strings.HasSuffix(name, heldSuffix) || strings.HasSuffix(name, restsSuffix) || name == doubtsFile || name == timeFile
}

func (s *store) path(name string) string { return filepath.Join(s.dir, name) }

func tableName(t wire.Hash) string       { return t.String() + tableSuffix }
func heldName(t, entry wire.Hash) string { return t.String() + "-" + entry.String() + heldSuffix }
func restsName(t, doc wire.Hash) string  { return t.String() + "-" + doc.String() + restsSuffix }

// eachMessage reads every message with its table. A table without messages is the remainder of a
// crash.
func (s *store) eachMessage(see func(table, message []byte, rests bool) error) error {
	files, err := os.ReadDir(s.dir)
	if err != nil {
		return err
	}
	needed := map[string]bool{}
	for _, f := range files {
		table, _, isMessage := strings.Cut(f.Name(), "-")
		rests := strings.HasSuffix(f.Name(), restsSuffix)
		if !isMessage || !rests && !strings.HasSuffix(f.Name(), heldSuffix) {
			continue
		}
		needed[table+tableSuffix] = true
		t, err := os.ReadFile(s.path(table + tableSuffix))
		if err != nil {
			return err
		}
		m, err := os.ReadFile(s.path(f.Name()))
		if err == nil {
			err = see(t, m, rests)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", s.path(f.Name()), err)
		}
	}
	for _, f := range files {
		if strings.HasSuffix(f.Name(), tableSuffix) && !needed[f.Name()] {
			err = errors.Join(err, os.Remove(s.path(f.Name())))
		}
	}
	return err
}

// putMessage writes a message, and before the first of a table the table.
func (s *store) putMessage(t *keptTable, m keeper.Message) error {
	return s.putWith(t, heldName(t.id, m.Entry), exchange.Marshal(m))
}

// putRest writes the rest of a seat.
func (s *store) putRest(t *keptTable, d *wire.Entry) error {
	return s.putWith(t, restsName(t.id, d.Hash), d.Bytes())
}

func (s *store) putWith(t *keptTable, name string, file []byte) error {
	if len(t.holds) == 0 {
		if err := durable.Replace(s.path(tableName(t.id)), t.request.Marshal(), 0o600); err != nil {
			return err
		}
	}
	return durable.Replace(s.path(name), file, 0o600)
}

func (s *store) readMessage(table, entry wire.Hash) ([]byte, error) {
	return os.ReadFile(s.path(heldName(table, entry)))
}

// dropMessage removes a message and with the last one its table. Doubts about the message are on
// disk.
func (s *store) dropMessage(t *keptTable, h hold, entry wire.Hash) error {
	name := heldName(t.id, entry)
	if h.rests {
		name = restsName(t.id, entry)
	}
	err := os.Remove(s.path(name))
	if len(t.holds) == 0 {
		err = errors.Join(err, os.Remove(s.path(tableName(t.id))))
	}
	return err
}

// doubtBit returns the byte and bit of the doubt about a place.
func doubtBit(p keeper.Place) (index int, mask byte) {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %s %d", p.Table, p.Parent, p.Seat))
	n := binary.BigEndian.Uint64(sum[:]) % (8 * doubtBytes)
	return int(n / 8), 1 << (n % 8)
}

// noteDoubt records that nothing is signed about a place any more. The next flush makes it durable.
func (s *store) noteDoubt(p keeper.Place) {
	i, mask := doubtBit(p)
	s.dirty = s.dirty || s.doubts[i]&mask == 0
	s.doubts[i] |= mask
}

func (s *store) isDoubted(p keeper.Place) bool {
	i, mask := doubtBit(p)
	return s.doubts[i]&mask != 0
}

// everyPlace stands for all places of a holder of a seat whose message was refused for want of
// room, or who is gone for good. Separate doubts about each place would let one seat fill the file.
// With key "" it says that the seat has such a holder.
func everyPlace(p keeper.Place, key string) keeper.Place {
	return keeper.Place{Table: p.Table, Parent: wire.HashEntry([]byte("holder " + key)), Seat: p.Seat}
}

// doubtEver records that nothing is signed about a holder of a seat any more, or with key later
// about any.
func (s *store) doubtEver(p keeper.Place, key string) {
	s.noteDoubt(everyPlace(p, ""))
	s.noteDoubt(everyPlace(p, key))
}

// doubtedEver reports whether doubtEver was called for the holder of a seat, or, if the holder is
// not known, for any holder.
func (s *store) doubtedEver(p keeper.Place, key string, known bool) bool {
	return s.isDoubted(everyPlace(p, "")) && (!known || s.isDoubted(everyPlace(p, key)) || s.isDoubted(everyPlace(p, later)))
}

// flush makes doubts durable.
func (s *store) flush() error {
	if !s.dirty {
		return nil
	}
	if err := durable.Replace(s.path(doubtsFile), s.doubts, 0o600); err != nil {
		return err
	}
	s.dirty = false
	return nil
}

// noteTime records the time of a line that is on disk.
func (s *store) noteTime(at int64) { s.last = max(s.last, at) }

// noteSilence makes the time of a silence durable. A hold's time is in its file, which is removed
// in the end.
func (s *store) noteSilence(at int64) error {
	if at <= s.stated {
		return nil
	}
	if err := durable.Replace(s.path(timeFile), fmt.Appendf(nil, "%d\n", at), 0o600); err != nil {
		return err
	}
	s.stated = at
	s.noteTime(at)
	return nil
}
