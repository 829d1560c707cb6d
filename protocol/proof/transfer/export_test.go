package transfer

// Doors for tests that forge under another transcript.
var (
	VerifyUnder = verify
	Challenge   = challenge
)
