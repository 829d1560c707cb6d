package webpush

// Sign is the signature of a body.
var Sign = sign

// Look is the time between two looks at the log.
const Look = look
