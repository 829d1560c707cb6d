//go:build !unix

package serve

import "errors"

// mayServe fails on systems on which no store keeps a log.
func mayServe() error {
	return errors.New("the server runs on Linux and macOS: here pakli plays, organises and verifies on a server elsewhere. " +
		"Docker and WSL are Linux too")
}

func explainTrouble(_ string, err error) error { return err }
