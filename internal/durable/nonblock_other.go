//go:build !unix

package durable

// nonblock is 0 on systems where no path names a pipe.
const nonblock = 0
