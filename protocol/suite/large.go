//go:build !js

package suite

import (
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite/qr2048"
	squares2048 "github.com/pakli/pakli/protocol/suite/qr2048/bayergroth"
	cutandchoose2048 "github.com/pakli/pakli/protocol/suite/qr2048/cutandchoose"
	"github.com/pakli/pakli/protocol/suite/qr3072"
	squares3072 "github.com/pakli/pakli/protocol/suite/qr3072/bayergroth"
	"github.com/pakli/pakli/protocol/suite/schindelhauer"
	"github.com/pakli/pakli/protocol/suite/sra3072"
)

const chosen2048 = "qr2048-cutandchoose-chosen40/v1"

// large are the suites whose numbers have thousands of bits. The pages are without them: their
// module would be longer by a sixth, and is a hundred times as slow with them as a program.
var large = []proof.Suite{
	sra3072.NewDisclosed(),
	qr2048.New("qr2048-bayergroth/v1", squares2048.Argument{}),
	qr2048.New("qr2048-cutandchoose/v1", cutandchoose2048.Argument{}),
	qr2048.NewAsking(chosen2048, cutandchoose2048.AskedArgument{}),
	qr3072.New("qr3072-bayergroth/v1", squares3072.Argument{}),
	schindelhauer.New(schindelhauer.Name2048, 2048),
	schindelhauer.New(schindelhauer.Name3072, 3072),
	schindelhauer.NewAsking(schindelhauer.Chosen2048, 2048),
	schindelhauer.NewAsking(schindelhauer.Chosen3072, 3072),
}

// largeProver is one of them with its proving side; nil if s is none.
func largeProver(name string, s proof.Suite) proof.Suite {
	switch name {
	case sra3072.Disclosed:
		return sra3072.Discloser(s)
	case chosen2048:
		return qr2048.AskedProver(s, cutandchoose2048.AskedProver{})
	case "qr2048-bayergroth/v1":
		return qr2048.Prover(s, squares2048.Prover{})
	case "qr2048-cutandchoose/v1":
		return qr2048.Prover(s, cutandchoose2048.Prover{})
	case "qr3072-bayergroth/v1":
		return qr3072.Prover(s, squares3072.Prover{})
	case schindelhauer.Name2048, schindelhauer.Name3072:
		return schindelhauer.Prover(s)
	case schindelhauer.Chosen2048, schindelhauer.Chosen3072:
		return schindelhauer.AskedProver(s)
	}
	return nil
}
