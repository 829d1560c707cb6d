package events

import "github.com/pakli/pakli/protocol/event"

// Reopen judges again which time-outs are reopened.
func (v *VerifiedEvent) Reopen() {
	v.Reopened, v.WithoutReopened = nil, nil
	v.Judgement = event.Judge(v.History, v.Sheets, v.Log.Checkpoint.Size, event.Options{})
	v.findReopened(event.Options{})
}
