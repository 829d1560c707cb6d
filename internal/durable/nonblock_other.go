//go:build !unix

package durable

// nonblock is nothing where no path names a pipe.
const nonblock = 0
