// Package suite is the catalogue of suites: which card encodings, with which arguments, a table may be
// played with. Another shuffle argument is a folder under its encoding and two lines here; another
// encoding is a folder beside elgamal and one line here; another group is a function of package group.
// Every suite passes prooftest.Run.
package suite

import (
	"slices"

	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite/elgamal"
	"github.com/pakli/pakli/protocol/suite/elgamal/bayergroth"
	"github.com/pakli/pakli/protocol/suite/elgamal/cutandchoose"
	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/elgamal/tereliuswikstrom"
	"github.com/pakli/pakli/protocol/suite/elgamal/twocolumns"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/suite/sra"
)

// Default is the suite of a table that does not choose one.
const Default = "ristretto255-bayergroth/v1"

// chosen is a suite whose seats ask for proofs of shuffles.
const chosen = "ristretto255-cutandchoose-chosen40/v1"

var catalogue = append([]proof.Suite{
	elgamal.New("ristretto255-bayergroth/v1", group.Ristretto255(), bayergroth.Argument{}),
	elgamal.New("ristretto255-bayergroth/v2", group.Ristretto255(), twocolumns.Argument{}),
	elgamal.New("ristretto255-tereliuswikstrom/v1", group.Ristretto255(), tereliuswikstrom.Argument{}),
	elgamal.New("ristretto255-cutandchoose/v1", group.Ristretto255(), cutandchoose.Argument{}),
	elgamal.NewAsking(chosen, group.Ristretto255(), cutandchoose.AskedArgument{}),
	sra.New(sra.Name, group.Ristretto255()),
	sra.NewDisclosed(sra.Disclosed, group.Ristretto255()),
}, large...)

// Lookup returns the suite with a name, to verify with and to prove with (proof.ProverOf).
func Lookup(name string) (proof.Suite, bool) {
	s, ok := LookupVerifier(name)
	switch name {
	case chosen:
		return elgamal.AskedProver(s, cutandchoose.AskedProver{}), true
	case sra.Name:
		return sra.Prover(s), true
	case sra.Disclosed:
		return sra.Discloser(s), true
	}
	if p := largeProver(name, s); p != nil {
		return p, true
	}
	if p := argumentProver(name); p != nil {
		return elgamal.Prover(s, p), true
	}
	return s, ok
}

// LookupVerifier returns the suite with a name, only to verify with. A program that calls it and never
// Lookup links no prover.
func LookupVerifier(name string) (proof.Suite, bool) {
	for _, s := range catalogue {
		if s.Name() == name {
			return s, true
		}
	}
	return nil, false
}

// argumentProver returns the proving side of a suite's argument, or nil. It is a function and not a
// variable, which every program would initialise.
func argumentProver(name string) masking.ShuffleProver {
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
