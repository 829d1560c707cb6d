// Program seal is the module that encrypts a copy of a seat with a passphrase and decrypts it:
// package sealed for JavaScript. It runs in a Worker of its own that is terminated afterwards, since
// memory that scrypt took is never given back.
//
// It calls pakliHost.ready() once pakliSeal(bytes, passphrase) and pakliUnseal(bytes, passphrase)
// exist, which return promises of bytes. Errors have a kind: passphrase, work, or "".
package main
