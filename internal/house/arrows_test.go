package house_test

import (
	"bytes"
	"encoding/json"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pakli/pakli/internal/testmust"
)

const module = "github.com/pakli/pakli/"

// arrows lists for each package the packages of ours that it may import. A pattern that ends in /...
// is a folder with everything below it.
//
// Arrows are policy. Do not add lines to make a change pass: if a package needs another one that is
// not listed, either the code is in the wrong place or the design changes, and then docs/design says
// so first.
var arrows = map[string][]string{
	"protocol/suite/group":              {"protocol/suite/group/internal/...", "protocol/suite/modp"},
	"protocol/suite/group/...":          {"protocol/suite/group"},
	"protocol/suite/modp":               {},
	"protocol/suite/group/internal/...": {},
	"protocol/transcript":               {},
	"protocol/card":                     {},
	"protocol/suite/elgamal/masking":    {"protocol/suite/group", "protocol/card", "protocol/proof", "protocol/transcript"},
	"protocol/proof":                    {"protocol/transcript", "protocol/card"},
	"protocol/proof/...":                {"protocol/proof", "protocol/proof/...", "protocol/transcript", "protocol/card"},
	"protocol/proof/prooftest":          {"internal/testmust", "protocol/proof", "protocol/proof/...", "protocol/transcript", "protocol/card"},
	"protocol/suite":                    {"protocol/proof", "protocol/suite/..."},
	"protocol/suite/...":                {"protocol/proof", "protocol/suite/...", "protocol/transcript", "protocol/card"},
	"protocol/suite/elgamal/handtest":   {"internal/testmust", "protocol/card", "protocol/proof", "protocol/suite/...", "protocol/transcript"},
	"protocol/wire":                     {},
	"protocol/table":                    {"protocol/proof", "protocol/transcript", "protocol/card", "protocol/wire", "protocol/keeper"},
	"protocol/keeper":                   {"protocol/wire"},
	"protocol/keeper/exchange":          {"protocol/keeper", "protocol/wire"},
	"protocol/bulletin":                 {"protocol/wire"},
	"protocol/event":                    {"protocol/bulletin", "protocol/wire"},
	"protocol/table/play":               {"protocol/table", "protocol/proof", "protocol/card", "protocol/wire"},
	"protocol/table/timing":             {"protocol/keeper", "protocol/table", "protocol/wire"},
	"protocol/toolbox":                  {"protocol/games/toolbox", "protocol/player", "protocol/proof", "protocol/table", "protocol/table/play", "protocol/card", "protocol/wire"},
	"protocol/replay":                   {"protocol/table", "protocol/proof", "protocol/wire"},
	"protocol/game":                     {"protocol/scene", "protocol/table", "protocol/table/play", "protocol/wire"},
	"protocol/games":                    {"protocol/card", "protocol/game", "protocol/scene", "protocol/table", "protocol/games/..."},
	"protocol/player":                   {"protocol/table/timing", "protocol/table", "protocol/table/play", "protocol/proof", "protocol/transcript", "protocol/wire", "protocol/keeper/exchange", "protocol/keeper"},
	"protocol/player/...":               {"protocol/player", "protocol/wire", "internal/durable"},
	"protocol/player/sealed":            {},
	"protocol/player/seatfile":          {"protocol/player", "protocol/player/sealed", "protocol/wire", "internal/durable"},
	"protocol/table/tabletest":          {sharedByGames, "protocol/player", "protocol/table/tabletest/clear", "protocol/wire", "internal/testmust", "protocol/table", "protocol/table/...", "protocol/proof", "protocol/transcript", "protocol/card"},
	"protocol/scene":                    {"protocol/table", "protocol/table/play", "protocol/card", "protocol/wire", "internal/plain"},
	"protocol/scene/scenetest":          {"internal/testmust", "protocol/scene", "protocol/table", "protocol/table/play", "protocol/table/tabletest", "protocol/wire"},
	"protocol/offer":                    {"internal/plain", "protocol/wire"},
	"protocol/games/records":            {"protocol/game", "protocol/games/..."},
	"protocol/game/shared":              {"protocol/card", "protocol/table"},
	"protocol/games/...":                {"protocol/table", "protocol/card"}, // and its own folder and what games share; of a game the folder scene, protocol/scene, and the folder record, protocol/game
	"ledger/tlog":                       {},
	"ledger/tiles":                      {"ledger/tlog", "internal/durable"},
	"ledger/marks":                      {"ledger/tlog", "protocol/keeper", "protocol/wire"},
	"protocol/event/played":             {"protocol/card", "protocol/event", "protocol/replay", "protocol/table", "protocol/wire"},
	"ledger/bundle":                     {"ledger/marks", "protocol/keeper", "protocol/wire", "ledger/tiles", "ledger/tlog", "protocol/bulletin", "protocol/event"},
	"ledger/marks/markstest":            {"protocol/table/timing", "ledger/ledgertest", "ledger/marks", "ledger/tlog", "protocol/keeper", "protocol/player", "protocol/replay", "protocol/table", "protocol/table/tabletest", "protocol/table/play", "protocol/wire"},
	"ledger/badgerstore":                {"ledger", "ledger/tlog", "internal/durable"},
	"ledger/cluster":                    {"ledger", "ledger/tlog", "internal/durable"},
	"ledger/cluster/clustertest":        {"ledger/tlog"}, // for tests
	"ledger":                            {"ledger/tlog", "internal/durable", "ledger/tiles"},
	"ledger/cosign":                     {"internal/plain", "ledger/tlog", "internal/durable", "protocol/keeper/exchange", "protocol/keeper", "protocol/wire"},
	"ledger/admission":                  {"internal/durable", "internal/plain", "ledger/tlog", "ledger", "protocol/bulletin", "protocol/event", "protocol/replay", "protocol/table", "protocol/wire", "ledger/marks", "protocol/keeper"},
	"docs":                              {},
	"httpapi":                           {"protocol/table/timing", "internal/plain", "internal/version", "docs", "httpapi/client", "httpapi/limit", "httpapi/notify", "protocol/offer", "ledger/tiles", "ledger/tlog", "ledger/bundle", "ledger/admission", "ledger/marks", "protocol/bulletin", "protocol/event", "protocol/event/played", "protocol/replay", "protocol/table", "protocol/wire", "protocol/keeper"},
	"httpapi/notify":                    {"internal/durable", "protocol/wire", "protocol/bulletin"},
	"httpapi/limit":                     {},
	"httpapi/web":                       {"httpapi/limit", "httpapi/web/build", "protocol/games", "protocol/scene"},
	"httpapi/web/...":                   {"httpapi/web/build"},
	"httpapi/client/tablelog":           {"protocol/table/timing", "httpapi/client", "ledger/tiles", "ledger/tlog", "protocol/keeper", "protocol/keeper/exchange", "protocol/player", "protocol/table", "protocol/table/play", "protocol/wire", "protocol/offer"},
	"httpapi/client/organiser":          {"httpapi/client", "protocol/bulletin", "protocol/event", "protocol/games", "protocol/scene", "protocol/suite", "protocol/table", "protocol/wire"},
	"httpapi/client":                    {"protocol/keeper/exchange", "protocol/keeper", "internal/plain", "ledger/tiles", "ledger/tlog", "protocol/wire", "ledger/marks"},
	"httpapi/web/sdk":                   {"httpapi/web/build"},
	"httpapi/web/build/make":            {"httpapi/web/build", "internal/durable"},
	"httpapi/web/sdk/make":              {"httpapi/web/build", "httpapi/web/sdk"},
	"verifier":                          {"ledger/tlog", "protocol/keeper", "protocol/replay", "protocol/table", "protocol/wire", "ledger/marks"},
	"verifier/tableset":                 {"verifier", "ledger/tlog", "protocol/replay", "protocol/table", "protocol/wire", "protocol/proof", "ledger/marks"},
	"verifier/verifiertest":             {"protocol/games/toolbox", "internal/testmust", "protocol/bulletin", "verifier", "ledger/admission", "ledger/ledgertest", "protocol/card", "protocol/proof", "protocol/suite", "protocol/table", "protocol/table/tabletest", "protocol/table/tabletest/clear", "protocol/wire", "protocol/table/...", "protocol/suite/elgamal/...", "protocol/suite/group"}, // for tests: it makes the shuffles of a suite
	"verifier/events":                   {"verifier", "verifier/tableset", "ledger/marks", "ledger/bundle", "ledger/tlog", "protocol/bulletin", "protocol/event", "protocol/event/played", "protocol/replay", "protocol/table", "protocol/wire"},
	"verifier/events/results":           {"internal/plain", "internal/durable", "ledger/bundle", "ledger/tlog", "protocol/bulletin", "protocol/event", "protocol/scene", "protocol/table", "protocol/wire", "verifier", "verifier/events", "verifier/report", "verifier/report/page"},
	"verifier/follow":                   {"internal/durable", "internal/plain", "verifier", "verifier/tableset", "ledger/bundle", "ledger/tiles", "ledger/tlog", "protocol/replay", "protocol/table", "protocol/wire", "ledger/marks"},
	"verifier/report":                   {"internal/plain", "verifier", "verifier/tableset", "ledger/bundle", "ledger/tlog", "protocol/games", "protocol/scene", "protocol/replay", "protocol/table", "protocol/proof", "protocol/wire"},
	"verifier/report/page":              {"internal/plain", "verifier", "verifier/report", "protocol/games", "protocol/scene"},
	"verifier/report/...":               {},
	"internal/command":                  {"internal/plain", "internal/version"},
	"internal/durable":                  {},
	"internal/plain":                    {"protocol/wire"},
	"internal/version":                  {},
	"internal/house":                    {},
	"internal/testmust":                 {}, // for tests
	"internal/vectors":                  {},
	"internal/play":                     {"protocol/games", "protocol/suite", "protocol/table", "protocol/table/tabletest", "protocol/wire"}, // for tests
	"cmd/...":                           {"..."},
	"ledger/ledgertest":                 {"ledger", "ledger/tlog"},
	"protocol/table/...":                {"protocol/table", "protocol/table/...", "protocol/player", "protocol/proof", "protocol/transcript", "protocol/card", "protocol/wire"},
}

// doors lists the only packages of ours that may import a library, so that it can be replaced in one
// place.
var doors = map[string][]string{
	"github.com/oasisprotocol/curve25519-voi": {"protocol/suite/group/internal/voi"},
	"github.com/gtank/ristretto255":           {"protocol/suite/group/internal/filippo"},
	"filippo.io/edwards25519":                 {"protocol/suite/group", "protocol/suite/group/internal/voi", "protocol/suite/group/internal/filippo", "protocol/wire"}, // wire: which identity keys are points
	"filippo.io/bigmod":                       {"protocol/suite/modp"},
	"github.com/dgraph-io/badger":             {"ledger/badgerstore", "cmd/pakli/bench/logbench"}, // logbench: a bare store to compare with
	"github.com/google/trillian":              {"ledger/badgerstore", "ledger/cluster", "ledger/cluster/clustertest"},
	"google.golang.org/grpc":                  {"ledger/badgerstore", "ledger/cluster", "ledger/cluster/clustertest"},
	"go.etcd.io":                              {"ledger/cluster"},
	"github.com/jackc/pgx":                    {"ledger/cluster"},
	"github.com/labstack/echo":                {"httpapi"},
	"github.com/yuin/goldmark":                {"docs"},
	"github.com/prometheus":                   {"httpapi"},
	"filippo.io/age":                          {"protocol/player/sealed"},
	"rsc.io/qr":                               {"cmd/pakli-web/desk"},
}

func matches(pattern, name string) bool {
	if pattern == "..." || pattern == name {
		return true
	}
	folder, below := strings.CutSuffix(pattern, "...")
	return below && strings.HasPrefix(name, folder)
}

// allowed returns the arrows of the most specific pattern for a package.
func allowed(name string) ([]string, bool) {
	if to, ok := arrows[name]; ok {
		return to, true
	}
	best := ""
	for pattern := range arrows {
		if matches(pattern, name) && len(pattern) > len(best) {
			best = pattern
		}
	}
	return arrows[best], best != ""
}

// gameArrows returns what a package of a game may import besides: its own game, and the seam of its
// presentation. So no game is named here.
func gameArrows(name string) []string {
	parts := strings.Split(name, "/")
	if len(parts) < 3 || parts[1] != "games" {
		return nil
	}
	own := strings.Join(parts[:3], "/")
	if len(parts) == 4 && partSeams[parts[3]] != "" {
		return []string{own, own + "/...", sharedByGames, partSeams[parts[3]]}
	}
	if len(parts) > 3 && strings.HasSuffix(parts[3], "test") { // for tests, like tabletest
		return []string{own, own + "/...", "protocol/table/...", "protocol/proof", "protocol/wire"}
	}
	return []string{own, own + "/...", sharedByGames}
}

// partSeams maps the names of a game's folders to the packages that they implement.
var partSeams = map[string]string{"scene": "protocol/scene", "record": "protocol/game"}

// sharedByGames has the rules that games share.
const sharedByGames = "protocol/game/shared"

// An import violates the arrows, for example a game imports group elements, or a verifier the server.
func TestArrows(t *testing.T) {
	for _, p := range all(t) {
		from := strings.TrimPrefix(p.ImportPath, module)
		to, known := allowed(from)
		if !known {
			t.Errorf("%s: no arrows are drawn for this package", from)
			continue
		}
		to = append(slices.Clip(to), gameArrows(from)...)
		for _, i := range p.Imports {
			name, ours := strings.CutPrefix(i, module)
			testmust.Holdf(t, !ours || slices.ContainsFunc(to, func(pattern string) bool { return matches(pattern, name) }),
				"%s imports %s: no such arrow", from, name)
			for library, doors := range doors {
				testmust.Holdf(t, !strings.HasPrefix(i, library) || slices.Contains(doors, from), "%s imports %s, which is for %v alone", from, i, doors)
			}
		}
	}
}

// forbidden are the packages that a verifier must not link: servers, stores and sequencers.
var forbidden = []string{
	module + "ledger/badgerstore", module + "ledger/cluster", module + "ledger/admission", module + "httpapi",
	"github.com/dgraph-io", "github.com/google/trillian", "github.com/labstack", "github.com/prometheus", "google.golang.org/grpc", "google.golang.org/protobuf",
}

// A verifier that shares the server's code could share the server's lies.
func TestVerifierLinksNoServer(t *testing.T) {
	for _, p := range []pkg{one(t, "verifier"), one(t, "cmd/pakli-verify")} {
		for _, d := range p.Deps {
			for _, bad := range forbidden {
				testmust.Holdf(t, (!strings.HasPrefix(d, bad) || d == module+"httpapi/client") && d != module+"ledger", "%s links %s", p.ImportPath, d)
			}
		}
	}
}

// A page must not link net/http and TLS beside the browser's own, or regular expressions or templates
// for what plain code does. They would make it a third larger.
func TestPagesLinkNoTransport(t *testing.T) {
	t.Setenv("GOOS", "js")
	t.Setenv("GOARCH", "wasm")
	links, err := goList("-deps", module+"httpapi/client", module+"cmd/pakli-web", module+"cmd/pakli-web/verify")
	testmust.Requiref(t, err == nil && len(links) >= 100, "%d packages, %v", len(links), err)
	for _, p := range links {
		testmust.Holdf(t, !slices.Contains([]string{"net", "net/http", "crypto/tls", "text/template"}, p.ImportPath), "a page links %s", p.ImportPath)
		testmust.Holdf(t, !strings.HasPrefix(p.ImportPath, module) || !slices.Contains(p.Imports, "regexp"), "a page links %s, and it regexp", p.ImportPath)
	}
}

// trusted are the modules, besides the standard library, on whose code a verdict rests.
var trusted = []string{
	module,
	"github.com/oasisprotocol/curve25519-voi/", // ristretto255
	"github.com/transparency-dev/merkle",       // proofs of RFC 6962
	"filippo.io/edwards25519",                  // its scalars
	"filippo.io/bigmod",                        // single powers modulo numbers of 1024, 1536 and 2048 bits
	"filippo.io/mldsa",                         // ML-DSA-44 signatures of logs and cosigners
	"golang.org/x/mod/sumdb/",                  // notes, tree hashes
	"golang.org/x/crypto/",                     // of curve25519-voi
	"golang.org/x/text/transform",              // which clubs of an event are one; which names look alike, on which no verdict rests
	"golang.org/x/text/unicode/norm",           // the same
	"golang.org/x/sys/",                        // of golang.org/x/crypto: CPU features
}

func TestVerifierTrustedBase(t *testing.T) {
	for _, d := range one(t, "cmd/pakli-verify").Deps {
		first, _, _ := strings.Cut(d, "/")
		isStd := !strings.Contains(first, ".") || strings.HasPrefix(d, "vendor/")
		testmust.Holdf(t, isStd || slices.ContainsFunc(trusted, func(m string) bool { return strings.HasPrefix(d, m) }),
			"it links %s, which is not in its trusted base", d)
	}
}

// The second engine must not depend on the first, and must not be linked unless it is named.
func TestSecondEngineIsAlone(t *testing.T) {
	const first, second = module + "protocol/suite/group/internal/voi", module + "protocol/suite/group/internal/filippo"
	deps := one(t, "cmd/pakli-verify").Deps
	testmust.Holdf(t, slices.Contains(deps, first) && !slices.Contains(deps, second), "pakli-verify links another engine than %s", first)
	list := testmust.Have(goList("-tags=filippo", module+"cmd/pakli-verify"))(t)
	deps = list[0].Deps
	testmust.Holdf(t, slices.Contains(deps, second) && !slices.Contains(deps, first), "pakli-verify for the second engine links another than %s", second)
}

// A package has no package comment.
func TestEveryPackageSaysWhatItIs(t *testing.T) {
	for _, p := range all(t) {
		testmust.Holdf(t, len(p.GoFiles) == 0 || len(p.Doc) >= 20, "%s has no package comment", p.ImportPath)
	}
}

// uncatalogued are the packages that are no game and no suite.
var uncatalogued = []string{module + recordCatalogue, module + "protocol/suite/modp", module + "protocol/suite/group", module + cutAndChoose}

// recordCatalogue is the catalogue of written records, which neither verifiers nor pages need.
const recordCatalogue = "protocol/games/records"

// A game or suite that is not in its catalogue is unknown to every verifier, and a game's scene or
// record that is not there is never used. Other folders below a game's are reached through it.
func TestEveryFolderIsInItsCatalogue(t *testing.T) {
	for _, catalogue := range []string{"protocol/games", "protocol/suite"} {
		imports := one(t, catalogue).Imports
		if catalogue == "protocol/games" {
			imports = append(imports, one(t, recordCatalogue).Imports...)
		}
		for _, p := range below(t, catalogue) {
			parts := strings.Split(strings.TrimPrefix(p.ImportPath, module+catalogue), "/")
			inside := len(parts) > 2 && partSeams[parts[2]] == ""
			testmust.Holdf(t, p.ImportPath == module+catalogue || slices.Contains(uncatalogued, p.ImportPath) || inside || slices.Contains(imports, p.ImportPath),
				"%s is not in the catalogue %s", p.ImportPath, catalogue)
		}
	}
}

// gameName finds the name of a game in its folder's rules: Name() string { return "<game>/v1" }.
var gameName = regexp.MustCompile(`\) Name\(\) string \{ return "([a-z-]+)/v[0-9]+" \}`)

// gameNames returns the names and folders of all games, as the code spells them.
func gameNames(t *testing.T) (names []string) {
	t.Helper()
	files := testmust.Have(filepath.Glob("../../protocol/games/*/*.go"))(t)
	for _, f := range files {
		b := testmust.Have(os.ReadFile(f))(t)
		if m := gameName.FindSubmatch(b); m != nil && string(m[1]) != "draw" { // an event's table, and a common word
			names = append(names, string(m[1]), filepath.Base(filepath.Dir(f)))
		}
	}
	testmust.Requiref(t, len(names) >= 4, "the games are %v: the test tests nothing", names)
	return names
}

// If code outside a game's folder and the catalogues names the game, a change to it or a similar game
// needs a change there. Tests and comments may name a game.
func TestGamesAreNamedInCataloguesOnly(t *testing.T) {
	names := gameNames(t)
	testmust.Do(t, filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		inside, _ := filepath.Rel("../..", path)
		inside = filepath.ToSlash(inside)
		switch {
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == ".git" || inside == "protocol/games" || inside == "internal"):
			return fs.SkipDir
		case !strings.HasSuffix(path, ".go"), strings.HasSuffix(path, "_test.go"):
			return nil
		}
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		namesIn(t, inside, src, names)
		return nil
	}))
}

// namesIn looks for names in the code of a file, without its comments.
func namesIn(t *testing.T, file string, src []byte, names []string) {
	t.Helper()
	files := token.NewFileSet()
	var s scanner.Scanner
	s.Init(files.AddFile(file, -1, len(src)), src, nil, 0)
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			return
		}
		lit = strings.ToLower(lit)
		if i := slices.IndexFunc(names, func(name string) bool { return strings.Contains(lit, name) }); i >= 0 {
			t.Errorf("%s names the game %s: %s", files.Position(pos), names[i], lit)
		}
	}
}

// withDare builds the commands with one more game: a folder, and one line in the catalogue.
func withDare(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	root := testmust.Have(filepath.Abs("../.."))(t)
	replace := map[string]string{}
	for _, f := range []string{"dare.go", "scene/scene.go"} {
		replace[filepath.Join(root, "protocol/games/dare", f)] = filepath.Join(root, "internal/house/testdata/dare", f)
	}
	catalogue := filepath.Join(root, "protocol/games/games.go")
	text := string(testmust.Have(os.ReadFile(catalogue))(t))
	const path = module + "protocol/games/dare"
	text = strings.Replace(text, "import (\n", "import (\n\t\""+path+"\"\n\tdarescene \""+path+"/scene\"\n", 1)
	text = regexp.MustCompile(`var catalogue = [^\n]*\{\n`).ReplaceAllString(text, "$0\tgame.Define(dare.Rules{}, darescene.Presentation{}),\n")
	testmust.Hold(t, strings.Count(text, "dare") == 5, catalogue, "has no list of games:", text)
	replace[catalogue] = filepath.Join(dir, "games.go")
	testmust.Do(t, os.WriteFile(replace[catalogue], []byte(text), 0o600))
	overlay := testmust.Have(json.Marshal(map[string]any{"Replace": replace}))(t)
	testmust.Do(t, os.WriteFile(filepath.Join(dir, "overlay.json"), overlay, 0o600))
	run(t, root, "", "go", "build", "-overlay", filepath.Join(dir, "overlay.json"), "-o", dir, "./cmd/pakli", "./cmd/pakli-verify")
	return dir
}

// run runs a command to its end and returns its output.
func run(t *testing.T, dir, stdin, name string, args ...string) string {
	t.Helper()
	c := exec.Command(name, args...)
	c.Dir, c.Stdin, c.Env = dir, strings.NewReader(stdin), append(os.Environ(), "LC_ALL=C.UTF-8")
	var out, problems bytes.Buffer
	c.Stdout, c.Stderr = &out, &problems
	err := c.Run()
	testmust.Requiref(t, err == nil, "%s %v: %v\n%s%s", name, args, err, out.String(), problems.String())
	return out.String()
}

// A game added by a folder and a line in the catalogue must have words, and not appear as JSON,
// wherever people look.
func TestGameIsOneFolder(t *testing.T) {
	testmust.OnlyThorough(t, "builds two commands")
	dir := withDare(t)
	pakli := filepath.Join(dir, "pakli")
	for _, seat := range []string{"anna", "bela"} {
		run(t, dir, "", pakli, "seat", seat)
	}
	serve := exec.Command(pakli, "serve", "--data", "data", "--listen", "127.0.0.1:0", "--operator-addr", "none", "--ballast", "0")
	var problems bytes.Buffer
	serve.Dir, serve.Stderr = dir, &problems
	testmust.Do(t, serve.Start())
	defer func() {
		serve.Process.Signal(os.Interrupt)
		serve.Wait()
	}()
	url := ""
	for range 1200 {
		if b, err := os.ReadFile(filepath.Join(dir, "data", "url")); err == nil && len(b) > 0 {
			url = strings.TrimSpace(string(b))
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	key, err := os.ReadFile(filepath.Join(dir, "data", "log.vkey"))
	testmust.Requiref(t, err == nil && url != "", "no server: %v: %s", err, problems.String())
	log := strings.TrimSpace(string(key))
	id := strings.TrimSpace(run(t, dir, "", pakli, "table", "create", "--server", url, "--log", log, "--game", "dare", "--seat", "anna.seat.pub", "--seat", "bela.seat.pub"))
	play := func(seat, lang, stdin string) string {
		return run(t, dir, stdin, pakli, "play", "--stdin", "--lang", lang, "--server", url, "--log", log, "--table", id, "--seat", seat+".seat")
	}
	anna := make(chan string)
	go func() { anna <- play("anna", "hu", "vállalom\n") }()
	bela := play("bela", "de", "kneifen\n")
	said := map[string][]string{
		"bela":  {bela, "anna hat es mit", "Wagst du es, oder kneifst du?", "bela hat gekniffen", "Wer wagt, gewinnt."},
		"anna":  {<-anna, "bevállalta, a lap", "Vállalod, vagy nem mered?", "Aki mer, az nyer."},
		"again": {play("bela", "en", ""), "bela (you)", "The table is over."},
	}
	for lang, texts := range map[string][]string{"en": {"dared with the", "ducked", "Who dares wins."}, "de": {"hat es mit die", "Wer wagt, gewinnt."}, "hu": {"bevállalta, a lap", "Aki mer, az nyer."}} {
		said["watch "+lang] = append([]string{run(t, dir, "", pakli, "table", "watch", "--lang", lang, "--server", url, "--log", log, id)}, texts[0])
		said["report "+lang] = append([]string{run(t, dir, "", filepath.Join(dir, "pakli-verify"), "--format", "text", "--lang", lang, "--log", log, "--table", id, url)}, texts...)
	}
	for where, texts := range said {
		for _, want := range texts[1:] {
			testmust.Holdf(t, strings.Contains(strings.ReplaceAll(texts[0], "\n", " "), want), "%s does not say %q:\n%s", where, want, texts[0])
		}
	}
}
