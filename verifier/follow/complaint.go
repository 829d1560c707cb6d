package follow

import (
	"bytes"
	"fmt"

	"github.com/pakli/pakli/internal/plain"
	"github.com/pakli/pakli/ledger/tlog"
)

// ComplaintFormat is the first line of every complaint.
const ComplaintFormat = "pakli-complaint/v1"

// Complaint says that the log signed a checkpoint and its tree was not shown, though
// it was asked for, again and again. It convinces nobody that the log is dishonest:
// whoever reads it asks the log for the tree. A log that cannot show it then, to
// anybody, has not kept what it signed.
type Complaint struct {
	Checkpoint tlog.Checkpoint
	Reason     string // what came instead
}

// String says it in words.
func (c *Complaint) String() string {
	return fmt.Sprintf("The log %q signed %d entries with root %v, and they were not shown: %s", c.Checkpoint.Origin, c.Checkpoint.Size, c.Checkpoint.Root, printable(c.Reason))
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

// maxQuoted bounds what is quoted of what strangers say, in bytes.
const maxQuoted = 400

func printable(s string) string { return plain.ASCII(s, maxQuoted) }
