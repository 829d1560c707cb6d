package notify

// Sign is the signature of a body.
var Sign = sign
