package condition

// Doors for tests: to verify under a transcript that a test chooses, and to prove
// with nonces that are not hedged.
var (
	VerifyUnder = verify
	ProveBy     = prove
)
