package reveal

// Doors for tests that forge under another transcript, prove what is false,
// rewind a prover, or choose the challenge.
var (
	VerifyUnder = verify
	ProveUnder  = prove
	Weights     = Statement.weights
	SumOfCards  = Statement.sumOfCards
	Challenge   = challenge
	Equations   = Statement.equations
)
