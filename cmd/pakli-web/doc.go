// Program pakli-web is the module of the pages and of the SDK: package desk for
// JavaScript. It is compiled to WebAssembly and runs in a Worker, or in Node.
//
// It finds its surroundings in pakliHost: emit(text), vault(seat) → {read, replace,
// close}, vaults(record) → [{id, bytes}], remove(seat), and ready(), which it calls when
// pakliCall(name, args, bytes) is there. All but emit, ready and close give promises.
package main
