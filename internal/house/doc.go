// Package house holds the rules of the house that no single package can keep:
// which package may import which, that every package says what it is, that
// every game and suite is in its catalogue, and what the verifier's trusted
// base is. They are tests; there is no code.
package house
