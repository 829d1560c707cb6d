package keeper_test

import (
	"fmt"
	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/keeper"
	"math"
	"math/rand/v2"
	"testing"
)

func at(index, size uint64, times map[string]int64) keeper.Mark {
	return keeper.Mark{Index: index, Size: size, Time: func(k string) (int64, bool) { t, ok := times[k]; return t, ok }}
}

// A time that one keeper alone makes longer, or that counts a keeper who is not in both marks, or who
// is no keeper of the table.
func TestElapsed(t *testing.T) {
	keepers := []string{"a", "b", "c"}
	for name, c := range map[string]struct {
		from, to map[string]int64
		want     int64
		signed   int
	}{
		"all agree":             {map[string]int64{"a": 100, "b": 200, "c": 300}, map[string]int64{"a": 161, "b": 261, "c": 361}, 60, 3},
		"the least counts":      {map[string]int64{"a": 100, "b": 200, "c": 300}, map[string]int64{"a": 161, "b": 9999, "c": 331}, 30, 3},
		"one is in one of them": {map[string]int64{"a": 100, "b": 200}, map[string]int64{"a": 161, "c": 301}, 60, 1},
		"one jumps back":        {map[string]int64{"a": 100, "b": 200}, map[string]int64{"a": 161, "b": 20}, 0, 2},
		"nobody is in both":     {map[string]int64{"a": 100}, map[string]int64{"b": 900}, 0, 0},
		"strangers":             {map[string]int64{"x": 100}, map[string]int64{"x": 900}, 0, 0},
		"one second":            {map[string]int64{"a": 100}, map[string]int64{"a": 101}, 0, 1},
		"the ends of all times": {map[string]int64{"a": 0}, map[string]int64{"a": math.MaxInt64}, math.MaxInt64 - 1, 1},
	} {
		got, signed := keeper.ElapsedSeconds(at(0, 0, c.from), at(1, 1, c.to), keepers)
		testmust.Holdf(t, got == c.want && signed == c.signed, "%s: %d s by %d keepers, want %d by %d", name, got, signed, c.want, c.signed)
	}
}

// simulatedKeeper is a clock: what it shows at a true time, in seconds.
type simulatedKeeper func(now float64) float64

// simulated is a log whose marks are posted every tick seconds, with the times at which
// keepers saw the checkpoint, each up to a second after it was made.
type simulated struct {
	r       *rand.Rand
	keepers []simulatedKeeper
	tick    float64
}

// mark is the mark posted at a true time, and when its checkpoint was made.
func (s simulated) mark(posted float64) (m keeper.Mark, made float64) {
	times := map[string]int64{}
	made = posted - 1 - s.r.Float64()
	for i, k := range s.keepers {
		times[fmt.Sprint(i)] = int64(math.Floor(k(made + s.r.Float64())))
	}
	return at(0, 0, times), made
}

// span is the time proved to lie between two moments, by the first mark whose checkpoint was made after
// the beginning and the last mark that was posted before the end.
func (s simulated) span(begin, end float64) (proved int64) {
	phase := s.r.Float64() * s.tick
	var a, z *keeper.Mark
	for posted := begin - 2*s.tick + phase; posted < end; posted += s.tick {
		m, made := s.mark(posted)
		if a == nil && made >= begin {
			a = &m
		}
		z = &m
	}
	if a == nil {
		return 0
	}
	proved, _ = keeper.ElapsedSeconds(*a, *z, []string{"0", "1", "2"})
	return proved
}

// A player is called late sooner than by any right clock. As long as one keeper's clock runs right,
// however it is set, no choice of the others may make the time longer than it was. If all run right,
// the time proved is short by no more than a claimant can bear.
func TestElapsedIsNeverOverstated(t *testing.T) {
	r := rand.New(rand.NewPCG(52, 1))
	set := func(by float64) simulatedKeeper { return func(now float64) float64 { return now + by } }
	wrong := map[string]func() simulatedKeeper{
		"set wrong by seconds": func() simulatedKeeper { return set(60*r.Float64() - 30) },
		"set wrong by a day":   func() simulatedKeeper { return set(86400) },
		"runs double":          func() simulatedKeeper { return func(now float64) float64 { return 2 * now } },
		"stands":               func() simulatedKeeper { return func(float64) float64 { return 5000 } },
		"jumps back": func() simulatedKeeper {
			when := 1000 + 600*r.Float64()
			return func(now float64) float64 { return now - 3600*math.Floor(math.Max(0, math.Min(1, now-when))) }
		},
		"jumps on": func() simulatedKeeper {
			when := 1000 + 600*r.Float64()
			return func(now float64) float64 {
				if now > when {
					now += 3600
				}
				return now
			}
		},
	}
	for name, clockOf := range wrong {
		worst := 0.0
		for range 2000 {
			tick := 2 + 3*r.Float64()
			s := simulated{r, []simulatedKeeper{clockOf(), set(60*r.Float64() - 30), clockOf()}, tick}
			begin := 1000 + r.Float64()
			passed := 600 * r.Float64()
			proved := s.span(begin, begin+passed)
			testmust.Requiref(t, float64(proved) <= passed, "%s: %d s are proved of %.1f", name, proved, passed)
			worst = max(worst, passed-float64(proved)-2*tick)
		}
		testmust.Holdf(t, name != "set wrong by seconds" || worst <= 6, "%s: short of the truth by 2·tick + %.1f s", name, worst)
	}
}
