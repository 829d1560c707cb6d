//go:build unix

package regular

import "syscall"

// nonblock opens a pipe without waiting for who writes to it.
const nonblock = syscall.O_NONBLOCK
