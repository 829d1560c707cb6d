// Program seal is the module that encrypts a copy of a seat with a passphrase, and reads
// one: package sealed for JavaScript. It runs in a Worker of its own that is thrown away,
// since memory that scrypt took is never given back.
//
// It calls pakliHost.ready() when pakliSeal(bytes, passphrase) and pakliUnseal(bytes,
// passphrase) are there, which give promises of bytes. What fails has a kind:
// passphrase, work, or nothing.
package main
