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

// gameName finds the name of a game in its folder's rules: Name() string { return "<game>/v1" }.
var gameName = regexp.MustCompile(`\) Name\(\) string \{ return "([a-z-]+)/v[0-9]+" \}`)

// gameNames are the names and folders of all games, as the code spells them.
func gameNames(t *testing.T) (names []string) {
	t.Helper()
	files := testmust.Have(filepath.Glob("../../protocol/games/*/*.go"))(t)
	for _, f := range files {
		b := testmust.Have(os.ReadFile(f))(t)
		if m := gameName.FindSubmatch(b); m != nil && string(m[1]) != "draw" { // an event's table, and a word of many places
			names = append(names, string(m[1]), filepath.Base(filepath.Dir(f)))
		}
	}
	testmust.Requiref(t, len(names) >= 4, "the games are %v: the test tests nothing", names)
	return names
}

// A game that is named outside its folder and the catalogues is one whose change, or
// whose like, needs a change there. Tests and comments may name one.
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

// namesIn looks for names in the code of a file, its comments left out.
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

// run runs a command to its end and returns what it prints.
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

// A game that is added by a folder and a line in the catalogue, and then is shown as
// JSON by one of the places where people look.
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
