//go:build !linux

package main

import "golang.org/x/sys/unix"

// redirect makes a file descriptor another name of one that is open.
func redirect(from, to int) error { return unix.Dup2(from, to) }
