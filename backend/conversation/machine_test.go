package conversation

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"echo-companion/backend/echo"
	"echo-companion/backend/reply"
)

// bench is a machine without its loop: what a worker would report is given to it by hand.
type bench struct {
	core *core
	now  time.Time
}

// newBench has a window attached to a conversation that saves, or not.
func newBench(saves bool) *bench {
	b := &bench{now: time.Unix(0, 0).UTC()}
	b.core = &core{
		keep: 30 * time.Minute, ticketLife: 30 * time.Second, tickets: map[string]ticket{},
		looks: func(id string) (echo.Look, bool) { return echo.Look{ID: id}, true },
	}
	b.step(reserved{
		ticket: "t", settings: Settings{Workspace: "default", Look: "aurora", Save: saves}, found: material{workspace: Workspace{Name: "default"}},
	})
	b.step(attached{ticket: "t"})
	return b
}

// step gives the machine an event, and lists what it wants done.
func (b *bench) step(e event) []string {
	var list []string
	for _, e := range b.core.step(b.now, e) {
		list = append(list, describe(e))
	}
	return list
}

func (b *bench) say(c Command) []string { return b.step(commanded{b.core.window, c}) }

// run is the key of the reply at work.
func (b *bench) run() int { return b.core.conv.run.id }

func describe(e effect) string {
	switch e := e.(type) {
	case tell:
		name := strings.TrimPrefix(fmt.Sprintf("%T", e.notice), "conversation.")
		if id := turnOf(e.notice); id != 0 {
			return fmt.Sprintf("%s %d", name, id)
		}
		return name
	case write:
		return [...]string{"accept", "start", "journal", "finish", "withdraw"}[e.do.kind]
	}
	return strings.TrimPrefix(fmt.Sprintf("%T", e), "conversation.")
}

func TestMachine(t *testing.T) {
	type row struct {
		name  string
		event func(b *bench) event
		want  []string
	}
	said := func(c Command) func(*bench) event {
		return func(b *bench) event { return commanded{b.core.window, c} }
	}
	books := func(w wrote) func(*bench) event {
		return func(b *bench) event { w.ledger = b.core.conv.books.key; return w }
	}
	late := 0
	chat := echo.Exchange{ID: 7, Chat: echo.Chat{ID: "chat"}}
	cases := map[string]struct {
		saves bool
		rows  []row
	}{
		"R10: a question is stored, started, written, stored, answered": {true, []row{
			{"asked", said(Ask{ID: 1, Text: "What?"}), []string{"accept"}},
			{"accepted", books(wrote{exchange: chat}), []string{"start"}},
			{"started", books(wrote{number: 1}), []string{"Start 1", "startRun"}},
			{"text", func(b *bench) event { return stepped{b.run(), reply.Step{Text: "Yes."}} }, []string{"Delta 1"}},
			{"ended", func(b *bench) event { return ran{run: b.run()} }, []string{"finish", "synthesise"}},
			{"stored", books(wrote{number: 2}), []string{"Answered 1"}},
			{"spoken", func(b *bench) event { return spoken{job: b.core.conv.jobs[0].parts[0].job} }, []string{"Sentence 1", "Done 1"}},
		}},
		"R2: without a window nothing is spoken": {false, []row{
			{"asked", said(Ask{ID: 1, Text: "What?"}), []string{"Start 1", "startRun"}},
			{"left", func(b *bench) event { return left{b.core.window} }, []string{"closeWindow"}},
			{"text", func(b *bench) event { return stepped{b.run(), reply.Step{Text: "Yes. No."}} }, nil},
			{"ended", func(b *bench) event { return ran{run: b.run()} }, []string{"hold"}},
		}},
		"Q2: the fifth that waits is refused": {false, []row{
			{"first", said(Ask{ID: 1, Text: "1?"}), []string{"Start 1", "startRun"}},
			{"second", said(Ask{ID: 2, Text: "2?"}), []string{"Queued 2"}},
			{"third", said(Ask{ID: 3, Text: "3?"}), []string{"Queued 3"}},
			{"fourth", said(Ask{ID: 4, Text: "4?"}), []string{"Queued 4"}},
			{"fifth", said(Ask{ID: 5, Text: "5?"}), []string{"Queued 5"}},
			{"sixth", said(Ask{ID: 6, Text: "6?"}), []string{"Refused 6"}},
			{"old id", said(Ask{ID: 6, Text: "6?"}), []string{"Refused 6"}},
		}},
		"Q6: a spoken stop has heard, the cancelled, then stopped": {false, []row{
			{"first", said(Ask{ID: 1, Text: "1?"}), []string{"Start 1", "startRun"}},
			{"second", said(Ask{ID: 2, Text: "2?"}), []string{"Queued 2"}},
			{"speech", said(Speech{ID: 3}), nil},
			{"audio", said(Audio{PCM: []int16{1}}), nil},
			{"end", said(SpeechEnd{ID: 3, Voiced: 12}), []string{"recognise"}},
			{
				"heard", func(b *bench) event { return recognised{job: b.core.conv.hearing, text: "Stop."} },
				[]string{"Heard 3", "stopRun", "Cancelled 1", "Cancelled 2", "Stopped"},
			},
		}},
		"S1: late text and audio of a stopped reply find nobody": {false, []row{
			{"asked", said(Ask{ID: 1, Text: "1?"}), []string{"Start 1", "startRun"}},
			{"text", func(b *bench) event { return stepped{b.run(), reply.Step{Text: "One. Two."}} }, []string{"Delta 1", "synthesise"}},
			{"stopped", said(Cancel{}), []string{"stopRun", "stopSynthesis", "Cancelled 1", "Stopped"}},
			{"late text", func(b *bench) event { return stepped{b.core.keys - 2, reply.Step{Text: "late"}} }, nil},
			{"late audio", func(b *bench) event { return spoke{b.core.keys, []int16{1}} }, nil},
			{"late end", func(b *bench) event { return ran{run: b.core.keys - 2} }, nil},
		}},
		"S1: late text of a stopped reply is no text of the next": {false, []row{
			{"asked", said(Ask{ID: 1, Text: "1?"}), []string{"Start 1", "startRun"}},
			{"next", said(Ask{ID: 2, Text: "2?"}), []string{"Queued 2"}},
			{"stopped", func(b *bench) event { late = b.run(); return commanded{b.core.window, Cancel{ID: 1}} }, []string{"stopRun", "Cancelled 1", "Start 2", "startRun"}},
			{"late text", func(*bench) event { return stepped{late, reply.Step{Text: "late"}} }, nil},
			{"late question", func(*bench) event { return putQuestion{run: late, call: 1, question: "Late?"} }, nil},
			{"late end", func(*bench) event { return ran{run: late} }, nil},
			{"its own text", func(b *bench) event { return stepped{b.run(), reply.Step{Text: "Two"}} }, []string{"Delta 2"}},
		}},
		"R3: forgotten when its time has come": {false, []row{
			{"left", func(b *bench) event { return left{b.core.window} }, []string{"closeWindow", "hold"}},
			{"early", func(b *bench) event { b.now = b.now.Add(29 * time.Minute); return ticked{} }, nil},
			{"forgotten", func(b *bench) event { b.now = b.now.Add(time.Minute); return ticked{} }, nil},
			{"nobody is told", func(b *bench) event { require.Nil(t, b.core.conv); return ticked{} }, nil},
		}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			b := newBench(c.saves)
			for _, row := range c.rows {
				require.Equal(t, row.want, b.step(row.event(b)), row.name)
			}
		})
	}
}

// BenchmarkStep is the machine's cost of a delta.
func BenchmarkStep(b *testing.B) {
	machine := newBench(false)
	machine.say(Ask{ID: 1, Text: "What?"})
	run := machine.run()
	for b.Loop() {
		machine.core.step(machine.now, stepped{run, reply.Step{Text: " word"}})
	}
}
