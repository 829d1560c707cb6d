// Package house holds the rules of the house that no single package can keep:
// which package may import which, that every package says what it is, that
// every game and suite is in its catalogue, what the verifier's trusted base is,
// and that the maps in docs/design are true. They are tests; there
// is no code.
package house

//go:generate go test -run TestRooms -update .
