package trial

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/transparency-dev/merkle/rfc6962"
	"github.com/transparency-dev/tessera/api"
	"github.com/transparency-dev/tessera/api/layout"
	"github.com/transparency-dev/tessera/client"
	"github.com/transparency-dev/tessera/fsck"
	"golang.org/x/mod/sumdb/note"

	pakli "github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/internal/trials/cluster/parts"
	"github.com/pakli/pakli/ledger"
	"github.com/pakli/pakli/ledger/badgerstore"
	"github.com/pakli/pakli/ledger/tlog"
)

// compareToAlone compares the front ends of a closed log with a server that keeps a log alone and
// took the same entries under the same key: a reader cannot tell how a log is run. Every answer is
// equal, byte for byte; Tessera's fsck finds a whole log behind each; and the mirrors are equal.
func (t *Trial) compareToAlone(ctx context.Context, last []byte) error {
	c, err := tlog.OpenCheckpoint(last, t.Oracle.Key)
	if err != nil {
		return err
	}
	alone, err := t.startAlone(ctx, c)
	if err != nil {
		return fmt.Errorf("a log alone: %w", err)
	}
	defer alone.Kill()
	asked, err := readable(ctx, alone.URL, c.Size)
	if err != nil {
		return err
	}
	home, err := t.Mirror(ctx, alone)
	if err != nil {
		return err
	}
	for _, f := range t.FrontEnds {
		dir, err := t.Mirror(ctx, f)
		if err == nil {
			err = errors.Join(differ(ctx, alone.URL, f.URL, asked), checkWholeLog(ctx, f.URL, t.Oracle.Key), differFiles(home, dir))
		}
		if err != nil {
			return fmt.Errorf("%s beside a log alone: %w", f.Name, err)
		}
	}
	fmt.Fprintf(t.Out, "%d answers and the mirror of each front end are those of a log alone, byte for byte\n", len(asked))
	return nil
}

// startAlone starts a server that keeps a log alone with the entries of the other log.
func (t *Trial) startAlone(ctx context.Context, c tlog.Checkpoint) (*parts.FrontEnd, error) {
	dir := filepath.Join(t.Dir, "alone")
	if err := parts.CopyKeys(t.FrontEnds[0].Data, dir); err != nil {
		return nil, err
	}
	key, err := ledger.LoadKey(dir)
	if err != nil {
		return nil, err
	}
	o := ledger.Options{Signer: key.Signer, Store: badgerstore.Options{}}
	if err := ledger.Create(dir, o); err != nil {
		return nil, err
	}
	l, err := ledger.Open(dir, o)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(t.copyTo(ctx, l, c.Size), l.Close()); err != nil {
		return nil, err
	}
	return parts.StartAlone(ctx, t.Cluster.Options)
}

// copyTo appends the first entries of the log to another one.
func (t *Trial) copyTo(ctx context.Context, l *ledger.Ledger, size uint64) error {
	from, err := pakli.New(t.FrontEnds[0].URL, t.Oracle.Key, nil)
	if err != nil {
		return err
	}
	for entry, err := range from.Entries(ctx, 0, size) {
		if err == nil {
			_, err = l.Append(ctx, entry)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// readable lists the paths that a reader may ask of a log of this size: every tile, proofs, and the
// tables.
func readable(ctx context.Context, at string, size uint64) (paths []string, err error) {
	paths = []string{"/checkpoint", "/v1/checkpoint", "/v1/log", "/v1/tables?limit=1", "/v1/events", "/v1/marks", fmt.Sprintf("/v1/consistency?old=1&size=%d", size)}
	for level, n := uint64(0), size; n > 0; level, n = level+1, n>>layout.TileHeight {
		for i := range n>>layout.TileHeight + 1 {
			width := uint8(0) // 256
			if i == n>>layout.TileHeight {
				if width = uint8(n); width == 0 {
					break
				}
			}
			paths = append(paths, "/"+layout.TilePath(level, i, width))
			if level == 0 {
				paths = append(paths, "/"+layout.EntriesPath(i, width))
			}
		}
	}
	for i := uint64(0); i < size; i += 1 + size/50 {
		paths = append(paths, fmt.Sprintf("/v1/entries/%d/receipt", i), fmt.Sprintf("/v1/entries/%d/inclusion?size=%d", i, size))
	}
	tables, err := tableIDs(ctx, at)
	for _, id := range tables {
		paths = append(paths, "/v1/tables/"+id, "/v1/tables/"+id+"/messages", "/v1/tables/"+id+"/bundle")
	}
	return paths, err
}

// tableIDs returns some tables of a log.
func tableIDs(ctx context.Context, at string) (ids []string, err error) {
	b, err := fetch(ctx, http.DefaultClient, at+"/v1/tables?limit=10")
	if err != nil {
		return nil, err
	}
	var list pakli.TableList
	err = json.Unmarshal(b, &list)
	for _, t := range list.Tables {
		ids = append(ids, t.ID.String())
	}
	return ids, err
}

// told are headers that belong to an answer and not to its content, or that follow from it.
var told = []string{"Date", "X-Request-Id", "Content-Length", "Etag"}

// cosigned matches a cosigner's line under a checkpoint, in text or JSON, which has a time and is no
// part of the log; or a bundle's description of a checkpoint with such lines.
var cosigned = regexp.MustCompile(`(\\n|\n)— witness\.example [A-Za-z0-9+/=]+|\ncheckpoint [0-9]+ [0-9a-f]{64}`)

// differ returns an error if answers of two servers differ or one does not answer.
func differ(ctx context.Context, a, b string, paths []string) error {
	for _, path := range paths {
		first, err := fetchAnswer(ctx, a+path)
		if err != nil {
			return err
		}
		second, err := fetchAnswer(ctx, b+path)
		if err != nil {
			return err
		}
		if !bytes.Equal(first, second) {
			return fmt.Errorf("%s is %q, alone %q", path, second, first)
		}
	}
	return nil
}

// fetchAnswer returns an answer with its headers.
func fetchAnswer(ctx context.Context, url string) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	for _, name := range told {
		resp.Header.Del(name)
	}
	var all bytes.Buffer
	fmt.Fprintln(&all, resp.StatusCode)
	if err := resp.Header.Write(&all); err != nil {
		return nil, err
	}
	body, err := io.ReadAll(resp.Body)
	all.Write(cosigned.ReplaceAll(body, nil))
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", url, all.Bytes())
	}
	return all.Bytes(), err
}

// checkWholeLog makes Tessera's fsck read a log from its first entry on.
func checkWholeLog(ctx context.Context, at string, key note.Verifier) error {
	base, err := url.Parse(at + "/")
	if err != nil {
		return err
	}
	f, err := client.NewHTTPFetcher(base, nil)
	if err != nil {
		return err
	}
	return fsck.New(key.Name(), key, f, hashLeaves, fsck.Opts{N: 2}).Check(ctx)
}

func hashLeaves(bundle []byte) (list [][]byte, err error) {
	var b api.EntryBundle
	err = b.UnmarshalText(bundle)
	for _, e := range b.Entries {
		list = append(list, rfc6962.DefaultHasher.HashLeaf(e))
	}
	return list, err
}

// differFiles returns an error if files of two directories differ. Cosigners sign when they are
// asked, so of a checkpoint only the log's own text is compared.
func differFiles(a, b string) error {
	first, err := files(a)
	if err != nil {
		return err
	}
	second, err := files(b)
	if err != nil {
		return err
	}
	if !slices.Equal(first, second) {
		return fmt.Errorf("a mirror has %q, alone %q", second, first)
	}
	for _, name := range first {
		x, err := os.ReadFile(filepath.Join(a, name))
		if err != nil {
			return err
		}
		y, err := os.ReadFile(filepath.Join(b, name))
		if err != nil {
			return err
		}
		if name == "checkpoint" {
			x, _, _ = bytes.Cut(x, []byte("\n\n"))
			y, _, _ = bytes.Cut(y, []byte("\n\n"))
		}
		if !bytes.Equal(x, y) {
			return fmt.Errorf("%s of the mirror differs", name)
		}
	}
	return nil
}

// files returns the names of all files in a directory.
func files(dir string) (names []string, err error) {
	err = fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			names = append(names, name)
		}
		return err
	})
	return names, err
}
