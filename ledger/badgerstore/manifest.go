package badgerstore

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/dgraph-io/badger/v4/pb"
	"github.com/dgraph-io/badger/v4/table"
	"google.golang.org/protobuf/proto"

	"github.com/pakli/pakli/internal/durable"
)

const (
	manifestFile = "MANIFEST"

	// damagedFile is a copy of the manifest before repairManifest. As long as it exists, tables may
	// be missing.
	damagedFile = "MANIFEST.damaged"

	manifestHeader = 8 // "Bdgr" and two versions
)

// A changeSet is a record of Badger's manifest: length, CRC-32C, and the tables that were added and
// removed together.
type changeSet struct {
	raw     []byte
	changes []*pb.ManifestChange
}

// repairManifest removes changes that Badger has announced and then given up. When a memory table
// becomes a table, Badger appends that to its manifest and syncs it; if the sync fails, it removes
// the table and keeps the write-ahead log. The file still has the change, and Badger refuses to open.
// Without the change nothing is missing. The same holds for a store of an earlier version that failed
// to sync a merge of tables: it kept the merged ones.
//
// A table that is missing for another reason cannot always be told from these, so all entries have to
// be read after a repair, see WasRepaired.
func repairManifest(dir string) error {
	b, err := os.ReadFile(filepath.Join(dir, manifestFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	sets, ok := parseManifest(b)
	if !ok {
		return nil // Badger reports what is wrong with it
	}
	missing, err := missingTables(dir, sets)
	if err != nil || len(missing) == 0 {
		return err
	}
	kept := bytes.Clone(b[:manifestHeader])
	var rest []changeSet
	for _, s := range sets {
		if !s.createsAny(missing) {
			kept, rest = append(kept, s.raw...), append(rest, s)
		}
	}
	if missing, err := missingTables(dir, rest); err != nil || len(missing) > 0 {
		return err // tables are lost: Badger reports which
	}
	if err := durable.Replace(filepath.Join(dir, damagedFile), b, 0o600); err != nil {
		return err
	}
	return durable.Replace(filepath.Join(dir, manifestFile), kept, 0o600)
}

// parseManifest returns the complete records of a manifest, or false if one is malformed.
func parseManifest(b []byte) (sets []changeSet, ok bool) {
	if len(b) < manifestHeader {
		return nil, false
	}
	for b = b[manifestHeader:]; len(b) >= 8; {
		n := uint64(binary.BigEndian.Uint32(b))
		if n > uint64(len(b)-8) {
			break // cut short: Badger drops it
		}
		body := b[8 : 8+n]
		if crc32.Checksum(body, crc32.MakeTable(crc32.Castagnoli)) != binary.BigEndian.Uint32(b[4:]) {
			return nil, false
		}
		var set pb.ManifestChangeSet
		if err := proto.Unmarshal(body, &set); err != nil {
			return nil, false
		}
		sets = append(sets, changeSet{raw: b[:8+n], changes: set.Changes})
		b = b[8+n:]
	}
	return sets, true
}

// listedTables returns the ids of the tables that should exist.
func listedTables(sets []changeSet) map[uint64]bool {
	listed := make(map[uint64]bool)
	for _, s := range sets {
		for _, c := range s.changes {
			if c.Op == pb.ManifestChange_CREATE {
				listed[c.Id] = true
			} else {
				delete(listed, c.Id)
			}
		}
	}
	return listed
}

// missingTables returns the listed tables that have no file.
func missingTables(dir string, sets []changeSet) (map[uint64]bool, error) {
	missing := listedTables(sets)
	for id := range missing {
		_, err := os.Stat(filepath.Join(dir, table.IDToFilename(id)))
		if err == nil {
			delete(missing, id)
		} else if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	return missing, nil
}

// wholeTables returns an error if the last bytes of a table place its index outside the file: Badger
// panics on a truncated table in a goroutine of its own. Badger itself checks the content.
//
// A table ends with its index, the index's length, a checksum and the checksum's length; each length
// has 4 bytes.
func wholeTables(dir string) error {
	b, err := os.ReadFile(filepath.Join(dir, manifestFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	sets, _ := parseManifest(b)
	for id := range listedTables(sets) {
		name := filepath.Join(dir, table.IDToFilename(id))
		f, err := os.Open(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue // Badger reports which
		} else if err != nil {
			return err
		}
		whole, err := endsWithIndex(f)
		if err := errors.Join(err, f.Close()); err != nil {
			return err
		} else if !whole {
			return fmt.Errorf("the table %s is damaged: its end is missing. Restore a backup", name)
		}
	}
	return nil
}

func endsWithIndex(f *os.File) (bool, error) {
	info, err := f.Stat()
	if err != nil {
		return false, err
	}
	end := info.Size()
	for range 2 { // the checksum, then the index
		var length [4]byte
		if end -= 4; end < 0 {
			return false, nil
		} else if _, err := f.ReadAt(length[:], end); err != nil {
			return false, err
		}
		end -= int64(binary.BigEndian.Uint32(length[:]))
	}
	return end >= 0, nil
}

// createsAny reports whether the set creates any of these tables.
func (s changeSet) createsAny(tables map[uint64]bool) bool {
	for _, c := range s.changes {
		if c.Op == pb.ManifestChange_CREATE && tables[c.Id] {
			return true
		}
	}
	return false
}

// WasRepaired reports whether the list of tables had to be repaired on opening. If so, the caller has
// to read everything and to call AcceptRepair if nothing is missing.
func (s *Store) WasRepaired() bool {
	_, err := os.Stat(filepath.Join(s.space.dir, damagedFile))
	return err == nil
}

// AcceptRepair makes WasRepaired return false.
func (s *Store) AcceptRepair() error {
	if err := os.Remove(filepath.Join(s.space.dir, damagedFile)); err != nil {
		return err
	}
	return durable.SyncDirectory(s.space.dir)
}
