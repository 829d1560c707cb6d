package compose_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/internal/thorough"
)

// A game of two bots of the host at the server in the container, of which the verifiers of both say the same.
func TestGame(t *testing.T) {
	thorough.Only(t, "builds the programs of the host")
	p := newProject(t, buildQuickly(t))
	p.up()
	key := p.checkSaid()
	dir := t.TempDir()
	build := exec.Command("go", "build", "-C", top, "-o", dir+"/", "./cmd/pakli", "./cmd/pakli-verify")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	host := func(program string, args ...string) *exec.Cmd {
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
	const sound = "1 table: 1 sound, 0 unfinished"
	said := testmust.Have(host("pakli-verify", "--log", key, "--all", p.url).CombinedOutput())(t)
	testmust.Hold(t, strings.Contains(string(said), sound), "the host says", string(said))
	inside := p.do("run", "--rm", "-T", "--no-deps", "--entrypoint", "/usr/local/bin/pakli-verify", "pakli", "--log", key, "--all", "http://pakli:8080")
	testmust.Hold(t, strings.Contains(inside, sound), "the image says", inside)
}
