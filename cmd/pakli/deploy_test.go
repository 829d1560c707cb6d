package main

import (
	"io"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/pakli/pakli/internal/testmust"
)

// A deployment whose flags the server does not know does not start, and one
// that kills it before it has answered loses nothing but its players' patience.

// checkServe parses the arguments and the environment of a deployment as the
// server does.
func checkServe(t *testing.T, where string, args, environ []string) serverOptions {
	t.Helper()
	if len(args) == 0 || args[0] != "serve" {
		t.Fatalf("%s runs %q", where, args)
	}
	args = slices.DeleteFunc(args[1:], func(a string) bool { return a == "--config" || strings.HasSuffix(a, ".conf") })
	var o serverOptions
	unknown, err := env{io.Discard, io.Discard}.settings("serve", o.sections()).parse(args, environ)
	if err != nil || len(unknown) > 0 {
		t.Errorf("%s: unknown %v, %v", where, unknown, err)
	}
	return o
}

var substitution = regexp.MustCompile(`\$\{[A-Z_]+:-([^}]*)\}`)

// defaults writes what docker compose makes of a text without variables.
func defaults(s string) string { return substitution.ReplaceAllString(s, "$1") }

// composeFile is what docker-compose.yml says.
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
	testmust.Do(t, yaml.Unmarshal(testmust.Have(os.ReadFile("../../docker-compose.yml"))(t), &file))
	return file
}

// serves parses what a service runs, with more arguments behind, as the server does.
func (s composeService) serves(t *testing.T, name string, more ...string) serverOptions {
	t.Helper()
	var environ []string
	for k, v := range s.Environment {
		environ = append(environ, k+"="+defaults(v))
	}
	o := checkServe(t, name, slices.Concat(s.Command, more), environ)
	if _, err := o.mayOrganise(); err != nil {
		t.Errorf("%s would not start: %v", name, err)
	}
	return o
}

func TestCompose(t *testing.T) {
	file := readCompose(t)
	for name, s := range file.Services {
		if len(s.Profiles) == 0 && name != "pakli" {
			t.Errorf("%s is started by default", name)
		}
	}
	s, ok := file.Services["pakli"]
	if !ok || s.Build != "." {
		t.Fatalf("no service is built from here: %+v", file)
	}
	o := s.serves(t, "docker-compose.yml")
	_, port, _ := strings.Cut(o.listen, ":")
	for _, p := range s.Ports {
		if !strings.HasSuffix(p, ":"+port) || !strings.HasPrefix(defaults(p), "127.0.0.1:") {
			t.Errorf("port %s leads elsewhere than to %s, or is open to the world", p, o.listen)
		}
	}
	mounted := false
	for _, v := range s.Volumes {
		name, place, _ := strings.Cut(v, ":")
		if _, ok := file.Volumes[name]; !ok {
			t.Errorf("volume %s is not declared", name)
		}
		mounted = mounted || place == o.data
	}
	if grace, err := time.ParseDuration(s.Grace); err != nil || !mounted || grace < o.stopTime+10*time.Second {
		t.Errorf("grace %s for a stop-time of %v (%v), the log on a volume: %v", s.Grace, o.stopTime, err, mounted)
	}
}

func TestUnit(t *testing.T) {
	text := testmust.Have(os.ReadFile("../../deploy/pakli.service"))(t)
	values := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if k, v, ok := strings.Cut(strings.TrimSpace(line), "="); ok && !strings.HasPrefix(line, "#") {
			values[k] = v
		}
	}
	o := checkServe(t, "the unit", strings.Fields(values["ExecStart"])[1:], nil)
	if o.data != "/var/lib/"+values["StateDirectory"] {
		t.Errorf("the log is in %s, writable is %s", o.data, values["StateDirectory"])
	}
	if grace, err := strconv.Atoi(values["TimeoutStopSec"]); err != nil || time.Duration(grace)*time.Second < o.stopTime+10*time.Second {
		t.Errorf("killed after %d s, stop-time is %v", grace, o.stopTime)
	}
}

func TestDockerfile(t *testing.T) {
	text := testmust.Have(os.ReadFile("../../Dockerfile"))(t)
	instruction := func(name string) string {
		all := regexp.MustCompile(`(?m)^`+name+` (.*)$`).FindAllStringSubmatch(string(text), -1)
		if len(all) == 0 {
			t.Fatalf("no %s", name)
		}
		return all[len(all)-1][1]
	}
	o := checkServe(t, "the image", []string{strings.Trim(instruction("CMD"), `[]"`)}, strings.Fields(instruction("ENV")))
	if o.data != instruction("VOLUME") || !strings.HasSuffix(o.listen, ":"+instruction("EXPOSE")) || strings.HasPrefix(instruction("USER"), "0") {
		t.Errorf("log in %s, listens on %s", o.data, o.listen)
	}
}
