// Program verify is the module of verify.html: package judge for JavaScript, only for bundles. It has
// no network, no seats and no secrets.
//
// It calls pakliHost.ready() once pakliVerify(bytes, keys, lang) exists, which returns a promise of
// judge.Answer in JSON.
package main
