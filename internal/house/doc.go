// Package house holds the rules of the house that no single package can keep: allowed imports,
// package comments, complete catalogues of games and suites, the verifier's trusted base, and true
// maps in docs/design. They are tests; there is no code.
package house

//go:generate go test -run TestRooms -update .
