package follow

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/pakli/pakli/internal/plain"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier"
)

// doubts are the things that could not be checked so far, each under a name.
type doubts struct {
	list  map[string]*doubt
	now   func() time.Time
	began time.Time // when the step began
	state *state
	tell  func(Event)
}

// doubt is something that could not be checked so far.
type doubt struct {
	since time.Time
	text  string
	c     *tlog.Checkpoint // signed but not shown
	table *verifier.Table  // waits for a blob
	told  bool
}

// raiseDoubt records something that cannot be checked, and tells it when it is new. The end of ctx is
// no reason for a doubt.
func (d *doubts) raiseDoubt(ctx context.Context, key string, found *doubt) {
	if ctx.Err() != nil {
		return
	}
	if known := d.list[key]; known != nil {
		known.text, known.table = found.text, found.table
		return
	}
	found.since = d.began
	d.list[key] = found
	d.tell(Event{Text: "cannot check: " + printableText(found.text)})
}

// doubtUnshown raises a doubt that the believed tree of c is shown up to an entry. A doubt that
// exists already is about the older tree that was not shown first. It is replaced if that tree does
// not have the entry, so that another complaint is due at its own time.
func (d *doubts) doubtUnshown(ctx context.Context, key string, c tlog.Checkpoint, entry uint64, why error) {
	if old := d.list[key]; old != nil && old.c.Size <= entry {
		d.forgetDoubt(key)
	}
	d.raiseDoubt(ctx, key, &doubt{text: why.Error(), c: &c})
}

// doubtOf returns the name of the doubt about a checkpoint.
func doubtOf(c tlog.Checkpoint) string { return fmt.Sprintf("size %d, root %v", c.Size, c.Root) }

// doubtOfTable returns the name of the doubt about a table.
func doubtOfTable(id wire.Hash) string { return "table " + id.String() }

// settleDoubt removes a doubt and tells that the thing has been checked.
func (d *doubts) settleDoubt(key string) {
	if d.list[key] != nil {
		d.forgetDoubt(key)
		d.tell(Event{Text: "checked now: " + key})
	}
}

func (d *doubts) forgetDoubt(key string) { delete(d.list, key) }

// writeComplaints writes a complaint about each signed tree that has not been shown for the time of
// patience.
func (d *doubts) writeComplaints(patience time.Duration) error {
	for _, of := range d.list {
		if of.c == nil || of.told || d.now().Sub(of.since) < patience {
			continue
		}
		of.told = true
		c := Complaint{*of.c, of.text}
		name := fmt.Sprintf("complaint-%d-%x.txt", c.Checkpoint.Size, c.Checkpoint.Root[:8])
		if err := d.state.writeFile(name, c.Marshal()); err != nil {
			return err
		}
		d.tell(Event{Text: c.String() + " Complaint: " + filepath.Join(d.state.dir, name)})
	}
	return nil
}

// takeOverdue removes and returns the tables whose blobs have not been shown for the time of
// patience.
func (d *doubts) takeOverdue(patience time.Duration) (list []verifier.Table) {
	for key, of := range d.list {
		if of.table != nil && d.now().Sub(of.since) >= patience {
			d.forgetDoubt(key)
			list = append(list, *of.table)
		}
	}
	return list
}

// ComplaintFormat is the first line of every complaint.
const ComplaintFormat = "pakli-complaint/v1"

// Complaint says that the log signed a checkpoint but its tree was not shown, though it was asked for
// again and again. It proves to nobody that the log is dishonest: its reader asks the log for the
// tree. A log that can show the tree to nobody has not kept what it signed.
type Complaint struct {
	Checkpoint tlog.Checkpoint
	Reason     string // the last answer
}

// String returns the complaint as a sentence.
func (c *Complaint) String() string {
	return fmt.Sprintf("The log %q signed %d entries with root %v, and they were not shown: %s", c.Checkpoint.Origin, c.Checkpoint.Size, c.Checkpoint.Root, printableText(c.Reason))
}

// Marshal returns the complaint as a file.
func (c *Complaint) Marshal() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s\n\n%v\nThis accuses nobody: a network may be at fault. Ask the log for this tree.\n\n", ComplaintFormat, c)
	writeNote(&b, "checkpoint", c.Checkpoint)
	return b.Bytes()
}

// ParseComplaint returns the checkpoint of a complaint. Errors are
// tlog.ErrMalformed.
func ParseComplaint(file []byte) (tlog.Checkpoint, error) {
	at := bytes.Index(file, []byte("\ncheckpoint "))
	if !bytes.HasPrefix(file, []byte(ComplaintFormat+"\n")) || at < 0 || len(file) > maxEvidence {
		return tlog.Checkpoint{}, fmt.Errorf("%w complaint", tlog.ErrMalformed)
	}
	c, rest, err := readNote(file[at+1:], "checkpoint")
	if err != nil || len(rest) > 0 {
		return c, fmt.Errorf("%w complaint: %d bytes behind the checkpoint: %v", tlog.ErrMalformed, len(rest), err)
	}
	return c, nil
}

// maxQuoted bounds quotations of strangers' text, in bytes.
const maxQuoted = 400

func printableText(s string) string { return plain.ASCII(s, maxQuoted) }
