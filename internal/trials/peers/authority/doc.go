// Package authority lets a server of pakli get its certificate by ACME (RFC 8555,
// with the challenge of RFC 8737) from an authority that is not ours: Pebble, the
// small one that Let's Encrypt tests clients with. It rejects some good nonces on
// purpose, as authorities do by accident.
package authority
