package serve

import (
	"bufio"
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/pakli/pakli/cmd/pakli/flags"
	"github.com/pakli/pakli/internal/command"
)

// A section is a group of settings. One declaration of a setting is its flag, environment variable,
// line of the file and documentation.
type section struct {
	title string
	add   func(f *flag.FlagSet)
}

// commandSettings are the flags of a command that may also be given as variables and in a file:
// --post-rate, PAKLI_POST_RATE and post-rate mean the same. A flag wins over a variable, and a
// variable over the file.
type commandSettings struct {
	sections []declaredSection
	flags    *command.Flags
	origin   map[string]string // source of each value, by name
	file     string
	print    bool
}

// Sources of values.
const (
	fromDefault = "default"
	fromFlag    = "flag"
)

// variablePrefix begins every environment variable of a setting.
const variablePrefix = "PAKLI_"

func variable(name string) string {
	return variablePrefix + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
}

func newSettings(f *command.Flags, sections []section) *commandSettings {
	s := &commandSettings{sections: declare(sections), flags: f, origin: map[string]string{}}
	for _, part := range s.sections {
		for _, f := range part.flags {
			s.flags.Var(f.Value, f.Name, f.Usage)
			s.origin[f.Name] = fromDefault
		}
	}
	s.flags.StringVar(&s.file, "config", "", "file of settings, name = value in each line (default $"+variable("config")+", or none)")
	s.flags.BoolVar(&s.print, "print-config", false, "print the settings as they are in effect, and where each comes from")
	return s
}

// readSettings completes the flags by variables and the file. It returns unknown variables, which are
// no error: other programs put variables into an environment (Kubernetes does for every service).
func (s *commandSettings) readSettings(environ []string) (unknown []string, err error) {
	s.flags.Visit(func(f *flag.Flag) {
		if _, ok := s.origin[f.Name]; ok {
			s.origin[f.Name] = fromFlag
		}
	})
	if unknown, err = s.takeVariables(environ); err != nil {
		return nil, err
	}
	if s.file != "" {
		text, err := os.ReadFile(s.file)
		if err != nil {
			return nil, err
		}
		if err := s.takeFile(text); err != nil {
			return nil, err
		}
	}
	return unknown, s.checkNumbers()
}

// checkNumbers checks that only rates are below 0 and that no number is NaN, which as a bound would
// bound nothing.
func (s *commandSettings) checkNumbers() (err error) {
	s.flags.VisitAll(func(f *flag.Flag) {
		g, ok := f.Value.(flag.Getter)
		if !ok || s.origin[f.Name] == "" {
			return
		}
		below := false
		switch n := g.Get().(type) {
		case int:
			below = n < 0
		case int64:
			below = n < 0
		case time.Duration:
			below = n < 0
		case float64:
			below = math.IsNaN(n) || math.IsInf(n, 0)
		}
		if below {
			err = errors.Join(err, command.WrongUsage("%s: invalid value %s for %s", s.origin[f.Name], f.Value, f.Name))
		}
	})
	return err
}

// takeVariables sets values that no flag has. It ignores empty variables.
func (s *commandSettings) takeVariables(environ []string) (unknown []string, err error) {
	names := map[string]string{}
	for name := range s.origin {
		names[variable(name)] = name
	}
	for _, v := range environ {
		key, value, _ := strings.Cut(v, "=")
		name, known := names[key]
		switch {
		case value == "" || !strings.HasPrefix(key, variablePrefix) || slices.Contains(flags.Variables, key):
		case key == variable("config"):
			if s.file == "" {
				s.file = value
			}
		case !known:
			unknown = append(unknown, key)
		default:
			if err := s.takeValue(name, value, key); err != nil {
				return nil, err
			}
		}
	}
	return unknown, nil
}

// takeFile sets values that neither flag nor variable has.
func (s *commandSettings) takeFile(text []byte) error {
	lines := bufio.NewScanner(bytes.NewReader(text))
	given := map[string]bool{}
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		place := fmt.Sprintf("%s:%d", s.file, n)
		name, value, ok := strings.Cut(line, "=")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		switch _, known := s.origin[name]; {
		case !ok:
			return command.WrongUsage("%s: %q is not of the form name = value", place, line)
		case !known:
			return command.WrongUsage("%s: there is no setting %q", place, name)
		case given[name]:
			return command.WrongUsage("%s: %s is set twice", place, name)
		}
		given[name] = true
		if err := s.takeValue(name, value, place); err != nil {
			return err
		}
	}
	return lines.Err()
}

// takeValue sets a value that no stronger source has.
func (s *commandSettings) takeValue(name, value, origin string) error {
	if s.origin[name] != fromDefault {
		return nil
	}
	if err := s.flags.SetFlag(name, value); err != nil {
		return command.WrongUsage("%s: invalid value %q for %s: %w", origin, value, name, err)
	}
	s.origin[name] = origin
	return nil
}

// write prints the settings in effect as a file that can be read again.
func (s *commandSettings) write(w io.Writer) error {
	var b bytes.Buffer
	for _, part := range s.sections {
		fmt.Fprintf(&b, "# %s\n", part.title)
		for _, f := range part.flags {
			fmt.Fprintf(&b, "# from %s\n%s = %s\n", s.origin[f.Name], f.Name, s.flags.Lookup(f.Name).Value)
		}
		b.WriteByte('\n')
	}
	_, err := w.Write(b.Bytes())
	return err
}

// declaredSection is a section with its settings by name.
type declaredSection struct {
	title string
	flags []*flag.Flag
}

func declare(sections []section) []declaredSection {
	list := make([]declaredSection, len(sections))
	for i, part := range sections {
		f := flag.NewFlagSet("", flag.ContinueOnError)
		part.add(f)
		list[i].title = part.title
		f.VisitAll(func(f *flag.Flag) { list[i].flags = append(list[i].flags, f) })
	}
	return list
}

// choice is a setting with a few possible values.
type choice struct {
	value *string
	of    []string
}

func (c choice) String() string {
	if c.value == nil {
		return ""
	}
	return *c.value
}

func (c choice) Set(s string) error {
	if !slices.Contains(c.of, s) {
		return fmt.Errorf("must be one of %s", strings.Join(c.of, ", "))
	}
	*c.value = s
	return nil
}
