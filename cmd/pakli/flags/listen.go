package flags

import (
	"errors"
	"fmt"
	"net"
	"syscall"
)

// Listen listens at the address of a flag.
func Listen(flag, address string) (net.Listener, error) {
	l, err := net.Listen("tcp", address)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("%s %s: another program answers there already: stop it, or choose another address", flag, address)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", flag, err)
	}
	return l, nil
}
