package transfer

// Doors for tests that forge under another transcript, or prove what is false.
var (
	VerifyUnder = verify
	ProveUnder  = prove
	Challenge   = challenge
)
