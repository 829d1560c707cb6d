package subset

// Doors for tests that prove by a witness of their choice, or verify under another
// transcript.
var (
	ProveBy     = prove
	VerifyUnder = verify
)

// Opening is the length of what follows the shuffle argument.
const Opening = opening
