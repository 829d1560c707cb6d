// Package suite is the catalogue of suites: which card encodings, with which
// arguments, a table may be played with. A further shuffle argument is one
// folder under its encoding and two lines here; a further encoding is one
// folder beside ristretto255 and one line here. Every suite passes prooftest.Run.
package suite

import (
	"slices"

	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite/ristretto255"
	"github.com/pakli/pakli/protocol/suite/ristretto255/bayergroth"
	"github.com/pakli/pakli/protocol/suite/ristretto255/cutandchoose"
	"github.com/pakli/pakli/protocol/suite/ristretto255/shuffle"
	"github.com/pakli/pakli/protocol/suite/ristretto255/tereliuswikstrom"
	"github.com/pakli/pakli/protocol/suite/ristretto255/twocolumns"
	"github.com/pakli/pakli/protocol/suite/sra255"
)

// Default is the suite of a table that does not choose one.
const Default = "ristretto255-bayergroth/v1"

// chosen is a suite whose shuffles are proved by what others ask.
const chosen = "ristretto255-cutandchoose-chosen40/v1"

var catalogue = append([]proof.Suite{
	ristretto255.New("ristretto255-bayergroth/v1", bayergroth.Argument{}),
	ristretto255.New("ristretto255-bayergroth/v2", twocolumns.Argument{}),
	ristretto255.New("ristretto255-tereliuswikstrom/v1", tereliuswikstrom.Argument{}),
	ristretto255.New("ristretto255-cutandchoose/v1", cutandchoose.Argument{}),
	ristretto255.NewAsking(chosen, cutandchoose.AskedArgument{}),
	sra255.New(),
	sra255.NewDisclosed(),
}, large...)

// Lookup returns the suite of that name, to verify with and to prove
// (proof.ProverOf).
func Lookup(name string) (proof.Suite, bool) {
	s, ok := LookupVerifier(name)
	switch name {
	case chosen:
		return ristretto255.AskedProver(s, cutandchoose.AskedProver{}), true
	case sra255.Name:
		return sra255.Prover(s), true
	case sra255.Disclosed:
		return sra255.Discloser(s), true
	}
	if p := largeProver(name, s); p != nil {
		return p, true
	}
	if p := argumentProver(name); p != nil {
		return ristretto255.Prover(s, p), true
	}
	return s, ok
}

// LookupVerifier returns the suite of that name, to verify with alone. A program that
// calls it and never Lookup has no prover in it.
func LookupVerifier(name string) (proof.Suite, bool) {
	for _, s := range catalogue {
		if s.Name() == name {
			return s, true
		}
	}
	return nil, false
}

// argumentProver is the proving side of a suite's argument, or nil. It is no variable, which
// every program would set.
func argumentProver(name string) shuffle.Prover {
	switch name {
	case "ristretto255-bayergroth/v1":
		return bayergroth.Prover{}
	case "ristretto255-bayergroth/v2":
		return twocolumns.Prover{}
	case "ristretto255-tereliuswikstrom/v1":
		return tereliuswikstrom.Prover{}
	case "ristretto255-cutandchoose/v1":
		return cutandchoose.Prover{}
	}
	return nil
}

// Names returns the names of all suites, the default first.
func Names() []string { return NamesProving() }

// NamesProving returns the names of all suites that prove these relations (proof.Relations), the
// default first.
func NamesProving(relations ...string) []string {
	var names []string
	for _, s := range catalogue {
		if !slices.ContainsFunc(relations, func(r string) bool { return !proof.Proves(s, r) }) {
			names = append(names, s.Name())
		}
	}
	return names
}
