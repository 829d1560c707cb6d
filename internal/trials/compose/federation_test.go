package compose_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
)

const verifierProgram = "/usr/local/bin/pakli-verify"

// A cosigner, a keeper and a mirror, as docs/guide/operate.md starts them, of a server in a container; and what they are for. The
// server's volume is lost: a backup that is older than the mirror is refused, and the mirror is made the log again, of which nothing
// that was acknowledged is missing.
func TestFederation(t *testing.T) {
	testmust.OnlyThorough(t, "the short form is what the scripts of cmd/pakli play without containers")
	p := newProject(t, buildQuickly(t))
	p.settle(unbounded)
	p.up()
	key := p.checkSaid()
	p.federate(key, "http://pakli:8080")
	p.set("PAKLI_POLICY", "/etc/pakli/policy")
	p.up()
	c := p.crowd(key)
	c.acknowledged(30)
	for _, service := range []string{"cosigner", "keeper"} { // both are wanted: without one the log goes on, and without the other it starts again
		p.do("kill", "-s", "KILL", service)
		c.acknowledged(30)
		p.do("up", "-d", "--no-build", "--no-deps", service)
		p.awaitHealthy(service)
	}
	p.do("restart", "pakli")
	c.acknowledged(30)
	c.judge("cosigned")

	p.backUp(key)
	c.acknowledged(30)
	c.load.Stop()
	c.judge("before the volume is lost")
	testmust.Until(t, "the mirror has all entries", func() bool { return p.mirrored() >= c.oracle.Size() })
	for _, source := range []string{"http://pakli:8080/cosigned", "/copy/copy"} {
		verify := []string{"--log", key, "--all", source}
		if source != "/copy/copy" { // the mirror is of what the log has signed alone
			verify = append(verify, "--policy", "/etc/pakli/policy")
		}
		out, _ := p.try(append([]string{"run", "--rm", "-T", "--no-deps", "-v", p.volume("mirror-data") + ":/copy:ro", "--entrypoint", verifierProgram, "pakli"}, verify...)...)
		testmust.Hold(t, strings.Contains(out, " unfinished, 0 foul, 0 cannot be checked."), source, "is verified:", out)
	}

	p.do("rm", "-sf", "pakli")
	docker(t, "volume", "rm", p.volume("pakli-data"))
	p.do("up", "--no-start", "--no-build", "pakli")
	docker(t, "cp", filepath.Join(p.settings, "keys", "log.key"), p.container("pakli")+":/data/")
	copied := p.volume("mirror-data") + ":/newest:ro"
	restore := func(of string) (string, error) {
		return p.try("run", "--rm", "-T", "--no-deps", "-v", copied, "-v", filepath.Join(p.settings, "backup")+":/backup:ro", "pakli", "restore", "--data", "/data", "--newest", "/newest/copy", of)
	}
	out, err := restore("/backup/cards")
	testmust.Hold(t, err != nil && strings.Contains(out, "newest"), "an older backup is made the log:", out)
	out, err = restore("/newest/copy")
	testmust.Requiref(t, err == nil, "%v: %s", err, out)
	p.up()
	c.end()
}

// mirrored is how many entries the mirror says that it has.
func (p *project) mirrored() (n int) {
	p.t.Helper()
	for _, said := range regexp.MustCompile(`(\d+) entries of `).FindAllStringSubmatch(p.do("logs", "--no-color", "mirror"), -1) {
		n = max(n, testmust.Have(strconv.Atoi(said[1]))(p.t))
	}
	return n
}

// settle writes the settings of the server.
func (p *project) settle(lines string) {
	p.t.Helper()
	testmust.Do(p.t, os.WriteFile(filepath.Join(p.settings, "pakli.conf"), []byte(lines), 0o644))
	p.set("PAKLI_CONFIG", "/etc/pakli/pakli.conf")
}

// federate starts the other profile for a log, and writes the policy of what it says its keys are.
func (p *project) federate(key, server string) {
	p.t.Helper()
	p.set("PAKLI_LOG", key)
	p.set("PAKLI_SERVER", server)
	p.do("--profile", "federation", "up", "-d", "--no-build", "--no-deps", "cosigner", "keeper", "mirror")
	p.set("COMPOSE_PROFILES", strings.Trim(p.profiles+",federation", ","))
	policy, witnesses := "log "+key+"\n", ""
	for service, name := range map[string]string{"cosigner": "cosigner.localhost", "keeper": "keeper.localhost"} {
		p.awaitHealthy(service)
		keys := regexp.MustCompile(`(?m)\S+\+[0-9a-f]{8}\+\S+$`).FindAllString(p.do("logs", "--no-color", service), -1)
		testmust.Requiref(p.t, len(keys) >= 1 && strings.HasPrefix(keys[0], name), "%s says its keys are %q", service, keys)
		policy += fmt.Sprintf("witness %s %s http://%s:8090\n", service, keys[0], service)
		if service == "keeper" {
			policy += fmt.Sprintf("# pakli keeper %s %s\n", service, keys[1])
		}
		witnesses += " " + service
	}
	policy += "group both all" + witnesses + "\nquorum both\n"
	testmust.Do(p.t, os.WriteFile(filepath.Join(p.settings, "policy"), []byte(policy), 0o644))
}

// backUp takes a backup of the server, and its keys.
func (p *project) backUp(key string) {
	p.t.Helper()
	for _, dir := range []string{"backup", "keys"} {
		testmust.Do(p.t, os.Mkdir(filepath.Join(p.settings, dir), 0o700))
		testmust.Do(p.t, os.Chown(filepath.Join(p.settings, dir), 65532, 65532))
	}
	p.inImage("", []string{filepath.Join(p.settings, "backup") + ":/backup"}, "backup", "--server", "http://pakli:8080", "--log", key, "/backup/cards")
	docker(p.t, "cp", p.container("pakli")+":/data/log.key", filepath.Join(p.settings, "keys"))
	testmust.Do(p.t, os.Chown(filepath.Join(p.settings, "keys", "log.key"), 65532, 65532))
}

// inImage runs a program of the server's image on its network, and returns what it prints.
func (p *project) inImage(program string, volumes []string, args ...string) string {
	p.t.Helper()
	run := []string{"run", "--rm", "-T", "--no-deps"}
	for _, v := range volumes {
		run = append(run, "-v", v)
	}
	if program != "" {
		run = append(run, "--entrypoint", program)
	}
	return p.do(append(append(run, "pakli"), args...)...)
}

// volume is what the engine calls one of the file's.
func (p *project) volume(name string) string { return "paklitrial" + p.port + "_" + name }
