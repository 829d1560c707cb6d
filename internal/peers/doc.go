// Package peers compares pakli's shuffle with those of other libraries, in
// speed and size, in one run. It is a module of its own, so that nobody who
// uses pakli depends on them.
package peers
