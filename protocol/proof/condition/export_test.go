package condition

// VerifyUnder verifies under a transcript that a test chooses.
var VerifyUnder = verify
