package serve

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/pakli/pakli/cmd/pakli/cluster"
	"github.com/pakli/pakli/internal/command"
	"github.com/pakli/pakli/internal/testmust"
)

// A deployment whose flags the server does not know does not start, and one
// that kills it before it has answered loses nothing but its players' patience.

// checkServe parses the arguments and environment of a deployment as the server does.
func checkServe(t *testing.T, where string, args, environ []string) Options {
	t.Helper()
	testmust.Requiref(t, len(args) != 0 && args[0] == "serve", "%s runs %q", where, args)
	args = slices.DeleteFunc(args[1:], func(a string) bool { return a == "--config" || strings.HasSuffix(a, ".conf") })
	var o Options
	f := command.NewFlags(command.Env{Out: io.Discard, Err: io.Discard}, "serve", "")
	set := newSettings(f, o.sections())
	testmust.Do(t, f.Read(args), where)
	unknown, err := set.readSettings(environ)
	testmust.Holdf(t, err == nil && len(unknown) == 0, "%s: unknown %v, %v", where, unknown, err)
	return o
}

var substitution = regexp.MustCompile(`\$\{[A-Z_]+:-([^}]*)\}`)

// defaults returns what docker compose makes of a text without variables.
func defaults(s string) string { return substitution.ReplaceAllString(s, "$1") }

// composeFile is the content of docker-compose.yml.
type composeFile struct {
	Services map[string]composeService
	Volumes  map[string]any
}

type composeService struct {
	Build       any // a directory, or more
	Image       string
	Profiles    []string
	Command     []string
	Environment map[string]string
	Ports       []string
	Volumes     []string
	Grace       string   `yaml:"stop_grace_period"`
	ReadOnly    bool     `yaml:"read_only"`
	Drop        []string `yaml:"cap_drop"`
	Restart     string
	Health      struct{ Test []string }               `yaml:"healthcheck"`
	After       map[string]struct{ Condition string } `yaml:"depends_on"`
}

func readCompose(t *testing.T) (file composeFile) {
	t.Helper()
	testmust.Do(t, yaml.Unmarshal(testmust.Have(os.ReadFile("../../../docker-compose.yml"))(t), &file))
	return file
}

// serves parses the arguments of a service, followed by more, as the server does.
func (s composeService) serves(t *testing.T, name string, more ...string) Options {
	t.Helper()
	var environ []string
	for k, v := range s.Environment {
		environ = append(environ, k+"="+defaults(v))
	}
	o := checkServe(t, name, slices.Concat(s.Command, more), environ)
	testmust.Have(o.mayOrganise())(t, name, "would not start")
	return o
}

func TestCompose(t *testing.T) {
	file := readCompose(t)
	for name, s := range file.Services {
		testmust.Holdf(t, len(s.Profiles) != 0 || name == "pakli", "%s is started by default", name)
	}
	s, ok := file.Services["pakli"]
	testmust.Requiref(t, ok && s.Build == ".", "no service is built from here: %+v", file)
	o := s.serves(t, "docker-compose.yml")
	_, port, _ := strings.Cut(o.Listen, ":")
	_, figures, _ := strings.Cut(o.operator.address, ":")
	for _, p := range s.Ports {
		testmust.Holdf(t, (strings.HasSuffix(p, ":"+port) || strings.HasSuffix(p, ":"+figures)) && strings.HasPrefix(defaults(p), "127.0.0.1:"),
			"port %s leads elsewhere than to %s, or is open to the world", p, o.Listen)
	}
	mounted := false
	for _, v := range s.Volumes {
		name, place, _ := strings.Cut(defaults(v), ":")
		_, ok := file.Volumes[name]
		testmust.Holdf(t, ok || name == "./deploy/settings", "volume %s is not declared", name)
		mounted = mounted || place == o.Data
	}
	testmust.Holdf(t, slices.Equal(s.Drop, []string{"ALL"}) && s.ReadOnly && len(s.Health.Test) >= 3 && s.Health.Test[2] == "ready" && o.organisers == "" && o.Listen != o.published,
		"dropped %v, read-only %v, asked %v, tables by %q, published at %q", s.Drop, s.ReadOnly, s.Health.Test, o.organisers, o.published)
	if grace, err := time.ParseDuration(s.Grace); err != nil || !mounted || grace < o.stopTime+10*time.Second {
		t.Errorf("grace %s for a stop-time of %v (%v), the log on a volume: %v", s.Grace, o.stopTime, err, mounted)
	}
}

func TestUnit(t *testing.T) {
	text := testmust.Have(os.ReadFile("../../../deploy/pakli.service"))(t)
	values := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if k, v, ok := strings.Cut(strings.TrimSpace(line), "="); ok && !strings.HasPrefix(line, "#") {
			values[k] = v
		}
	}
	o := checkServe(t, "the unit", strings.Fields(values["ExecStart"])[1:], nil)
	testmust.Equal(t, o.Data, "/var/lib/"+values["StateDirectory"], "the log is in a folder that is not writable")
	grace, err := strconv.Atoi(values["TimeoutStopSec"])
	testmust.Holdf(t, err == nil && time.Duration(grace)*time.Second >= o.stopTime+10*time.Second, "killed after %d s, stop-time is %v", grace, o.stopTime)
}

// pinnedImage names an image by version, for people, and by digest.
var pinnedImage = regexp.MustCompile(`^[a-z0-9./-]+:[a-z0-9.-]+@sha256:[0-9a-f]{64}$`)

// Anybody who can move a tag of a base image could put another program into ours.
func TestBaseImages(t *testing.T) {
	for _, file := range []string{"Dockerfile", "deploy/cluster/Dockerfile"} {
		text := testmust.Have(os.ReadFile("../../../" + file))(t)
		bases := regexp.MustCompile(`(?m)(?:^FROM |--from=)(\S*[:/]\S*)`).FindAllSubmatch(text, -1)
		testmust.Holdf(t, len(bases) > 1, "%s is built on %d images", file, len(bases))
		for _, base := range bases {
			testmust.Hold(t, pinnedImage.Match(base[1]), file, "is built on", string(base[1]), "which others may change")
		}
	}
}

func TestDockerfile(t *testing.T) {
	text := testmust.Have(os.ReadFile("../../../Dockerfile"))(t)
	instruction := func(name string) string {
		all := regexp.MustCompile(`(?m)^`+name+` (.*)$`).FindAllStringSubmatch(string(text), -1)
		testmust.Requiref(t, len(all) != 0, "no %s", name)
		return all[len(all)-1][1]
	}
	o := checkServe(t, "the image", []string{strings.Trim(instruction("CMD"), `[]"`)}, strings.Fields(instruction("ENV")))
	testmust.Holdf(t, o.Data == instruction("VOLUME") && strings.HasSuffix(o.Listen, ":"+instruction("EXPOSE")) && !strings.HasPrefix(instruction("USER"), "0"),
		"log in %s, listens on %s", o.Data, o.Listen)
}

// A cluster or federation lacks a part, starts its parts in the wrong order, or publishes its
// password. This test checks the file, since no test here can start it.
func TestComposeProfiles(t *testing.T) {
	file := readCompose(t)
	federation := []string{"cosigner", "keeper", "mirror"}
	for kind, n := range map[string]int{"cosigner": 1, "keeper": 1, "mirror": 1,
		"haproxy": 1, "pakli-": 2, "trillian-log-server-": 2, "trillian-log-signer-": 2, "postgres-": 2, "etcd-": 3, "secrets": 1, "init": 1, "prometheus": 1, "grafana": 1} {
		there := 0
		for name, s := range file.Services {
			profile := "cluster"
			if slices.Contains(federation, name) {
				profile = "federation"
			}
			if strings.HasPrefix(name, kind) && slices.Equal(s.Profiles, []string{profile}) {
				there++
			}
		}
		testmust.Equal(t, there, n, "of", kind, "in its profile")
	}
	for name, s := range file.Services {
		if len(s.Profiles) > 0 {
			file.checkService(t, name, s)
		}
	}
}

var password = regexp.MustCompile(`(?i)password=|://[^/@ ]*:[^/@ ]*@`)

func (file composeFile) checkService(t *testing.T, name string, s composeService) {
	t.Helper()
	once := s.Restart == "no"
	answers := len(s.Health.Test) > 0 || name == "mirror" // mirror has no port for a health check
	testmust.Holdf(t, s.ReadOnly && slices.Equal(s.Drop, []string{"ALL"}) && (once || answers && s.Restart == "unless-stopped"),
		"%s: read-only %v, dropped %v, restarted %q, asked %v", name, s.ReadOnly, s.Drop, s.Restart, s.Health.Test)
	testmust.Holdf(t, s.Build != nil || pinnedImage.MatchString(s.Image), "%s has the image %q, which others may change", name, s.Image)
	for other, after := range s.After {
		before, ok := file.Services[other]
		testmust.Holdf(t, ok && ((after.Condition == "service_healthy") != (before.Restart == "no") || after.Condition == "service_started"),
			"%s waits until %s is %s", name, other, after.Condition)
	}
	for _, p := range s.Ports {
		testmust.Hold(t, strings.HasPrefix(defaults(p), "127.0.0.1:"), name, "port", p, "is open to the world")
	}
	for _, v := range s.Volumes {
		from, _, _ := strings.Cut(defaults(v), ":")
		_, declared := file.Volumes[from]
		_, err := os.Stat(filepath.Join("../../..", from))
		testmust.Holdf(t, (!strings.HasPrefix(from, ".") || err == nil) && (strings.HasPrefix(from, ".") || declared),
			"%s: volume %s is not there: %v", name, v, err)
	}
	for key, value := range s.Environment {
		secret := strings.Contains(key, "PASSWORD") || strings.Contains(key, "TOKEN")
		testmust.Holdf(t, !secret || strings.HasSuffix(key, "_FILE"), "%s: %s is a secret in the file: %s", name, key, value)
	}
	all := strings.Join(s.Command, " ")
	testmust.Holdf(t, !password.MatchString(all), "%s: a password in %s", name, all)
}

// Front ends do not start with the files that init writes for them.
func TestComposeFrontEnds(t *testing.T) {
	file := readCompose(t)
	script := testmust.Have(os.ReadFile("../../../deploy/cluster/init.sh"))(t)
	written := regexp.MustCompile(`printf '([^']*)'`).FindSubmatch(script)
	named := regexp.MustCompile(`--database "?([^" ]*)`).FindSubmatch(script)
	testmust.Require(t, written != nil && named != nil, "init writes no settings, or names no database")
	testmust.Do(t, (cluster.Options{Trillian: "x:1", Tree: 1, Register: "http://x:1", Poll: time.Second, Database: string(named[1])}).CheckFlags())
	var args []string
	for line := range strings.SplitSeq(strings.TrimSuffix(string(written[1]), `\n`), `\n`) {
		name, value, _ := strings.Cut(line, " = ")
		value = strings.ReplaceAll(value, "%s", map[string]string{"trillian": "a:1,b:1", "trillian-tree": "7", "register": "http://a:1,http://b:1,http://c:1"}[name])
		args = append(args, "--"+name, value)
	}
	for _, name := range []string{"pakli-1", "pakli-2"} {
		front := file.Services[name]
		o := front.serves(t, name, args...)
		if err := o.cluster.CheckFlags(); err != nil || !o.cluster.OnCluster() || o.Data != "/data" || o.organisers != "" {
			t.Errorf("%s does not follow a cluster, keeps its log in %s, or lets %s begin tables: %v", name, o.Data, o.organisers, err)
		}
		testmust.Hold(t, slices.Contains(front.Volumes, "cluster-settings:/settings:ro") && filepath.Dir(o.operator.tokenFile) == "/settings", name, "can write what it is served with:", front.Volumes)
		// Compose starts a new container for any difference.
		testmust.Equal(t, front.Environment["PAKLI_PUBLISHED"]+":8080", file.Services["haproxy"].Ports[0], "goes on as it was when others can reach it:", name)
		o.published = "0.0.0.0:8090"
		testmust.Fail(t, testmust.ErrorOf(o.mayOrganise()), name, "lets the world begin tables")
	}
}

// Init runs as root. A compromised front end has left links in its directory to another's key, and
// removed the marker that the directories exist.
func TestComposeInit(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("NOT RUN: there is no bash")
	}
	top, programs := t.TempDir(), t.TempDir()
	script := string(testmust.Have(os.ReadFile("../../../deploy/cluster/init.sh"))(t))
	for _, dir := range []string{"/secrets", "/settings", "/front-ends"} {
		script = strings.ReplaceAll(script, dir, top+dir)
		testmust.Do(t, os.MkdirAll(top+dir, 0o755))
	}
	for name, does := range map[string]string{"chown": "", "psql": "echo t", "pakli": `echo key > "$4/log.key"; echo > "$4/promise"; echo 7`} {
		testmust.Do(t, os.WriteFile(filepath.Join(programs, name), []byte("#!"+bash+"\n"+does+"\n"), 0o755))
	}
	start := func(args ...string) {
		cmd := exec.Command(bash, append([]string{"-c", script, "init"}, args...)...)
		cmd.Env = append(os.Environ(), "PATH="+programs+":"+os.Getenv("PATH"))
		out, err := cmd.CombinedOutput()
		testmust.Do(t, err, string(out))
	}
	key := top + "/front-ends/2/log.key"
	testmust.Do(t, os.MkdirAll(top+"/front-ends/1", 0o755))
	testmust.Do(t, os.MkdirAll(filepath.Dir(key), 0o755))
	start("secrets")
	start("log", "cards.example")
	testmust.Equal(t, string(testmust.Have(os.ReadFile(key))(t)), "key\n")
	testmust.Do(t, os.WriteFile(key, []byte("secret"), 0o600))
	for _, name := range []string{"cluster.conf", "cluster.conf.new", "operator-token", "operator-token.new", "promise", "log.key", "log.key.new"} {
		_ = os.Remove(top + "/front-ends/1/" + name)
		testmust.Do(t, os.Symlink("../2/log.key", top+"/front-ends/1/"+name))
	}
	testmust.Do(t, os.Remove(top+"/front-ends/2/promise"))
	start("secrets")
	start("log", "cards.example")
	testmust.Equal(t, string(testmust.Have(os.ReadFile(key))(t)), "secret", "init has written over a key")
	conf := string(testmust.Have(os.ReadFile(top + "/settings/cluster.conf"))(t))
	testmust.Hold(t, strings.Contains(conf, "trillian-tree = 7\n"), conf)
	testmust.Equal(t, string(testmust.Have(os.ReadFile(top+"/settings/operator-token"))(t)), string(testmust.Have(os.ReadFile(top+"/secrets/operator-token"))(t)))
}

// A signer with an election stands still for a minute after it dies, one with the default quota
// refuses, and another version of Trillian was never tried.
func TestComposeTrillian(t *testing.T) {
	file := readCompose(t)
	for name, want := range map[string][]string{
		"trillian-log-server-": {"trillian_log_server", "--quota_system=noop", "--max_msg_size_bytes=8388608"},
		"trillian-log-signer-": {"trillian_log_signer", "--quota_system=noop", "--max_msg_size_bytes=8388608", "--force_master", "--sequencer_interval=20ms", "--batch_size=2000"},
	} {
		for _, n := range []string{"1", "2"} {
			command := file.Services[name+n].Command
			for _, w := range want {
				testmust.Hold(t, slices.Contains(command, w), name, n, "runs without", w)
			}
			if all := strings.Join(command, " "); !strings.Contains(all, "postgres-1,postgres-2/") || !strings.Contains(all, "target_session_attrs=read-write") {
				t.Errorf("%s%s does not go over to the standby: %s", name, n, all)
			}
		}
	}
	dockerfile := testmust.Have(os.ReadFile("../../../deploy/cluster/Dockerfile"))(t)
	modules := testmust.Have(os.ReadFile("../../../go.mod"))(t)
	pinned := regexp.MustCompile(`github.com/google/trillian (v\S+)`).FindSubmatch(modules)
	for _, built := range regexp.MustCompile(`trillian[a-z_/]*@(v[0-9.]+)`).FindAllSubmatch(dockerfile, -1) {
		testmust.Holdf(t, pinned != nil && string(built[1]) == string(pinned[1]), "the image has Trillian %s, pakli %s", built[1], pinned)
	}
}

// A dashboard or an alarm on a figure that does not exist says for ever that all is well.
func TestComposeFigures(t *testing.T) {
	known := map[string]bool{}
	for _, pattern := range []string{"*.go", "../../../httpapi/operator.go"} {
		files := testmust.Have(filepath.Glob(pattern))(t)
		for _, f := range files {
			source := testmust.Have(os.ReadFile(f))(t)
			for _, name := range regexp.MustCompile(`"([a-z_]+)"`).FindAllSubmatch(source, -1) {
				known["pakli_"+string(name[1])] = true
			}
		}
	}
	var dashboard any
	text := testmust.Have(os.ReadFile("../../../deploy/cluster/grafana/dashboards/log.json"))(t)
	testmust.Do(t, json.Unmarshal(text, &dashboard))
	alarms := testmust.Have(os.ReadFile("../../../deploy/cluster/alarms.yml"))(t)
	testmust.Do(t, yaml.Unmarshal(alarms, &dashboard))
	for _, name := range regexp.MustCompile(`pakli_[a-z_]+`).FindAllString(fmt.Sprintf("%s%s", text, alarms), -1) {
		name = strings.TrimSuffix(name, "_bucket")
		testmust.Holdf(t, known[name], "no figure is called %s", name)
	}
}
