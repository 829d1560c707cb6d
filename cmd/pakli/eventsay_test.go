package main

import (
	"io"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
)

// A ruling, an appeal or a call that leaves out what it is about, or does what nobody can: whoever types
// it is told which flag, before anything is asked of a server.
func TestIncompleteSpeech(t *testing.T) {
	for line, missing := range map[string]string{
		"appeal":                          "--ruling",
		"call":                            "--table",
		"rule":                            "--do",
		"rule --do adjust":                "--table",
		"rule --do adjust --table 1/1":    "--points",
		"rule --do penalty --points 1:-5": "--player",
		"rule --do disqualify --player 1": "--round",
		"rule --do replay --table 1/1":    "--instead",
		"rule --do correct":               "--reason",
		"rule --do uphold --table 1/1":    "--do uphold: want one of adjust",
		"rule --do punish --player 1":     "--do punish: want one of adjust",
		"answer --ruling 7":               "--do",
		"answer --do uphold":              "--ruling",
		"answer --ruling 7 --do stands":   "--do stands: want one of uphold, overturn",
		"arbiters":                        "--arbiter",
		"remark":                          "--reason",
		"cancel --yes":                    "--reason",
		"rule --do penalty --player 1 --points 1:-5": "",
		"register": "",
	} {
		words := strings.Fields(line)
		f := env{io.Discard, io.Discard}.flags("event "+words[0], "EVENT")
		p := speech{name: words[0]}
		p.register(f)
		testmust.Do(t, parse(f, append(words[1:], "EVENT"), 1))
		if err := p.check(); (err == nil) != (missing == "") || err != nil && !strings.Contains(err.Error(), missing) {
			t.Errorf("%s: %v, want %s", line, err, missing)
		}
	}
}
