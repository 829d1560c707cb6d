//go:build !unix

package regular

// nonblock is nothing where no path names a pipe.
const nonblock = 0
