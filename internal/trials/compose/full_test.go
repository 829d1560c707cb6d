package compose_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
)

// A volume that somebody else fills: the server takes nothing more and shows what it has, says so in its log, also where it is restarted then,
// and goes on by itself when there is room; nothing that was acknowledged is lost.
func TestFullVolume(t *testing.T) {
	testmust.OnlyThorough(t, "makes a disk of its own")
	p := newProject(t, buildQuickly(t))
	p.useSmallDisk()
	p.settle(unbounded)
	p.up()
	c := p.crowd(p.checkSaid())
	c.acknowledged(30)
	filler := filepath.Join(docker(t, "volume", "inspect", "-f", "{{.Mountpoint}}", p.volume("pakli-data")), "filler")
	for when, fault := range map[string]func(){"full": func() {}, "full, and restarted": func() { p.do("restart", "pakli") }} {
		run(t, "sh", "-c", "cat /dev/zero > "+filler+" || sync")
		fault()
		testmust.Until(t, when+": it is not ready", func() bool { return p.status("/readyz") == http.StatusServiceUnavailable })
		testmust.Until(t, when+": it is read", func() bool { return p.status("/checkpoint") == http.StatusOK })
		testmust.Until(t, when+": it says so", func() bool { return strings.Contains(p.do("logs", "--no-color", "pakli"), `"check":"space"`) })
		testmust.Do(t, os.Remove(filler))
		c.acknowledged(30)
		c.judge(when)
	}
	c.end()
}

// status is that of an answer, or 0.
func (p *project) status(path string) int {
	resp, err := http.Get(p.url + path)
	if err != nil {
		return 0
	}
	resp.Body.Close()
	return resp.StatusCode
}

// useSmallDisk has the server's volume on a file system of its own.
func (p *project) useSmallDisk() {
	p.t.Helper()
	image := filepath.Join(p.t.TempDir(), "disk")
	run(p.t, "truncate", "-s", "1400M", image)
	run(p.t, "mkfs.ext4", "-q", "-m", "0", "-E", "root_owner=65532:65532", image)
	loop := run(p.t, "losetup", "-f", "--show", image)
	p.t.Cleanup(func() { run(p.t, "losetup", "-d", loop) }) // when it is not mounted any more
	p.override("volumes: {pakli-data: {driver_opts: {type: ext4, device: %s}}}\n", loop)
}
