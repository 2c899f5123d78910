package conversation

import (
	"context"
	"errors"
	"strings"
	"time"

	"echo-companion/backend/echo"
	"echo-companion/backend/history"
	"echo-companion/backend/reason"
	"echo-companion/backend/reply"
)

// start begins a worker, or gives one up.
func (l *loop) start(e effect) {
	switch e := e.(type) {
	case recognise:
		l.spawn(e.job, func(ctx context.Context) { l.recognise(ctx, e) })
	case synthesise:
		l.spawn(e.job, func(ctx context.Context) { l.synthesise(ctx, e) })
	case startRun:
		l.reply(e)
	case stopRecognising:
		l.cancel(e.job)
	case stopSynthesis:
		l.cancel(e.job)
	case stopSummary:
		l.cancel(e.job)
	case stopRun:
		l.cancel(e.run)
	case load:
		l.spawn(e.job, func(ctx context.Context) { l.load(ctx, e) })
	case readAgain:
		l.spawn(0, func(ctx context.Context) { l.readAgain(ctx, e) })
	case summarise:
		l.spawn(e.job, func(ctx context.Context) { l.summarise(ctx, e) })
	case write:
		l.wg.Go(func() { l.write(e) })
	case keepSummary:
		l.wg.Go(func() { l.keepSummary(e) })
	}
}

// spawn runs a worker that its key can give up.
func (l *loop) spawn(key int, work func(ctx context.Context)) {
	ctx, cancel := context.WithCancel(l.work)
	if key != 0 {
		l.workers[key] = cancel
	}
	l.wg.Go(func() {
		defer cancel()
		work(ctx)
	})
	if len(l.workers) > 256 {
		l.sweep()
	}
}

// sweep forgets the workers that ended long ago; cancelling them again does nothing.
func (l *loop) sweep() {
	newest := 0
	for key := range l.workers {
		newest = max(newest, key)
	}
	for key, cancel := range l.workers {
		if key < newest-1024 {
			cancel()
			delete(l.workers, key)
		}
	}
}

func (l *loop) cancel(key int) {
	if cancel := l.workers[key]; cancel != nil {
		cancel()
		delete(l.workers, key)
	}
	for call, q := range l.questions {
		if q.run == key {
			delete(l.questions, call)
		}
	}
}

// recognise has an utterance written down. An engine that says nothing for twice its time is given up, whatever it is.
func (l *loop) recognise(ctx context.Context, e recognise) {
	bounded, cancel := context.WithTimeout(ctx, 2*l.c.config.EngineTimeout)
	defer cancel()
	text, err := l.c.ports.Recognizer.Recognize(bounded, e.pcm)
	if ctx.Err() != nil {
		return
	}
	l.post(message{event: recognised{e.job, strings.TrimSpace(text), engineError(bounded, err, "The speech recogniser")}})
}

// synthesise has a sentence spoken.
func (l *loop) synthesise(ctx context.Context, e synthesise) {
	bounded, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	patience := 2 * l.c.config.EngineTimeout
	silent := time.AfterFunc(patience, func() { cancel(context.DeadlineExceeded) })
	defer silent.Stop()
	err := l.c.ports.Synthesizer.Synthesize(bounded, e.text, e.voice, func(pcm []int16) error {
		silent.Reset(patience)
		if err := bounded.Err(); err != nil {
			return err
		}
		l.post(message{event: spoke{e.job, pcm}})
		return nil
	})
	if ctx.Err() != nil {
		return
	}
	l.post(message{event: spoken{e.job, engineError(bounded, err, "The speech synthesiser")}})
}

// engineError is what went wrong with an engine, or nil.
func engineError(ctx context.Context, err error, name string) *echo.Error {
	var coded *echo.Error
	switch {
	case err == nil:
		return nil
	case errors.Is(context.Cause(ctx), context.DeadlineExceeded):
		return echo.Errorf(echo.CodeEngineTimeout, "%s did not answer in time. Try again, or choose another one in Settings.", name).Because(err)
	case errors.As(err, &coded):
		return coded
	}
	return echo.Errorf(echo.CodeEngineError, "%s failed. Try again, or choose another one in Settings.", name).Because(err)
}

// handoverTime is how long a reply waits for the goroutine of the one before to end.
const handoverTime = 2 * time.Second

// reply has a reply written, once the one before has let go of the model.
func (l *loop) reply(e startRun) {
	var desk *place
	if state := l.claims[e.claim]; state != nil {
		desk = state.place
	}
	before, ended := l.lastRun, make(chan struct{})
	l.lastRun = ended
	l.spawn(e.run, func(ctx context.Context) {
		defer close(ended)
		select {
		case <-before:
		case <-time.After(handoverTime):
		case <-ctx.Done():
		}
		if desk.take(ctx, nil) != nil { // the reply before may have left it
			return // it was stopped
		}
		set := newTools(e.tools, func(ctx context.Context, question string) (string, error) {
			desk.leave() // whoever types need not wait for somebody to speak
			said, err := l.ask(ctx, e.run, question)
			return said, errors.Join(err, desk.take(ctx, nil))
		})
		err := reply.Run(ctx, l.c.ports.Reasoner, set, reply.Request{Model: e.model, Messages: e.messages}, func(step reply.Step) error {
			l.post(message{event: stepped{e.run, step}})
			return ctx.Err()
		})
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			l.c.logger.WarnContext(ctx, "a reply failed", "error", err)
		}
		l.post(message{event: ran{e.run, engineError(ctx, err, "The reasoning engine")}})
	})
}

// ask puts a question to the user and waits for what they say.
func (l *loop) ask(ctx context.Context, run int, question string) (string, error) {
	said := make(chan string, 1)
	call := int(l.c.calls.Add(1))
	l.post(message{event: putQuestion{run, call, question}, said: said})
	select {
	case text := <-said:
		return text, nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

func (l *loop) load(ctx context.Context, e load) {
	found, err := l.c.read(ctx, e.workspace, e.chat)
	if ctx.Err() != nil {
		return
	}
	var coded *echo.Error
	if err != nil {
		coded = echo.AsError(err)
	}
	l.post(message{event: loaded{e.job, found, coded}})
}

func (l *loop) readAgain(ctx context.Context, e readAgain) {
	var found material
	var err error
	found.messages, found.summary, err = e.chats.Transcript(ctx, e.chat)
	if err != nil {
		l.c.logger.WarnContext(ctx, "a chat that grew elsewhere could not be read again", "error", err)
	}
	l.post(message{event: reread{e.run, found, err}})
}

// summaryTime bounds the writing of a summary; nobody waits for it.
const summaryTime = 3 * time.Minute

// Why there is no summary, though nothing went wrong.
var (
	errNoSummaries = errors.New("the reasoner writes no summaries")
	errGaveWay     = errors.New("the summary gave way to a reply")
)

// summarise writes a running summary. One that is no use changes nothing.
func (l *loop) summarise(ctx context.Context, e summarise) {
	summary := echo.Summary{Through: e.through}
	text, err := l.sumUp(ctx, e)
	if ctx.Err() != nil {
		return
	}
	if err == nil {
		summary.Text, err = history.CheckSummary(text)
	}
	if err != nil && !errors.Is(err, errNoSummaries) && !errors.Is(err, errGaveWay) {
		l.c.logger.WarnContext(ctx, "no summary was written", "error", err)
	}
	l.post(message{event: summed{e.job, summary, err}})
}

// sumUp has the reasoner sum up. On a model of this machine that gives way to whoever waits for a reply.
func (l *loop) sumUp(ctx context.Context, e summarise) (string, error) {
	if !l.c.ports.Summarizes() {
		return "", errNoSummaries
	}
	bounded, cancel := context.WithTimeout(ctx, summaryTime)
	defer cancel()
	within := bounded
	if desk := l.c.ports.Desk; desk != nil {
		spare, release, err := desk.Spare(bounded)
		if err != nil {
			return "", err
		}
		defer release()
		within = spare
	}
	var text strings.Builder
	request := reason.Request{Model: e.model, Messages: e.log.SummaryRequest(e.through)}
	err := l.c.ports.Reasoner.Reason(within, request, func(chunk reason.Chunk) error {
		text.WriteString(chunk.Text)
		if text.Len() > 2*history.SummaryLimit {
			return errors.New("the summary is too long")
		}
		return within.Err()
	})
	if err != nil && within.Err() != nil && bounded.Err() == nil {
		err = errGaveWay
	}
	return text.String(), err
}

func (l *loop) keepSummary(e keepSummary) {
	if err := e.chats.SetSummary(l.life, e.chat, e.summary); err != nil {
		l.c.logger.WarnContext(l.life, "a summary was not stored", "error", err)
	}
}

// write calls the archive.
func (l *loop) write(e write) {
	w := wrote{ledger: e.ledger}
	switch do := e.do; do.kind {
	case opAccept:
		w.exchange, w.err = e.archive.Accept(l.life, do.question)
	case opStart:
		w.number, w.err = e.archive.Start(l.life, do.exchange)
	case opJournal:
		w.err = e.archive.Journal(l.life, do.exchange, do.answer, do.tools)
	case opFinish:
		w.number, w.err = e.archive.Finish(l.life, do.exchange, do.outcome)
	case opWithdraw:
		w.err = e.archive.Withdraw(l.life, do.exchange)
	}
	if w.err != nil {
		l.c.logger.ErrorContext(l.life, "the conversation could not be written", "error", w.err)
	}
	l.post(message{event: w})
}
