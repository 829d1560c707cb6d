package disjunction

// Equations is a door for tests that choose the challenges.
var Equations = addEquations
