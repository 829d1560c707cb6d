package player

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/pakli/pakli/protocol/keeper/exchange"
	"github.com/pakli/pakli/protocol/table"
)

// question is a move that a player is asked for until the table goes on: another seat may move, and a player who is still thinking must
// see that it has. What is void, and a log that fails for a while, end no question: a log could send it again and again. While something
// that came cannot be judged the seat is lost, and while something is missing in the history an answer waits.
type question struct {
	*Seat
	answers chan moveAnswer // nil when one was given
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

// decideAmong has the player decide.
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
			q.heard = h // what the player was not asked about is for later
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

// awaitNews waits for news, or for the answer, and then for what has come by then.
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

// judgeNews takes in what came, as far as it is judged when the player answers: the rest is for later too. Of a
// history in which something is missing all is judged.
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

// takeHeard takes in what came. As long as something cannot be judged, or is missing in the history, the seat is lost.
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

// listenNews waits for news until ctx ends; nil: there are none. It begins after a pause, so that a player who answers at once
// does so first.
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

// failedPause is how long a seat whose player thinks waits before it asks a log again that has failed.
const failedPause = time.Second

func pauseFor(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
