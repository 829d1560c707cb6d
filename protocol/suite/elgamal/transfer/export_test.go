package transfer

// Doors for tests that rewind a prover, or choose the challenge.
var (
	ProveUnder = prove
	Challenge  = drawChallenge
	Equations  = Statement.addEquations
)
