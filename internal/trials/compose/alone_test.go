package compose_test

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pakli/pakli/internal/testmust"
)

// These are promised for an idle machine. On a busy one the test only reports how long it takes.
const (
	healthyWithin = 10 * time.Second
	endsWithin    = 10 * time.Second
	busy          = 6 // times
)

// unbounded are settings without limits on the posts of one address.
const unbounded = "post-rate = -1\ntable-rate = -1\nkey-rate = -1\nglobal-rate = -1\nlog-requests = none\n"

// TestAlone tests the server of the default service: what it may do, what it logs, and that nothing
// is lost when it is restarted, killed by Compose or by the system, and taken down and up again while
// clients post.
func TestAlone(t *testing.T) {
	p := newProject(t, buildQuickly(t))
	p.settle(unbounded)
	p.up()
	p.checkConfined()
	key := p.checkSaid()
	p.checkMetrics()
	c := p.crowd(key)
	c.acknowledged(30)
	for when, fault := range map[string]func(){
		"restarted":         func() { p.do("restart", "pakli") },
		"killed by Compose": func() { p.do("kill", "-s", "KILL", "pakli"); p.up() },
		"killed":            p.killProcess, // the engine starts it again
		"down and up":       func() { p.do("stop", "pakli"); p.checkStopped(); p.do("down"); p.up() },
	} {
		fault()
		c.acknowledged(30)
		c.judge(when)
	}
	c.end()
	testmust.Equal(t, p.copyOut("pakli", "/data/log.vkey"), key, "another key than at first")
}

// up starts stopped services, and returns when they are healthy.
func (p *project) up() {
	p.t.Helper()
	p.do("up", "-d", "--no-build")
	took := p.awaitHealthy("pakli")
	p.t.Logf("healthy %v after the start", took.Round(time.Millisecond))
	testmust.Hold(p.t, took < healthyWithin*busy, "healthy after", took)
}

// killProcess kills the process from outside, as the system does when memory is short.
func (p *project) killProcess() {
	p.t.Helper()
	before := p.inspect("pakli", "{{.State.StartedAt}}")
	pid := testmust.Have(strconv.Atoi(p.inspect("pakli", "{{.State.Pid}}")))(p.t)
	testmust.Do(p.t, syscall.Kill(pid, syscall.SIGKILL))
	testmust.Until(p.t, "the engine starts it again", func() bool {
		return p.inspect("pakli", "{{.State.Running}} {{.State.StartedAt}}") != "true "+before && p.inspect("pakli", "{{.State.Running}}") == "true"
	})
	p.awaitHealthy("pakli")
}

// checkStopped requires that a server that was told to stop ended by itself, and was not killed after
// the grace.
func (p *project) checkStopped() {
	p.t.Helper()
	id := strings.Fields(p.do("ps", "-a", "-q", "pakli"))
	if len(id) != 1 { // version 1 lists those that have ended too
		id = strings.Fields(p.do("ps", "-q", "pakli"))
	}
	testmust.Equal(p.t, docker(p.t, "inspect", "-f", "{{.State.ExitCode}} {{.State.OOMKilled}}", id[0]), "0 false", "told to stop")
}

// checkConfined checks from outside, with what the kernel says of the process, what it may do.
func (p *project) checkConfined() {
	p.t.Helper()
	status := string(testmust.Have(os.ReadFile("/proc/" + p.inspect("pakli", "{{.State.Pid}}") + "/status"))(p.t))
	for _, line := range []string{`Uid:\s+65532\s+65532\s+65532\s+65532`, `CapPrm:\s+0+`, `CapEff:\s+0+`, `CapBnd:\s+0+`, `NoNewPrivs:\s+1`, `Seccomp:\s+2`} {
		testmust.Hold(p.t, regexp.MustCompile(`(?m)^`+line+`$`).MatchString(status), "the process has not", line, "but\n", status)
	}
	limits := string(testmust.Have(os.ReadFile("/proc/" + p.inspect("pakli", "{{.State.Pid}}") + "/limits"))(p.t))
	testmust.Hold(p.t, regexp.MustCompile(`Max open files\s+16384\s+16384`).MatchString(limits), limits)
	testmust.Equal(p.t, p.inspect("pakli", "{{.HostConfig.ReadonlyRootfs}} {{.HostConfig.Memory}} {{.HostConfig.PidsLimit}} {{.HostConfig.Privileged}}"), "true 2147483648 1024 false")
	for _, mounted := range strings.Fields(p.inspect("pakli", "{{range .Mounts}}{{.Destination}}:{{.RW}} {{end}}")) {
		testmust.Hold(p.t, mounted == "/data:true" || mounted == "/etc/pakli:false", "mounted is", mounted)
	}
}

// checkSaid returns the log's key, which is in the container's log and on the volume.
func (p *project) checkSaid() string {
	p.t.Helper()
	key := p.copyOut("pakli", "/data/log.vkey")
	said := p.do("logs", "--no-color", "pakli")
	testmust.Hold(p.t, strings.Contains(said, p.url+"\n") && strings.Contains(said, key+"\n"), "the log of the container has not", p.url, "and", key, "but\n", said)
	return key
}

// checkMetrics asks as a Prometheus of the host would.
func (p *project) checkMetrics() {
	p.t.Helper()
	url := "http://" + p.inspect("pakli", `{{with index .NetworkSettings.Ports "8081/tcp"}}{{(index . 0).HostIp}}:{{(index . 0).HostPort}}{{end}}`) + "/metrics"
	for token, want := range map[string]int{"": http.StatusUnauthorized, p.copyOut("pakli", "/data/operator-token"): http.StatusOK} {
		r := testmust.Have(http.NewRequest(http.MethodGet, url, nil))(p.t)
		r.Header.Set("Authorization", "Bearer "+token)
		resp := testmust.Have(http.DefaultClient.Do(r))(p.t)
		resp.Body.Close()
		testmust.Equal(p.t, resp.StatusCode, want, url)
	}
}

// A server that strangers can reach must not let them begin tables unless the operator said so, and
// must not take another image of loopback for the world.
func TestClosedToTheWorld(t *testing.T) {
	p := newProject(t, buildQuickly(t))
	p.set("PAKLI_BIND", "0.0.0.0")
	out, err := p.try("run", "--rm", "pakli")
	testmust.Hold(t, err != nil && strings.Contains(out, "0.0.0.0:"+p.port+" can be reached from elsewhere") && strings.Contains(out, "--organisers"), "it starts:", out)
}

// How long it takes to stop under load.
func TestStops(t *testing.T) {
	testmust.OnlyThorough(t, "starts a server with all its time to stop")
	p := newProject(t, buildQuickly(t))
	p.up()
	c := p.crowd(p.checkSaid())
	c.acknowledged(10)
	begun := time.Now()
	p.do("stop", "pakli")
	took := time.Since(begun)
	t.Logf("stopped under load in %v", took.Round(time.Millisecond))
	testmust.Hold(t, took < endsWithin*busy, "it took", took)
	p.checkStopped()
	p.up()
	c.acknowledged(10)
	c.end()
}

// Somebody else fills the volume. The server accepts nothing more but shows its log, logs the reason,
// also after a restart, and continues by itself when there is room. No acknowledged entry is lost.
func TestFullVolume(t *testing.T) {
	testmust.OnlyThorough(t, "makes a disk of its own")
	p := newProject(t, buildQuickly(t))
	p.useSmallDisk()
	p.settle(unbounded)
	p.up()
	c := p.crowd(p.checkSaid())
	c.acknowledged(30)
	filler := filepath.Join(docker(t, "volume", "inspect", "-f", "{{.Mountpoint}}", p.volume("pakli-data")), "filler")
	for when, fault := range map[string]func(){"full": func() {}, "full, and restarted": func() { p.do("restart", "pakli") }} {
		run(t, "sh", "-c", "cat /dev/zero > "+filler+" || sync")
		fault()
		testmust.Until(t, when+": it is not ready", func() bool { return p.status("/readyz") == http.StatusServiceUnavailable })
		testmust.Until(t, when+": it is read", func() bool { return p.status("/checkpoint") == http.StatusOK })
		testmust.Until(t, when+": it says so", func() bool { return strings.Contains(p.do("logs", "--no-color", "pakli"), `"check":"space"`) })
		testmust.Do(t, os.Remove(filler))
		c.acknowledged(30)
		c.judge(when)
	}
	c.end()
}

// status returns the status of an answer, or 0.
func (p *project) status(path string) int {
	resp, err := http.Get(p.url + path)
	if err != nil {
		return 0
	}
	resp.Body.Close()
	return resp.StatusCode
}

// useSmallDisk has the server's volume on a file system of its own.
func (p *project) useSmallDisk() {
	p.t.Helper()
	image := filepath.Join(p.t.TempDir(), "disk")
	run(p.t, "truncate", "-s", "1400M", image)
	run(p.t, "mkfs.ext4", "-q", "-m", "0", "-E", "root_owner=65532:65532", image)
	loop := run(p.t, "losetup", "-f", "--show", image)
	p.t.Cleanup(func() { run(p.t, "losetup", "-d", loop) }) // when it is not mounted any more
	p.override("volumes: {pakli-data: {driver_opts: {type: ext4, device: %s}}}\n", loop)
}

// Two bots of the host, and a person in a browser, play at the server in the container, and the
// verifiers of host and container give the same verdict.
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
