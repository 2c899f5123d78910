// Package httpapi is Echo's HTTP API: who may speak to it, JSON, server-sent events, the voice WebSocket, and the pages of the
// dashboard. It translates, and decides nothing that the packages behind it could decide. docs/api/openapi.yaml describes it.
package httpapi

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"runtime/debug"
	"time"

	"echo-companion/backend/echo"
)

const (
	defaultKeepAlive = 15 * time.Second
	defaultPing      = 20 * time.Second
	defaultPatience  = 10 * time.Second
	stopPatience     = 2 * time.Second // for requests that run when the server stops
	socketPatience   = time.Second     // for windows to take how the conversation ended
	headerPatience   = 10 * time.Second
	idlePatience     = 2 * time.Minute
	bodyPatience     = 30 * time.Second
)

// Server is the HTTP API.
type Server struct {
	config  Config
	ports   Ports
	access  access
	pages   pages
	calls   registry // all but windows: a stop waits for them
	streams registry // event streams: they end as soon as the server stops
	sockets registry // windows: they end after the conversation has
}

// New wires a server. It starts nothing.
func New(config Config, ports Ports) *Server {
	if config.Logger == nil {
		config.Logger = slog.New(slog.DiscardHandler)
	}
	config.KeepAlive = orDefault(config.KeepAlive, defaultKeepAlive)
	config.Ping = orDefault(config.Ping, defaultPing)
	config.Patience = orDefault(config.Patience, defaultPatience)
	return &Server{config: config, ports: ports, access: newAccess(config), pages: newPages(ports.UI)}
}

func orDefault(value, standard time.Duration) time.Duration {
	if value <= 0 {
		return standard
	}
	return value
}

// Handler gives the whole API, with the pages, behind the access checks.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	for path, methods := range s.routes() {
		mux.Handle(path, s.dispatch(methods))
	}
	mux.HandleFunc("/api/", s.unknownCall)
	mux.HandleFunc("/api", s.unknownCall)
	mux.HandleFunc("/healthz", s.health)
	mux.HandleFunc("/", s.page)
	return s.counted(s.recovered(headers(s.access.guard(s, limited(mux)))))
}

// Run serves on the listener until ctx ends. Then it refuses new work, ends the event streams, and gives requests 2 s to end.
// Windows stay: they are to hear how the conversation ends. RunSockets ends them.
func (s *Server) Run(ctx context.Context, listener net.Listener) error {
	server := &http.Server{
		Handler:           s.Handler(),
		ReadHeaderTimeout: headerPatience,
		IdleTimeout:       idlePatience,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(s.config.Logger.Handler(), slog.LevelDebug),
	}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	select {
	case err := <-failed:
		s.streams.stop()
		return err
	case <-ctx.Done():
	}
	s.streams.stop()
	limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopPatience)
	defer cancel()
	// Shutdown alone would wait seconds for connections that browsers open ahead and never use.
	go func() { defer cancel(); s.calls.wait(limit) }()
	err := server.Shutdown(limit)
	if err != nil {
		err = server.Close()
	}
	<-limit.Done()
	if served := <-failed; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return err
}

// RunSockets ends the windows' connections once ctx has ended: each has 1 s to take what the conversation still says, and is
// cut off then. It is a part of its own so that it can stop after the conversation, while Run stops before.
func (s *Server) RunSockets(ctx context.Context) error {
	<-ctx.Done()
	limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), socketPatience)
	defer cancel()
	s.sockets.wait(limit)
	s.sockets.stop()
	return nil
}

// counted notes every call, so that a stop can wait for those that run. Windows are in a registry of their own.
func (s *Server) counted(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == streamPath {
			next.ServeHTTP(w, r)
			return
		}
		done, ok := s.calls.add(func() {})
		if !ok {
			w.Header().Set("Connection", "close")
			s.fail(w, r, echo.Stopping())
			return
		}
		defer done()
		next.ServeHTTP(w, r)
	})
}

// recovered keeps a fault in one handler from ending the program.
func (s *Server) recovered(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			fault := recover()
			if fault == nil {
				return
			}
			if err, is := fault.(error); is && errors.Is(err, http.ErrAbortHandler) {
				panic(fault)
			}
			s.config.Logger.ErrorContext(r.Context(), "request panicked", "method", r.Method, "path", r.URL.Path, "fault", fault, "stack", string(debug.Stack()))
			s.fail(w, r, errors.New("panic"))
		}()
		next.ServeHTTP(w, r)
	})
}

// headers are those of every answer.
func headers(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Referrer-Policy", "no-referrer")
		w.Header().Set("X-Frame-Options", "DENY")
		w.Header().Set("Cross-Origin-Resource-Policy", "same-origin")
		next.ServeHTTP(w, r)
	})
}
