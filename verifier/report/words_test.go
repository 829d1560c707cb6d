package report

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/bundle"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/scene"
	"github.com/pakli/pakli/protocol/scene/scenetest"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier"
)

// same are the keys of texts that are equal in two languages, or have no words.
var same = regexp.MustCompile(`^(column\.(name|bytes)|refused|deal|heading\..*)$`)

// A text is missing in a language, is empty or in English, or drops a value that the other languages
// show.
func TestLanguagesSayTheSame(t *testing.T) { scenetest.CheckTexts(t, languages, same) }

// needed returns the keys that the code builds from the contents of the protocol, the rules and their
// catalogue.
func needed(t *testing.T) []string {
	t.Helper()
	var keys []string
	add := func(prefix string, names ...string) {
		for _, n := range names {
			keys = append(keys, prefix+n)
		}
	}
	log := []table.Check{verifier.CheckSignature, verifier.CheckTree, verifier.CheckHistory, verifier.CheckCosigners}
	optional := []table.Check{table.CheckArrange, table.CheckMint, table.CheckBeacon, table.CheckLock, table.CheckStep, table.CheckDispute, table.CheckEntitled, table.CheckBound, table.CheckActBody, table.CheckOnce}
	for _, c := range slices.Concat(log, []table.Check{verifier.CheckGenesis}, table.Checks(), optional, table.ClockChecks()) {
		add("check.", string(c))
		switch {
		case strings.Contains("EPD", string(c[0])), c == table.CheckOnce:
			add("foul.", string(c))
		case strings.Contains("TAC", string(c[0])):
			add("void.", string(c))
		}
	}
	for _, c := range []table.Check{verifier.CheckTree, verifier.CheckHistory} {
		add("broken.", string(c), string(c)+".note")
	}
	add("void.", "T3-open.over", "T6-signature.act", "P3-reveal")
	for _, k := range []wire.Kind{wire.KindTimeout, wire.KindResign, wire.KindAgree, wire.KindReseat, wire.KindClose} {
		add("ending.", string(k))
	}
	add("partial.", "0")
	add("time.", string(verifier.Unattested), string(verifier.Attested), string(verifier.Silent), "reopened", "ruled", "without")
	for _, o := range []verifier.Outcome{verifier.Passed, verifier.Failed, verifier.NotReached} {
		add("outcome.", string(o))
		add("outcome.proof.", string(o))
	}
	for _, k := range []table.Kind{table.Key, table.Shuffle, table.Show, table.Give, table.Permute, table.Return, table.Mix, table.Cut, table.Insert, table.Mint, table.Beacon, table.Answer, table.Disclose, table.Dispute, table.Move} {
		if k != table.Dispute {
			add("owes.", string(k))
		}
		if k != table.Move {
			add("did.", string(k))
		}
	}
	add("did.", "show.0")
	for _, c := range []bundle.Check{bundle.CheckManifest, bundle.CheckLength, bundle.CheckHash, bundle.CheckOrder, bundle.CheckTable, bundle.CheckCheckpoint, bundle.CheckProof} {
		add("bundle.", string(c))
	}
	for relation := range checks {
		add("relation.", relation)
		add("proves.", relation)
	}
	return keys
}

func read(t *testing.T, file string) []byte {
	t.Helper()
	return testmust.Have(os.ReadFile(file))(t)
}

// A language has no words for a check, an id of the catalogue or a text of the code.
func TestEverythingHasWords(t *testing.T) {
	keys := append(needed(t), literals(t)...)
	testmust.Requiref(t, len(keys) >= 150, "%d keys: the test tests nothing", len(keys))
	for tag := range languages {
		l, _ := LanguageOf(tag)
		for _, key := range keys {
			testmust.Holdf(t, l.HasText(key) || (l.HasText(key+".1") && l.HasText(key+".n")), "%s has no words for %q", tag, key)
		}
	}
}

// codeFiles returns the source files of this package and of its pages.
func codeFiles(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("*.go")
	pages, other := filepath.Glob("page/*.go")
	testmust.Require(t, err == nil && other == nil, err, other)
	return slices.DeleteFunc(append(files, pages...), func(f string) bool { return strings.HasSuffix(f, "_test.go") || f == "texts.go" })
}

// keyed maps the functions that take keys to the prefix of these keys.
var keyed = map[string]string{"Say": "", "Count": "", "heading": "", "say": "", "writePart": "", "note": "", "columns": "column.", "section": "heading."}

// literals returns the keys that the code names literally.
func literals(t *testing.T) []string {
	t.Helper()
	var keys []string
	for _, f := range codeFiles(t) {
		parsed := testmust.Have(parser.ParseFile(token.NewFileSet(), f, nil, 0))(t)
		ast.Inspect(parsed, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			sel, ok := call.Fun.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			prefix, takes := keyed[sel.Sel.Name]
			for i, arg := range call.Args {
				if lit, ok := arg.(*ast.BasicLit); ok && takes && (i == 0 || sel.Sel.Name == "columns") {
					key, _ := strconv.Unquote(lit.Value)
					keys = append(keys, prefix+strings.TrimPrefix(key, "#"))
				}
			}
			return true
		})
	}
	return keys
}

// A text that nothing shows is one that nobody keeps true.
func TestEveryTextIsUsed(t *testing.T) {
	used := map[string]bool{}
	for _, k := range append(needed(t), literals(t)...) {
		used[k], used[k+".1"], used[k+".n"] = true, true, true
	}
	dynamic := regexp.MustCompile(`^(status|verdict)\..*$`)
	code := ""
	for _, f := range codeFiles(t) {
		code += string(read(t, f))
	}
	for key := range languages["en"] {
		testmust.Holdf(t, used[key] || strings.Contains(code, strconv.Quote(key)) || dynamic.MatchString(key), "%q is never shown", key)
	}
}

// A tarokk among the discards is reported as the locks of a suite, since both texts have the same
// key.
func TestTextsOfAGameComeFirst(t *testing.T) {
	l, _ := LanguageOf("en")
	v := l.VoiceOf(games.Scene("tarokk/v1"), nil)
	testmust.Equal(t, v.Text(scene.Say("did.disclose", scene.Number("n", 1))), "said that 1 tarokk is among the discards")
}
