// Package authority lets a server of pakli get its certificate by ACME (RFC 8555, with the challenge
// of RFC 8737) from somebody else's authority: Pebble, the small one with which Let's Encrypt tests
// clients. It rejects some good nonces on purpose, as authorities do by accident.
package authority
