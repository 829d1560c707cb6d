package ownership

// Doors for tests that forge under another transcript, rewind a prover, or choose
// the challenge.
var (
	VerifyUnder = verify
	ProveUnder  = prove
	Challenge   = drawChallenge
	Equation    = Statement.addEquation
)
