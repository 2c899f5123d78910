package httpapi_test

import (
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"echo-companion/backend/httpapi"
)

func TestEveryCallIsGuarded(t *testing.T) {
	s := start(t)
	calls := append(s.server.Calls(), "GET /api", "GET /api/", "GET /api/no-such-thing", "DELETE /api/settings", "OPTIONS /api/status", "GET /api/status?token="+token)
	require.Greater(t, len(calls), 30)
	evil := header("Host", "evil.example")
	foreign := header("Origin", "http://evil.example")
	for _, call := range calls {
		method, path, _ := strings.Cut(call, " ")
		s.call(method, path, nil, evil, foreign, bare).refused(421, "misdirected")
		s.call(method, path, nil, foreign, bare).refused(403, "forbidden")
		s.call(method, path, nil, foreign).refused(403, "forbidden")
		for name, stranger := range map[string]change{
			"nothing":       bare,
			"wrong token":   header("Authorization", "Bearer wrong"),
			"empty token":   header("Authorization", "Bearer "),
			"another way":   header("Authorization", "Basic "+token),
			"part of token": header("Authorization", "Bearer "+token[:len(token)-1]),
			"wrong cookie": func(r *http.Request) {
				r.Header.Del("Authorization")
				r.Header.Set("Cookie", "echo_80=wrong; token=wrong")
			},
		} {
			answer := s.call(method, path, nil, stranger)
			require.Equal(t, "unauthorized", answer.refused(401, "unauthorized").Code, name)
		}
		for name := range s.call(method, path, nil, foreign, header("Access-Control-Request-Method", "GET")).header {
			require.False(t, strings.HasPrefix(name, "Access-Control-"), "%s has %s", call, name)
		}
	}
}

func TestHostsThatAreServed(t *testing.T) {
	s := start(t)
	port := s.base[strings.LastIndex(s.base, ":"):]
	for _, host := range []string{"127.0.0.1", "localhost", "LocalHost", "localhost.", "[::1]", "127.0.0.2", "[::ffff:127.0.0.1]"} {
		s.call("GET", "/api/status", nil, header("Host", host+port)).must(200)
	}
	for _, path := range []string{"/", "/healthz", "/?token=" + token, "/no-such-page", "/favicon.svg", "/api/status"} {
		for _, host := range []string{"evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "192.168.1.10", "0.0.0.0", "[::]", "xn--localhost"} {
			answer := s.call("GET", path, nil, header("Host", host+port))
			answer.refused(421, "misdirected")
			require.Empty(t, answer.header["Set-Cookie"])
		}
	}
}

func TestConfiguredHostIsServed(t *testing.T) {
	for addr, hosts := range map[string]map[string]int{
		"Echo.Local:80":     {"echo.local": 200, "echo.local.:8080": 200, "other.local": 421, "192.168.1.10": 421},
		"192.168.1.10:3246": {"192.168.1.10:3246": 200, "192.168.1.11:3246": 421, "localhost": 200},
		"0.0.0.0:3246":      {"192.168.1.10:3246": 200, "evil.example": 421},
		":3246":             {"[fe80::1]:3246": 200, "evil.example": 421},
	} {
		s := start(t, func(c *httpapi.Config, _ *httpapi.Ports) { c.Addr = addr })
		for host, status := range hosts {
			require.Equal(t, status, s.call("GET", "/api/status", nil, header("Host", host)).status, "%s named as %s", addr, host)
		}
	}
}

func TestOriginMustBeTheServersOwn(t *testing.T) {
	s := start(t)
	for _, origin := range []string{"http://evil.example", "null", "", "http://127.0.0.1:1", "http://127.0.0.1.evil.example", strings.Replace(s.base, "127.0.0.1", "localhost", 1)} {
		s.call("PATCH", "/api/settings", `{"theme":"dark"}`, header("Origin", origin)).refused(403, "forbidden")
	}
	require.NotContains(t, s.call("GET", "/api/settings", nil).body, "dark")
	s.call("GET", "/api/status", nil, header("Origin", s.base)).must(200)
	for site, status := range map[string]int{"same-origin": 200, "none": 200, "same-site": 403, "cross-site": 403} {
		s.call("GET", "/api/status", nil, header("Sec-Fetch-Site", site)).must(status)
	}
	s.call("GET", "/", nil, header("Sec-Fetch-Site", "cross-site")).must(200) // a link from another page may lead here
}

func TestAStopDoesNotWaitForConnectionsThatNobodyUses(t *testing.T) {
	s := start(t)
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", strings.TrimPrefix(s.base, "http://"))
	require.NoError(t, err)
	defer func() { _ = conn.Close() }()
	s.call("GET", "/healthz", nil).must(200) // by now the other one has been accepted
	began := time.Now()
	s.stop()
	require.Less(t, time.Since(began), 1500*time.Millisecond)
}

func TestCookieOpensTheDashboard(t *testing.T) {
	s := start(t)
	answer := s.call("GET", "/?token="+token+"&view=chat", nil, bare).must(303)
	require.Equal(t, "/?view=chat", answer.header.Get("Location"))
	cookies := (&http.Response{Header: answer.header}).Cookies()
	require.Len(t, cookies, 1)
	require.True(t, cookies[0].HttpOnly)
	require.Equal(t, http.SameSiteStrictMode, cookies[0].SameSite)
	withCookie := func(r *http.Request) { r.Header.Del("Authorization"); r.AddCookie(cookies[0]) }
	s.call("GET", "/api/status", nil, withCookie).must(200)
	s.call("GET", "/", nil, withCookie).must(200)
	for _, path := range []string{"/?token=wrong", "/?token=", "/", "/chat/some-chat"} {
		closed := s.call("GET", path, nil, bare).must(401)
		require.Empty(t, closed.header["Set-Cookie"], path)
		require.Contains(t, closed.body, "echo-companion open")
		require.NotContains(t, closed.header.Get("Content-Security-Policy"), "script-src")
	}
	s.call("GET", "/assets/app-1a2b.js", nil, bare).refused(401, "unauthorized")
}

func TestHealthNeedsNoToken(t *testing.T) {
	s := start(t)
	require.JSONEq(t, `{"status":"ok","version":"test"}`, s.call("GET", "/healthz", nil, bare).must(200).body)
	s.call("POST", "/healthz", nil, bare).refused(405, "method_not_allowed")
}

func TestWebSocketIsRefusedBeforeTheUpgrade(t *testing.T) {
	s := start(t)
	dial := func(ticket string, changes ...change) int {
		request := &http.Request{Header: http.Header{"Authorization": {"Bearer " + token}}}
		for _, apply := range changes {
			apply(request)
		}
		conn, response, err := websocket.Dial(t.Context(), //nolint:bodyclose // a handshake has none
			"ws"+strings.TrimPrefix(s.base, "http")+"/api/voice/stream?ticket="+ticket,
			&websocket.DialOptions{HTTPHeader: request.Header, Host: request.Host})
		if err == nil {
			_ = conn.CloseNow()
		}
		require.NotNil(t, response)
		return response.StatusCode
	}
	ticket := s.ticket()
	require.Equal(t, 403, dial(""))
	require.Equal(t, 403, dial("made-up"))
	require.Equal(t, 403, dial(ticket, header("Origin", "http://evil.example")))
	require.Equal(t, 421, dial(ticket, header("Host", "evil.example")))
	require.Equal(t, 401, dial(ticket, bare))
	s.call("GET", "/api/voice/stream?ticket="+ticket, nil).refused(403, "bad_ticket")
	require.Equal(t, 101, dial(ticket, header("Origin", s.base)), "none of these used the ticket up")
	require.Equal(t, 403, dial(ticket), "a ticket serves one handshake")
}
