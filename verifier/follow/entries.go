package follow

import (
	"cmp"
	"context"
	"slices"

	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/replay"
	"github.com/pakli/pakli/protocol/wire"
)

// maxCache bounds the cached entries in bytes; the cache may exceed it by one entry tile.
const maxCache = 32 << 20

// maxRuns bounds the runs of one table. If its entries are scattered more widely, the last run grows
// and more tiles are read.
const maxRuns = 64

// tileRun is a run of entry tiles of the log, from first to last.
type tileRun struct{ first, last uint64 }

// entrySpan is the place of the table's entries read so far: the first and last entry, and ascending
// runs of entry tiles that contain all of them. If wants is set, the table could not be replayed to
// its end for want of a blob or mark.
type entrySpan struct {
	first, last uint64
	runs        []tileRun
	wants       bool
}

// withEntry returns the span with one more entry, behind the others.
func (s entrySpan) withEntry(index uint64) entrySpan {
	s.last = index
	n, at := index/tlog.TileWidth, len(s.runs)-1
	switch {
	case at >= 0 && s.runs[at].last == n:
	case at >= 0 && (s.runs[at].last+1 == n || at == maxRuns-1):
		s.runs = slices.Clone(s.runs)
		s.runs[at].last = n
	default:
		s.runs = append(slices.Clip(s.runs), tileRun{n, n})
	}
	return s
}

// runsFrom returns the runs without tiles before the one of an entry.
func (s entrySpan) runsFrom(index uint64) (list []tileRun) {
	n := index / tlog.TileWidth
	for _, r := range s.runs {
		if r.last >= n {
			list = append(list, tileRun{max(r.first, n), r.last})
		}
	}
	return list
}

// unionOf returns ascending runs that contain the same entry tiles, each once.
func unionOf(runs []tileRun) (list []tileRun) {
	slices.SortFunc(runs, func(a, b tileRun) int { return cmp.Compare(a.first, b.first) })
	for _, r := range runs {
		if at := len(list) - 1; at >= 0 && r.first <= list[at].last+1 {
			list[at].last = max(list[at].last, r.last)
		} else {
			list = append(list, r)
		}
	}
	return list
}

// tilePage holds the first entries of an entry tile.
type tilePage []replay.Leaf

// pageCache caches recently read pages. Each belongs to the believed tree, and so to every larger one
// that is believed later.
type pageCache struct {
	belief       *belief
	pages        map[uint64]tilePage
	bytes, limit int
}

// readPage returns an entry tile of the believed tree with at least all entries before end.
func (s *pageCache) readPage(ctx context.Context, n, end uint64) (tilePage, error) {
	first := n * tlog.TileWidth
	p := s.pages[n]
	if first+uint64(len(p)) >= min(end, first+tlog.TileWidth) {
		return p, nil
	}
	entries, err := s.belief.tree.entryTile(ctx, n)
	if err != nil {
		return nil, err
	}
	p, size := make(tilePage, len(entries)), 0
	for i, e := range entries {
		p[i] = replay.NewLeaf(first+uint64(i), wire.HashEntry(e), e)
		size += len(e) + len(p[i].Hash) + len(p[i].Table)
	}
	if s.bytes > s.limit {
		clear(s.pages)
		s.bytes = 0
	}
	s.pages[n] = p
	s.bytes += size
	return p, nil
}

// eachEntry calls see with the entries of runs of entry tiles that are before end.
func (s *pageCache) eachEntry(ctx context.Context, runs []tileRun, end uint64, see func(replay.Leaf) error) error {
	for _, r := range runs {
		for n := r.first; n <= r.last; n++ {
			p, err := s.readPage(ctx, n, end)
			if err != nil {
				return err
			}
			for _, e := range p {
				if e.Index >= end {
					break
				}
				if err := see(e); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
