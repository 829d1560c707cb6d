package main

import (
	"cmp"
	"strings"
)

// suiteBasis is what a suite rests on: the group that its cards are in, and what its proofs need besides.
type suiteBasis struct {
	Bits     int    `json:"bits"`     // of work to break the group, by what is known
	Hides    string `json:"hides"`    // what must be hard, so that nobody sees a card
	Convince string `json:"convince"` // what must be hard, so that nobody proves what is false
	Weaker   string `json:"weaker"`   // since when it is known to be weaker than it looks, and how
}

// knownOf is what the suite of that name rests on.
func knownOf(name string) suiteBasis {
	group, argument, _ := strings.Cut(name, "-")
	k := groups[group]
	k.Convince = cmp.Or(k.logarithm, "collisions of SHA-256") + ", and SHA-3 as a random oracle"
	switch {
	case strings.HasPrefix(argument, "cutandchoose-chosen"):
		k.Convince = "of shuffles those who asked, and nobody else, up to one chance in 2^40: collisions of SHA-256; of the rest everybody: " + k.Convince
	case k.logarithm != "" && strings.HasPrefix(argument, "cutandchoose"):
		k.Convince = "collisions of SHA-256, and SHA-3 as a random oracle, of shuffles; of the rest " + k.logarithm
	case strings.HasPrefix(argument, "disclosed"):
		k.Convince = "nothing of shuffles and tokens: all is computed again when the locks are disclosed"
	}
	return k.suiteBasis
}

// basis is what is known of a group.
type basis struct {
	suiteBasis
	logarithm string // what must be hard besides; empty: nothing, where there is no group
}

const (
	quantum = "1994: none of it holds against a quantum computer (Shor)"
	curve   = "decisional Diffie–Hellman in ristretto255"
	squares = "decisional Diffie–Hellman among squares modulo the prime of RFC 3526 of "
	factors = "quadratic residuosity modulo each seat's own product of two primes of "
	sifted  = "1993: factors by the number field sieve (Buhler, Lenstra, Pomerance), from which the size comes: work of "
	sieve   = "1993: logarithms modulo a prime by the number field sieve (Gordon), from which the size comes: work of "
)

var groups = map[string]basis{
	"ristretto255":      {suiteBasis{126, curve, "", quantum}, "discrete logarithms in ristretto255"},
	"sra255":            {suiteBasis{126, curve + ", for cards that are hashed to it", "", "1981: cards that are numbers show by what is a square (Lipton); these are hashed. " + quantum}, "discrete logarithms in ristretto255"},
	"qr2048":            {suiteBasis{112, squares + "2048 bits", "", sieve + "2^112, which NIST takes to be enough until 2030. " + quantum}, "discrete logarithms modulo that prime"},
	"qr3072":            {suiteBasis{128, squares + "3072 bits", "", sieve + "2^128. " + quantum}, "discrete logarithms modulo that prime"},
	"schindelhauer2048": {suiteBasis{112, factors + "1024 bits", "", sifted + "2^112, which NIST takes to be enough until 2030. " + quantum}, ""},
	"schindelhauer3072": {suiteBasis{128, factors + "1536 bits", "", sifted + "2^128. " + quantum}, ""},
	"sra3072":           {suiteBasis{128, squares + "3072 bits, for cards that are hashed", "", "1981: cards that are numbers show by what is a square (Lipton); these are hashed, to classes. " + sieve + "2^128. " + quantum}, "discrete logarithms modulo that prime"},
}
