//go:build !js

package suite

import (
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite/elgamal"
	"github.com/pakli/pakli/protocol/suite/elgamal/bayergroth"
	"github.com/pakli/pakli/protocol/suite/elgamal/cutandchoose"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/suite/schindelhauer"
	"github.com/pakli/pakli/protocol/suite/sra"
)

const chosen2048 = "qr2048-cutandchoose-chosen40/v1"

// large are the suites whose numbers have thousands of bits. Pages leave them out: they would make a
// page's module longer by a sixth, and run there a hundred times slower than in a program.
var large = []proof.Suite{
	sra.NewDisclosed(sra.Disclosed3072, group.Squares3072()),
	elgamal.New("qr2048-bayergroth/v1", group.Squares2048(), bayergroth.Argument{}),
	elgamal.New("qr2048-cutandchoose/v1", group.Squares2048(), cutandchoose.Argument{}),
	elgamal.NewAsking(chosen2048, group.Squares2048(), cutandchoose.AskedArgument{}),
	elgamal.New("qr3072-bayergroth/v1", group.Squares3072(), bayergroth.Argument{}),
	schindelhauer.New(schindelhauer.Name2048, 2048),
	schindelhauer.New(schindelhauer.Name3072, 3072),
	schindelhauer.NewAsking(schindelhauer.Chosen2048, 2048),
	schindelhauer.NewAsking(schindelhauer.Chosen3072, 3072),
}

// largeProver returns a large suite with its proving side, or nil if s is not large.
func largeProver(name string, s proof.Suite) proof.Suite {
	switch name {
	case sra.Disclosed3072:
		return sra.Discloser(s)
	case chosen2048:
		return elgamal.AskedProver(s, cutandchoose.AskedProver{})
	case "qr2048-bayergroth/v1":
		return elgamal.Prover(s, bayergroth.Prover{})
	case "qr2048-cutandchoose/v1":
		return elgamal.Prover(s, cutandchoose.Prover{})
	case "qr3072-bayergroth/v1":
		return elgamal.Prover(s, bayergroth.Prover{})
	case schindelhauer.Name2048, schindelhauer.Name3072:
		return schindelhauer.Prover(s)
	case schindelhauer.Chosen2048, schindelhauer.Chosen3072:
		return schindelhauer.AskedProver(s)
	}
	return nil
}
