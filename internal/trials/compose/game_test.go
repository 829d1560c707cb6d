package compose_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
)

// Games of two bots of the host, and of a person in a browser, at the server in the container, of which the verifiers of both say the same.
func TestGame(t *testing.T) {
	testmust.OnlyThorough(t, "builds the programs of the host")
	p := newProject(t, buildQuickly(t))
	p.up()
	key := p.checkSaid()
	host := p.playGame(key)
	browser := exec.Command("go", "test", "-C", "../browser", "-trimpath=false", "-count=1", "-run", "^TestServerElsewhere$", ".")
	browser.Env = append(os.Environ(), "PAKLI_BROWSER_SERVER="+p.url)
	out, err := browser.CombinedOutput()
	testmust.Requiref(t, err == nil, "%v\n%s", err, out)
	const sound = "2 tables: 2 sound, 0 unfinished"
	said := testmust.Have(host("pakli-verify", "--log", key, "--all", p.url).CombinedOutput())(t)
	testmust.Hold(t, strings.Contains(string(said), sound), "the host says", string(said))
	inside := p.inImage(verifierProgram, nil, "--log", key, "--all", "http://pakli:8080")
	testmust.Hold(t, strings.Contains(inside, sound), "the image says", inside)
}

// playGame has two bots of the host play a table, and returns how the host's programs are run.
func (p *project) playGame(key string) (host func(program string, args ...string) *exec.Cmd) {
	t := p.t
	t.Helper()
	dir := t.TempDir()
	build := exec.Command("go", "build", "-C", top, "-o", dir+"/", "./cmd/pakli", "./cmd/pakli-verify")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	host = func(program string, args ...string) *exec.Cmd {
		cmd := exec.Command(filepath.Join(dir, program), args...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "PAKLI_SERVER="+p.url, "PAKLI_LOG="+key)
		return cmd
	}
	for _, name := range []string{"club", "anna", "bela"} {
		testmust.Do(t, host("pakli", "seat", name).Run())
	}
	out := testmust.Have(host("pakli", "table", "create", "--game", "schwarzer-peter", "--organiser", "club.seat", "--seat", "anna.seat.pub", "--seat", "bela.seat.pub").Output())(t)
	id := strings.Fields(string(out))[0]
	other := host("pakli", "play", "--seat", "bela.seat", "--table", id, "--bot")
	testmust.Do(t, other.Start())
	testmust.Do(t, host("pakli", "play", "--seat", "anna.seat", "--table", id, "--bot").Run())
	testmust.Do(t, other.Wait())
	return host
}
