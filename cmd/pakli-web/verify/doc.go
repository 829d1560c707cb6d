// Program verify is the module of verify.html: package judge for JavaScript, for bundles
// alone. It has no network, no seats and no secrets.
//
// It calls pakliHost.ready() when pakliVerify(bytes, keys, lang) is there, which gives a
// promise of judge.Answer in JSON.
package main
