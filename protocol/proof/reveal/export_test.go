package reveal

// Doors for tests that forge under another transcript, or prove what is false.
var (
	VerifyUnder = verify
	ProveUnder  = prove
	Weights     = Statement.weights
	Challenge   = challenge
)
