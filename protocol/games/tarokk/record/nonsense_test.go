package record_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/internal/thorough"
	"github.com/pakli/pakli/protocol/games/tarokk/record"
)

// Words of good records in other places, which a fuzzer of bytes seldom hits: a
// referee who panics, or who scores a deal whose payments do not sum to zero.
func TestNonsense(t *testing.T) {
	files, err := filepath.Glob("testdata/deals/*.tarokk")
	testmust.Do(t, err)
	random := rand.New(rand.NewPCG(63, 1))
	verdicts, tries := map[record.Verdict]int{}, 60
	if thorough.Tests() {
		tries = 300
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		testmust.Do(t, err)
		for range tries {
			s, err := record.Parse([]byte(shuffled(string(text), random)))
			if err != nil {
				continue
			}
			report := testmust.Have(record.Score(s))(t)
			verdicts[report.Verdict]++
			for _, d := range report.Deals {
				sum := 0
				for _, n := range d.Payments {
					sum += n
				}
				if d.How == "played" && s.Preset != "bga" && sum != 0 {
					t.Errorf("payments %v\n%s", d.Payments, s.Text())
				}
			}
		}
	}
	for _, v := range []record.Verdict{record.Complete, record.Unfinished, record.Broken} {
		if verdicts[v] == 0 {
			t.Errorf("none was %s: %v", v, verdicts)
		}
	}
}

// shuffled swaps two words of a text, or drops or repeats a line, once or twice.
func shuffled(text string, random *rand.Rand) string {
	for range 1 + random.IntN(2) {
		lines := strings.Split(text, "\n")
		i := random.IntN(len(lines))
		switch random.IntN(4) {
		case 0:
			lines[i] = ""
		case 1:
			j := random.IntN(len(lines))
			lines[i], lines[j] = lines[j], lines[i]
		default:
			j := min(i+random.IntN(4), len(lines)-1)
			a, b := strings.Fields(lines[i]), strings.Fields(lines[j])
			if len(a) > 0 && len(b) > 0 {
				x, y := random.IntN(len(a)), random.IntN(len(b))
				a[x], b[y] = b[y], a[x]
				lines[i], lines[j] = strings.Join(a, " "), strings.Join(b, " ")
			}
		}
		text = strings.Join(lines, "\n")
	}
	return text
}
