package webpush

// What tests see besides.
var (
	Encrypt      = encrypt
	RefuseInside = refuseInside
	Words        = words
)
