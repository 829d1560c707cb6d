package house_test

import (
	"bytes"
	"fmt"
	"go/scanner"
	"go/token"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
)

// ring is a part of the code on which a verdict rests: the packages that go list finds under its
// roots, without those of earlier rings (docs/design/rings.md).
type ring struct {
	name  string
	roots []string
	reads []string // its packages, in reading order
	lines int      // of code, at most: without blank lines and comments
}

var kernel = ring{"kernel", []string{"verifier"}, []string{
	"protocol/card", "protocol/transcript", "protocol/proof", "protocol/wire", "protocol/keeper", "protocol/table", "ledger/tlog", "ledger/marks", "protocol/replay", "verifier",
}, 7_770}

// cards is the folder of a suite's mathematics.
const cards = "protocol/suite/elgamal/"

// The files of a suite's provers are not counted: TestVerifyReachesNoProver. The squares, and the
// numbers below them, are in package group beside the curve.
var suite = ring{"suite", []string{"protocol/suite/elgamal", cards + "bayergroth"}, []string{
	"protocol/suite/modp", "protocol/suite/group", "protocol/suite/group/internal/voi", cards + "masking",
	cards + "relations", cards + "bayergroth", cards + "choices",
	"protocol/suite/elgamal",
}, 3_090}

// cutAndChoose is what the arguments of that kind share. It is counted with each of them.
const cutAndChoose = "protocol/suite/rounds"

// residues is an encoding without a group. It uses how the suite draws orders and multiplies numbers.
var residues = ring{"encoding by residues", []string{"protocol/suite/schindelhauer"}, []string{
	"protocol/suite/schindelhauer/matrix",
	cutAndChoose, "protocol/suite/schindelhauer/cutandchoose", "protocol/suite/schindelhauer",
}, 1_640}

// The maximum lines of code of each further shuffle argument in the catalogue of suites, of each
// further encoding of cards, and of each game in the catalogue of games.
const (
	argumentLines = 210
	encodingLines = 380
	gameLines     = 4_000
)

// isProvers reports whether a file belongs to the proving side, on which no verdict rests: prove.go,
// secret.go, and those of one argument among several in a package.
func isProvers(file string) bool {
	side := file[strings.LastIndex(file, "_")+1:]
	return side == "prove.go" || side == "secret.go"
}

// A trusted ring grows, by an imported package or line by line, until nobody reads it any more.
func TestRings(t *testing.T) {
	holds(t, kernel, nil)
	holds(t, suite, kernel.reads)
	both := slices.Concat(kernel.reads, suite.reads)
	for _, p := range catalogued(t, "protocol/suite") {
		switch {
		case slices.Contains(both, p):
		case slices.Contains(residues.reads, p):
			holds(t, residues, both)
		case strings.HasPrefix(p, cards):
			holds(t, ring{p, []string{p}, inFolder(t, p, p), argumentLines}, both)
		default:
			holds(t, ring{p, []string{p}, inFolder(t, p, p), encodingLines}, both)
		}
	}
	for _, p := range catalogued(t, "protocol/games") {
		holds(t, ring{p, []string{p}, inFolder(t, p, p), gameLines}, kernel.reads)
	}
}

// catalogued returns the packages that a catalogue imports, without those of the kernel; of a game
// the rules, without its presentation.
func catalogued(t *testing.T, catalogue string) []string {
	t.Helper()
	var names []string
	for _, i := range one(t, catalogue).Imports {
		name, ours := strings.CutPrefix(i, module)
		if ours && partSeams[path.Base(name)] == "" && strings.HasPrefix(name, catalogue+"/") {
			names = append(names, name)
		}
	}
	return names
}

// inFolder returns the packages with code of their own that a package of this name links from a
// folder, and what games or arguments share, which is counted with each of them.
func inFolder(t *testing.T, name, folder string) []string {
	t.Helper()
	var names []string
	for _, p := range linked(t, []string{name}) {
		inside := p.ImportPath == folder || p.ImportPath == cutAndChoose || matches(sharedByGames, p.ImportPath) || strings.HasPrefix(p.ImportPath, folder+"/")
		if inside && code(t, p) > 0 {
			names = append(names, p.ImportPath)
		}
	}
	return names
}

// holds checks one ring; before are the packages of earlier rings.
func holds(t *testing.T, r ring, before []string) {
	t.Helper()
	var found []string
	lines := 0
	for _, p := range linked(t, r.roots) {
		if slices.Contains(before, p.ImportPath) {
			continue
		}
		if n := code(t, p); n > 0 {
			found = append(found, p.ImportPath)
			lines += n
		}
	}
	slices.Sort(found)
	want := slices.Sorted(slices.Values(r.reads))
	testmust.Holdf(t, slices.Equal(found, want), "%s links %v\nand is said to be %v", r.name, found, want)
	t.Logf("%s: %d lines, at most %d", r.name, lines, r.lines)
	testmust.Hold(t, lines <= r.lines, r.name, "has", lines, "lines of code, at most", r.lines)
}

// code counts the lines of a package that contain code, without the files of its provers.
func code(t *testing.T, p pkg) (lines int) {
	t.Helper()
	for _, f := range p.GoFiles {
		if isProvers(f) {
			continue
		}
		text := testmust.Have(os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(p.ImportPath), f)))(t)
		lines += codeLines(text)
	}
	return lines
}

func codeLines(text []byte) int {
	set := token.NewFileSet()
	file := set.AddFile("", -1, len(text))
	var s scanner.Scanner
	s.Init(file, text, nil, 0)
	on := map[int]bool{}
	for {
		pos, tok, literal := s.Scan()
		if tok == token.EOF {
			return len(on)
		}
		if tok == token.SEMICOLON && literal == "\n" {
			continue // written by nobody
		}
		first := file.Line(pos)
		for line := range strings.Count(literal, "\n") + 1 {
			on[first+line] = true
		}
	}
}

// The count takes comments for code, or code for comments.
func TestCodeLines(t *testing.T) {
	const text = "// Package p is.\npackage p\n\n/* no\ncode */\nvar s = `one\n// two\n` // three\n\nfunc f() {\n}\n"
	testmust.Equal(t, codeLines([]byte(text)), 6, "lines")
}

// The page sends the reader to packages that do not exist, leaves one out, or states another length.
func TestRingsAreOnTheirPage(t *testing.T) {
	text := testmust.Have(os.ReadFile(filepath.Join("..", "..", "docs", "design", "rings.md")))(t)
	page := string(text)
	for _, r := range []ring{kernel, suite, {name: "further shuffle argument", lines: argumentLines}, {name: "further card encoding", lines: encodingLines}, {name: "game", lines: gameLines}} {
		row := fmt.Sprintf("| %s | %d |", r.name, r.lines)
		testmust.Holdf(t, strings.Contains(page, row), "no row %q", row)
		at := 0
		for _, p := range r.reads {
			next := strings.Index(page[at:], "`"+strings.TrimPrefix(p, cards)+"`")
			if next < 0 {
				t.Errorf("%s: %s is not on the page, or not in its order", r.name, p)
				continue
			}
			at += next
		}
	}
}

// A program that verifies and has provers in it: what is not there cannot be called. It is linked
// for that, since provers and verifiers are in one package, and has the names of the functions that the linker left for
// its stack traces. go tool nm would say the same, and is built first where Go's cache is empty.
func TestVerifierHasNoProver(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pakli-verify")
	out, err := exec.Command("go", "build", "-ldflags=-s -w", "-o", file, module+"cmd/pakli-verify").CombinedOutput()
	testmust.Requiref(t, err == nil, "%v\n%s", err, out)
	linked := testmust.Have(os.ReadFile(file))(t)
	for _, prover := range regexp.MustCompile(module+`protocol/(proof|suite)/[^\s\x00]*\b([Pp]rove|Prover|prover|secret)\b[^\s\x00]*`).FindAll(linked, -1) {
		testmust.Holdf(t, bytes.HasSuffix(prover, []byte(".go")), "%s is linked", prover)
	}
	testmust.Hold(t, bytes.Contains(linked, []byte(module+cards+"choices.Condition.Verify\x00")), "no verifier is linked: are the names there?")
}

// A package that verifies or admits can read a hand or choose a move.
func TestVerdictsNeedNoPlayer(t *testing.T) {
	for _, p := range linked(t, []string{"verifier", "verifier/follow", "ledger/admission", "httpapi"}) {
		testmust.Holdf(t, p.ImportPath != "protocol/table/play" && p.ImportPath != "protocol/player", "%s is linked", p.ImportPath)
	}
}
