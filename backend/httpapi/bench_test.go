package httpapi_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"echo-companion/backend/conversation"
	"echo-companion/backend/protocol"
	"echo-companion/backend/reason"
)

// BenchmarkFirstAudio is Echo's own share of the wait from speech_end to the first audio frame: its engines take no time. It stands
// beside the smallest round trip on the same socket, that of a message which is refused.
func BenchmarkFirstAudio(b *testing.B) {
	for _, saves := range []bool{true, false} {
		b.Run(fmt.Sprintf("saves=%v", saves), func(b *testing.B) {
			s := startWith(b, func(p *conversation.Ports) {
				p.Reasoner = answering(func(_ context.Context, _ reason.Request, emit func(reason.Chunk) error) error {
					return emit(reason.Chunk{Text: "It is done. "})
				})
			})
			s.call("PATCH", "/api/settings", fmt.Sprintf(`{"voice":{"save_conversations":%v}}`, saves)).must(200)
			w := s.attach()
			await[protocol.ReadyEvent](w)
			var whole, trips time.Duration
			id := 0
			for b.Loop() {
				id++
				began := time.Now()
				w.send(`{"type":"dance"}`)
				await[protocol.ErrorEvent](w)
				trips += time.Since(began)
				w.send(fmt.Sprintf(`{"type":"speech","id":%d}`, id))
				require.NoError(b, w.conn.Write(b.Context(), websocket.MessageBinary, make([]byte, 32000)))
				began = time.Now()
				w.send(fmt.Sprintf(`{"type":"speech_end","id":%d,"voiced":30}`, id))
				for heard := false; !heard; {
					_, pcm, err := w.read()
					require.NoError(b, err)
					heard = pcm != nil
				}
				whole += time.Since(began)
				await[protocol.DoneEvent](w)
			}
			b.ReportMetric(whole.Seconds()*1e3/float64(id), "ms/first-audio")
			b.ReportMetric(whole.Seconds()/trips.Seconds(), "first-audio/round-trip")
		})
	}
}

// flowing is a model that writes so many words at once, and then one every millisecond.
func flowing(at int) answering {
	return func(ctx context.Context, _ reason.Request, emit func(reason.Chunk) error) error {
		ticks := time.NewTicker(time.Millisecond)
		defer ticks.Stop()
		for i := 0; ; i++ {
			if i >= at {
				select {
				case <-ticks.C:
				case <-ctx.Done():
					return ctx.Err()
				}
			}
			if err := emit(reason.Chunk{Text: fmt.Sprintf("word%d ", i)}); err != nil {
				return err
			}
		}
	}
}

// BenchmarkAttach attaches a window to a reply that has written 2,000 deltas, from its handshake until it has read all of them. It
// stands beside a handshake after which a server writes the same bytes and nothing else.
func BenchmarkAttach(b *testing.B) {
	const backlog = 2000
	s := startWith(b, func(p *conversation.Ports) { p.Reasoner = flowing(backlog) })
	w := s.attach()
	w.send(`{"type":"ask","id":1,"text":"Much?"}`)
	for written := 0; written < backlog; {
		written += strings.Count(await[protocol.DeltaEvent](w).Text, " ")
	}
	var same []byte
	raw := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{CompressionMode: websocket.CompressionDisabled})
		if err == nil {
			_ = conn.Write(r.Context(), websocket.MessageText, same)
			_ = conn.CloseNow()
		}
	}))
	defer raw.Close()
	first := func(conn *websocket.Conn) []byte {
		conn.SetReadLimit(16 << 20)
		_, data, err := conn.Read(b.Context())
		require.NoError(b, err)
		return data
	}
	var attaching, writing time.Duration
	n := 0
	for b.Loop() {
		n++
		ticket := into[protocol.Grant](s.call("POST", "/api/voice/sessions", `{"take":true}`).must(200)).Ticket
		began := time.Now()
		w = s.dial(ticket, nil)
		same = first(w.conn)
		attaching += time.Since(began)
		began = time.Now()
		conn, _, err := websocket.Dial(b.Context(), "ws"+strings.TrimPrefix(raw.URL, "http"), nil) //nolint:bodyclose // a handshake has none
		require.NoError(b, err)
		require.Len(b, first(conn), len(same))
		writing += time.Since(began)
		_ = conn.CloseNow()
	}
	b.ReportMetric(float64(len(same))/1e3, "kB/backlog")
	b.ReportMetric(attaching.Seconds()*1e3/float64(n), "ms/attach")
	b.ReportMetric(attaching.Seconds()/writing.Seconds(), "attach/raw")
}

// BenchmarkSlowWindows has a hundred windows take over from one another while a reply goes on, every other one of which reads
// nothing. What the others wait for their first delta stands beside the same with a hundred that read.
func BenchmarkSlowWindows(b *testing.B) {
	s := startWith(b, func(p *conversation.Ports) { p.Reasoner = flowing(0) })
	w := s.attach()
	w.send(`{"type":"ask","id":1,"text":"Much?"}`)
	await[protocol.DeltaEvent](w)
	turns := func(slow bool) (waited time.Duration) {
		for n := range 100 {
			ticket := into[protocol.Grant](s.call("POST", "/api/voice/sessions", `{"take":true}`).must(200)).Ticket
			began := time.Now()
			w = s.dial(ticket, nil)
			if slow && n%2 == 0 {
				continue // the next one comes while its frames are written
			}
			await[protocol.DeltaEvent](w)
			if n%2 == 1 {
				waited += time.Since(began)
			}
		}
		return waited
	}
	var mixed, fast time.Duration
	n := 0
	for b.Loop() {
		n++
		mixed += turns(true)
		fast += turns(false)
	}
	b.ReportMetric(mixed.Seconds()*1e3/float64(50*n), "ms/first-delta")
	b.ReportMetric(mixed.Seconds()/fast.Seconds(), "after-slow/after-fast")
}
