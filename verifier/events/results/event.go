package results

import (
	"context"
	"fmt"
	"io"

	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier/events"
	"github.com/pakli/pakli/verifier/report"
)

// Event writes an event: the report of each table, the page for the jury of each disputed table, an
// index that links to them, seatings for the wall, and the same for programs. Of a broken log it
// writes only the index.
func (f *Folder) Event(ctx context.Context, v *events.VerifiedEvent, r *Results, index func(io.Writer) error) error {
	f.placed = func(id wire.Hash) *report.Place { return r.Place(v, id) }
	f.named = func(id wire.Hash) string { return fileStem(v, id) }
	files, err := f.Tables(ctx, v.Tables)
	if err != nil {
		return err
	}
	if v.Judgement == nil {
		return f.PutFile("index"+f.Ending, index)
	}
	r.LinkFiles(files, f.disputes)
	r.Seatings = "seatings.html"
	list := []file{
		{"index" + f.Ending, index}, {r.Seatings, r.Wall}, {"standings.csv", r.CSV}, {"seatings.csv", r.SeatingsCSV},
		{"deals.csv", r.DealsCSV}, {"results.json", r.JSON},
	}
	if r.Pairs() {
		list = append(list, file{"results.trf", r.TRF})
	}
	for _, file := range list {
		if err := f.PutFile(file.name, file.write); err != nil {
			return err
		}
	}
	return nil
}

// fileStem returns the beginning of a table's file names: its place if it counts in the event,
// otherwise its id.
func fileStem(v *events.VerifiedEvent, id wire.Hash) string {
	if v.Judgement == nil {
		return id.String()
	}
	for _, s := range v.Judgement.Tables {
		if s.Table != nil && s.Table.ID == id {
			return fmt.Sprintf("round-%d-table-%d", s.Round, s.Number)
		}
	}
	for round, d := range v.Draws {
		if d.Table != nil && d.Table.ID == id {
			return fmt.Sprintf("round-%d-draw", round)
		}
	}
	return id.String()
}

type file struct {
	name  string
	write func(io.Writer) error
}
