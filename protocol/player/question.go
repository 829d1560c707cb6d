package player

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/pakli/pakli/protocol/keeper/exchange"
	"github.com/pakli/pakli/protocol/table"
)

// question asks a player for a move until the table goes on: another seat may move, which a player
// who is still thinking must see. Void entries, and a log that fails for a while, do not end a
// question, since a log could repeat them for ever. The seat is lost while something that came
// cannot be judged, and an answer waits while something is missing in the history.
type question struct {
	*Seat
	answers chan moveAnswer // nil once an answer was given
	given   *moveAnswer
}

// moveAnswer is what a player has chosen.
type moveAnswer struct {
	move json.RawMessage
	err  error
}

// heardNews is what [Source.Messages] returned.
type heardNews struct {
	entries [][]byte
	err     error
}

// decideAmong asks the player to decide. It returns nil if the table went on first.
func (q *question) decideAmong(ctx context.Context, v table.View) (json.RawMessage, error) {
	head := q.state.Head()
	asked, end := context.WithCancel(ctx)
	defer end()
	go func(s *table.State, answers chan moveAnswer) {
		move, err := q.choose(asked, s, v)
		answers <- moveAnswer{move, wrapOwn(err)}
	}(q.state, q.answers)
	var err error
	over := false
	for pause := courtesy; !over && err == nil && (q.given == nil || q.gaps && q.given.err == nil); {
		h := q.awaitNews(ctx, pause)
		if ctx.Err() != nil {
			break
		}
		if q.given != nil && !q.gaps && h != nil && h.err == nil {
			q.heard = h // kept for later: the player was not asked about it
			break
		}
		err = q.judgeNews(ctx, h)
		if pause = 0; err != nil && (q.mayPass(err) || q.Passes == nil && IsWithheld(err)) {
			pause, err = failedPause, nil
		}
		over = !q.gaps && (q.state.Head() != head || q.state.Foul() != nil || q.state.IsOver() || q.away != nil)
	}
	if end(); q.given == nil {
		<-q.answers
	}
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, err
	case over:
		q.moved = true
		return nil, nil
	}
	return q.given.move, q.given.err
}

// awaitNews waits for news or for the answer. After the answer it returns the news that had come by
// then.
func (q *question) awaitNews(ctx context.Context, pause time.Duration) *heardNews {
	listening, stop := context.WithCancel(ctx)
	defer stop()
	news := make(chan *heardNews, 1)
	go func() { news <- q.listenNews(listening, pause) }()
	select {
	case a := <-q.answers:
		stop()
		q.given, q.answers = &a, nil
		return <-news
	case h := <-news:
		return h
	}
}

// judgeNews applies what came. When the player answers it stops, and the rest is for later; but a
// history in which something is missing is judged completely.
func (q *question) judgeNews(ctx context.Context, h *heardNews) error {
	judging, enough := context.WithCancel(ctx)
	defer enough()
	gaps := q.gaps
	q.judging = judging
	defer func() { q.judging = nil }()
	judged := make(chan error, 1)
	go func() { judged <- q.takeHeard(ctx, h) }()
	select {
	case a := <-q.answers:
		if q.given, q.answers = &a, nil; !gaps {
			enough()
		}
		return <-judged
	case err := <-judged:
		return err
	}
}

// takeHeard applies what came. The seat is lost while something cannot be judged or is missing in
// the history.
func (q *question) takeHeard(ctx context.Context, h *heardNews) (err error) {
	switch {
	case q.gaps:
		err = q.reopenTable(ctx)
	case h == nil:
		return nil
	case h.err != nil:
		return h.err
	default:
		q.setPresence(exchange.Lost)
		err = q.applyEntries(h.entries)
	}
	if err == nil {
		q.setPresence(exchange.Here)
	}
	return err
}

// listenNews waits for news until ctx ends, and then returns nil. It begins after a pause, so that
// a player who answers at once comes first.
func (q *question) listenNews(ctx context.Context, pause time.Duration) *heardNews {
	pauseFor(ctx, pause)
	for !q.gaps && ctx.Err() == nil {
		entries, err := q.source.Messages(ctx, q.state.ID(), q.read, longPoll)
		if errors.Is(err, ErrLeftOut) {
			q.gaps = true
			return &heardNews{}
		}
		if len(entries) > 0 || err != nil && (ctx.Err() == nil || !errors.Is(err, context.Canceled)) {
			return &heardNews{entries, err}
		}
	}
	return nil
}

// failedPause is how long a seat whose player is thinking waits before it asks a failed log again.
const failedPause = time.Second

func pauseFor(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
