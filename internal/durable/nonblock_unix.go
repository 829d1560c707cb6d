//go:build unix

package durable

import "syscall"

// nonblock opens a pipe without waiting for who writes to it.
const nonblock = syscall.O_NONBLOCK
