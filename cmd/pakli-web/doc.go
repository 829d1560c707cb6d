// Program pakli-web is the module of the pages and of the SDK: package desk for JavaScript. It is
// compiled to WebAssembly and runs in a Worker or in Node.
//
// It uses its environment pakliHost: emit(text), vault(seat) → {read, replace, close}, vaults(record)
// → [{id, bytes}], remove(seat), and ready(), which it calls once pakliCall(name, args, bytes)
// exists. All except emit, ready and close return promises.
package main
