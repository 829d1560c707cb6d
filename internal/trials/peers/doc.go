// Package peers compares pakli's shuffle with those of other libraries, in speed and size, in one
// run.
package peers
