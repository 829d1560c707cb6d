package tables

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/pakli/pakli/cmd/pakli/flags"
	"github.com/pakli/pakli/internal/command"
	"github.com/pakli/pakli/protocol/game"
	"github.com/pakli/pakli/protocol/games/records"
	"github.com/pakli/pakli/verifier"
)

// ScoreCommands returns the commands that replay and score a game record. They exit like
// pakli-verify: 4 if a rule was broken, 3 if the record is not complete.
func ScoreCommands() (list []command.Command) {
	for _, r := range records.Catalogue() {
		name, _, _ := strings.Cut(r.Game, "/")
		list = append(list, command.Command{Name: name, Short: "score a record of " + name, Arguments: "FILE", Examples: []string{"pakli score " + name + " evening.txt"}, Declare: func(f *command.Flags) command.Body {
			return scoreCommand(f, r)
		}})
	}
	return list
}

func scoreCommand(f *command.Flags, r game.Records) command.Body {
	f.Long = "FILE is a record of deals; - is standard input. A deal is typed in as\n\n" + indentLines(r.Example)
	asJSON := f.Bool("json", false, "print one JSON object; of a record of many games one for each, and one for all of them")
	all := f.Bool("all", false, "also tell of the games that agree with their record, where a record has many")
	return func(ctx context.Context, e command.Env) error {
		show := func(v fmt.Stringer) error { return showScore(e.Out, v, *asJSON) }
		scored, err := scoreFile(e, r, f.Arg(0), *all, show)
		if err != nil {
			return fmt.Errorf("%s: %w", f.Arg(0), err)
		}
		return command.ExitWith(scoreExit(scored), show(scored.Report))
	}
}

func showScore(out io.Writer, v fmt.Stringer, asJSON bool) error {
	if !asJSON {
		_, err := io.WriteString(out, v.String())
		return err
	}
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(v)
}

// scoreFile scores the record in a file, or on standard input for "-".
func scoreFile(e command.Env, scored game.Records, name string, all bool, tell func(fmt.Stringer) error) (game.ScoreResult, error) {
	in := os.Stdin
	if name != "-" {
		var err error
		if in, err = os.Open(name); err != nil {
			return game.ScoreResult{}, err
		}
		defer in.Close()
	}
	r := &watchedReader{Reader: in, bar: flags.NewProgress(e.Err)}
	if info, err := in.Stat(); err == nil && info.Mode().IsRegular() && info.Size() >= longRecord {
		r.size = info.Size()
	}
	defer r.bar.EndBar()
	return scored.Score(r, all, tell)
}

// longRecord is the length from which progress in reading a record is shown.
const longRecord = 256 << 10

// watchedReader shows progress in reading a long record.
type watchedReader struct {
	io.Reader
	bar       *flags.ProgressBar
	size, got int64 // bytes; a size of 0 shows nothing
}

func (r *watchedReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if r.got += int64(n); r.size > 0 {
		r.bar.ShowPart(float64(r.got)/float64(r.size), "of the record")
	}
	return n, err
}

func indentLines(text string) string {
	return strings.ReplaceAll("  "+strings.ReplaceAll(text, "\n", "\n  "), "  \n", "\n")
}

// scoreExit returns the exit code of a record, as of pakli-verify.
func scoreExit(s game.ScoreResult) int {
	switch {
	case s.Broken:
		return verifier.Foul.ExitCode()
	case s.Unfinished:
		return verifier.Unfinished.ExitCode()
	}
	return command.ExitDone
}
