package serve

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pakli/pakli/internal/command"
	"github.com/pakli/pakli/internal/testmust"
)

// trialSections are settings to test with.
func trialSections(port *int, name *string, wait *time.Duration) []section {
	return []section{
		{"One", func(f *flag.FlagSet) {
			f.IntVar(port, "port", 1, "a port")
			f.Float64("rate", -1, "below 0: no bound")
			f.StringVar(name, "long-name", "a", "a name")
		}},
		{"Two", func(f *flag.FlagSet) { f.DurationVar(wait, "wait", time.Second, "a time") }},
	}
}

func parseTrial(t *testing.T, file string, environ []string, args ...string) (s *commandSettings, port int, name string, wait time.Duration, unknown []string, err error) {
	t.Helper()
	var out bytes.Buffer
	if file != "" {
		path := filepath.Join(t.TempDir(), "pakli.conf")
		testmust.Do(t, os.WriteFile(path, []byte(file), 0o600))
		environ = append(environ, "PAKLI_CONFIG="+path)
	}
	f := command.NewFlags(command.Env{Out: &out, Err: &out}, "test", "")
	s = newSettings(f, trialSections(&port, &name, &wait))
	if err = f.Read(args); err == nil {
		unknown, err = s.readSettings(environ)
	}
	return s, port, name, wait, unknown, err
}

// A weaker place that wins over a stronger one would run a server otherwise than
// its operator believes.
func TestSettingsPrecedence(t *testing.T) {
	file := "# a file\n\nport = 2\nlong-name=of = the file # and more\n wait =  2s \n"
	s, port, name, wait, _, err := parseTrial(t, file, []string{"PAKLI_PORT=3", "PAKLI_LONG_NAME=", "HOME=/", "PAKLI_WAIT=3s"}, "--port", "4")
	testmust.Holdf(t, err == nil && port == 4 && name == "of = the file # and more" && wait == 3*time.Second, "%d %q %v, %v", port, name, wait, err)
	var b bytes.Buffer
	testmust.Do(t, s.write(&b))
	for _, line := range []string{"# from flag\nport = 4\n", "pakli.conf:4\nlong-name = of = the file", "# from PAKLI_WAIT\nwait = 3s\n"} {
		testmust.Holdf(t, strings.Contains(b.String(), line), "%q is missing in\n%s", line, b.String())
	}
	// What is printed is a file that says the same.
	again, port2, name2, wait2, _, err := parseTrial(t, b.String(), nil)
	testmust.Holdf(t, err == nil && port2 == port && name2 == name && wait2 == wait && again != nil, "read again: %d %q %v, %v", port2, name2, wait2, err)
	_, port, name, wait, _, err = parseTrial(t, "", nil)
	testmust.Holdf(t, err == nil && port == 1 && name == "a" && wait == time.Second, "nothing given: %d %q %v, %v", port, name, wait, err)
}

// A mistake must not be passed over, and must be found by its place.
func TestSettingsMistakes(t *testing.T) {
	for _, c := range []struct {
		name, file string
		environ    []string
		args       []string
		want       string
	}{
		{"unknown in the file", "port = 2\nprot = 3\n", nil, nil, `pakli.conf:2: there is no setting "prot"`},
		{"config in the file", "config = x\n", nil, nil, "no setting"},
		{"twice", "port = 2\nport = 2\n", nil, nil, "pakli.conf:2: port is set twice"},
		{"no value", "port\n", nil, nil, "not of the form"},
		{"wrong in the file", "\nport = x\n", nil, nil, `pakli.conf:2: invalid value "x" for port`},
		{"wrong variable", "", []string{"PAKLI_WAIT=3"}, nil, `PAKLI_WAIT: invalid value "3"`},
		{"wrong flag", "", nil, []string{"--port=x"}, "want a number"},
		{"below 0", "port = -1\n", nil, nil, "pakli.conf:1: invalid value -1 for port"},
		{"below 0 in time", "", []string{"PAKLI_WAIT=-1s"}, nil, "PAKLI_WAIT: invalid value -1s for wait"},
		{"no number", "", nil, []string{"--rate=NaN"}, "flag: invalid value NaN for rate"},
		{"endless", "", nil, []string{"--rate=Inf"}, "flag: invalid value +Inf for rate"},
		{"an argument", "", nil, []string{"x"}, "one argument too many"},
		{"no such file", "", []string{"PAKLI_CONFIG=/nowhere/at/all"}, nil, "/nowhere/at/all"},
	} {
		_, _, _, _, _, err := parseTrial(t, c.file, c.environ, c.args...)
		testmust.Holdf(t, err != nil && strings.Contains(err.Error(), c.want), "%s: %v, want %q", c.name, err, c.want)
	}
	// Orchestrators put variables of their own under any name.
	_, _, _, _, unknown, err := parseTrial(t, "", []string{"PAKLI_PORT_8080_TCP=tcp://10.0.0.1", "PAKLI_PASSPHRASE=x"})
	testmust.Holdf(t, err == nil && len(unknown) == 1 && unknown[0] == "PAKLI_PORT_8080_TCP", "unknown %v, %v", unknown, err)
}

func FuzzSettingsFile(f *testing.F) {
	f.Add([]byte("port = 2\n# x\nlong-name = y\n"))
	f.Add([]byte("= =\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		var port int
		var name string
		var wait time.Duration
		var out bytes.Buffer
		s := newSettings(command.NewFlags(command.Env{Out: &out, Err: &out}, "test", ""), trialSections(&port, &name, &wait))
		err := s.takeFile(text)
		testmust.Holdf(t, err != nil || !strings.ContainsAny(name, "\n"), "a value of more than a line: %q", name)
	})
}

const guide = "../../../docs/guide/operate.md"

// Markers of what is written by document.
const tablesBegin, tablesEnd = "<!-- settings: from cmd/pakli/serve/settings.go -->\n", "<!-- end of settings -->"

// A setting that the guide does not know, or knows otherwise. PAKLI_WRITE_GUIDE=1
// writes the tables anew.
func TestGuideIsInStep(t *testing.T) {
	text := testmust.Have(os.ReadFile(guide))(t)
	before, rest, ok := strings.Cut(string(text), tablesBegin)
	got, after, ok2 := strings.Cut(rest, tablesEnd)
	testmust.Require(t, ok && ok2, "the guide has no place for the settings")
	var want bytes.Buffer
	want.WriteByte('\n')
	var o Options
	document(&want, o.sections())
	if got == want.String() {
		return
	}
	testmust.Requiref(t, os.Getenv("PAKLI_WRITE_GUIDE") == "1",
		"the guide has other settings than the server: run the test with PAKLI_WRITE_GUIDE=1 to write them")
	testmust.Do(t, os.WriteFile(guide, []byte(before+tablesBegin+want.String()+tablesEnd+after), 0o644))
}

// document writes the settings as tables for docs/guide/operate.md.
func document(w io.Writer, sections []section) {
	for _, part := range declare(sections) {
		fmt.Fprintf(w, "### %s\n\n| setting | variable | default | |\n|---|---|---|---|\n", part.title)
		for _, f := range part.flags {
			value := "none"
			if f.DefValue != "" {
				value = "`" + f.DefValue + "`"
			}
			fmt.Fprintf(w, "| `%s` | `%s` | %s | %s |\n", f.Name, variable(f.Name), value, f.Usage)
		}
		fmt.Fprintln(w)
	}
}
