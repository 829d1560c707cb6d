package parts

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/pakli/pakli/internal/trials/cluster/process"
)

// CloseLog closes the log to entries and returns its final size.
func (c *Cluster) CloseLog(ctx context.Context) (uint64, error) {
	f := c.FrontEnds[0]
	out, err := c.pakli(ctx, "close", "--origin="+c.Origin, f.trillian, c.tree, f.register)
	if err != nil {
		return 0, err
	}
	return strconv.ParseUint(out, 10, 64)
}

// ListClosed signs the list of logs with the last checkpoint of the closed log, and restarts a front
// end with it.
func (c *Cluster) ListClosed(ctx context.Context, f *FrontEnd, checkpoint []byte) (list []byte, err error) {
	key, err := f.Key()
	if err != nil {
		return nil, err
	}
	last, file := filepath.Join(c.Dir, "last"), filepath.Join(c.Dir, "logs.signed")
	if err := os.WriteFile(last, checkpoint, 0o644); err != nil {
		return nil, err
	}
	list, said, err := process.Run(ctx, c.Programs.Pakli, "logs", "--key="+filepath.Join(c.Dir, "operator.key"), "--log="+key+" "+f.URL, "--closed="+last)
	if err != nil {
		return nil, fmt.Errorf("pakli logs: %w: %s", err, said)
	}
	if err := os.WriteFile(file, list, 0o644); err != nil {
		return nil, err
	}
	operator := strings.TrimSpace(strings.TrimPrefix(string(said), "signed by "))
	f.Args = append(f.Args, "--logs="+file, "--logs-key="+operator)
	f.Stop(ctx)
	if err := f.Start(); err != nil {
		return nil, err
	}
	return list, f.Await(ctx, answers(f.URL+"/checkpoint"))
}

// Mirror copies the log and returns the copy's directory.
func (c *Cluster) Mirror(ctx context.Context, f *FrontEnd) (dir string, err error) {
	key, err := f.Key()
	if err != nil {
		return "", err
	}
	dir = filepath.Join(c.Dir, "mirror-of-"+f.Name)
	if _, said, err := process.Run(ctx, c.Programs.Pakli, "mirror", "--log="+key, f.URL, dir); err != nil {
		return "", fmt.Errorf("pakli mirror: %w: %s", err, said)
	}
	return dir, nil
}
