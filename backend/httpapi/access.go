package httpapi

import (
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"net/netip"
	"strings"

	"echo-companion/backend/echo"
)

// access says who may speak to the server: Host, Origin and token are checked in this order, Host on every path.
type access struct {
	host  string // the one that the user configured, lower case, without a port; empty: none beside loopback
	any   bool   // the user had it listen on every address, so any address may be named (names may not: they can be made to point here)
	token [sha256.Size]byte
}

const cookieAge = 365 * 24 * 3600 // seconds; the token itself is kept as long

func newAccess(config Config) access {
	host := hostOf(config.Addr)
	address, err := netip.ParseAddr(host)
	return access{host: host, any: config.Addr != "" && (host == "" || err == nil && address.IsUnspecified()), token: sha256.Sum256([]byte(config.Token))}
}

// hostOf gives the host of an address, lower case, without port, brackets and the dot of a full name.
func hostOf(address string) string {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		host = strings.TrimSuffix(strings.TrimPrefix(address, "["), "]")
	}
	return strings.ToLower(strings.TrimSuffix(host, "."))
}

func (a access) allowsHost(header string) bool {
	host := hostOf(header)
	if host == "localhost" || host != "" && host == a.host {
		return true
	}
	address, err := netip.ParseAddr(host)
	return err == nil && (address.Unmap().IsLoopback() || a.any)
}

// allowsOrigin tells whether the request comes from the server's own page, or from no page at all. Host has been checked before.
// Browsers send no Origin with the plain GETs of a page, but say where it stands: to them another port here is the same site,
// which has the cookie.
func allowsOrigin(r *http.Request) bool {
	if site := r.Header.Get("Sec-Fetch-Site"); isCall(r) && (site == "cross-site" || site == "same-site") {
		return false
	}
	origins, given := r.Header["Origin"]
	if !given {
		return true
	}
	return len(origins) == 1 && strings.EqualFold(origins[0], "http://"+r.Host)
}

func (a access) allowsToken(token string) bool {
	given := sha256.Sum256([]byte(token))
	return token != "" && subtle.ConstantTimeCompare(given[:], a.token[:]) == 1
}

// admits tells whether the request carries the token.
func (a access) admits(r *http.Request) bool {
	if header := r.Header.Get("Authorization"); header != "" {
		scheme, token, _ := strings.Cut(header, " ")
		return strings.EqualFold(scheme, "Bearer") && a.allowsToken(token)
	}
	cookie, err := r.Cookie(cookieName(r))
	return err == nil && a.allowsToken(cookie.Value)
}

// cookieName has the port in it: browsers give cookies to every port of a host, and two servers must not take each other's.
func cookieName(r *http.Request) string {
	_, port, err := net.SplitHostPort(r.Host)
	if err != nil {
		port = "80"
	}
	return "echo_" + port
}

func isCall(r *http.Request) bool {
	return r.URL.Path == "/api" || strings.HasPrefix(r.URL.Path, "/api/")
}

func (a access) guard(s *Server, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case !a.allowsHost(r.Host):
			s.fail(w, r, echo.Errorf(echo.CodeMisdirected, "This server does not answer under that name. Open it as http://127.0.0.1 with its port."))
		case !allowsOrigin(r):
			s.fail(w, r, echo.Errorf(echo.CodeForbidden, "Pages of other sites may not use Echo. Open its own dashboard instead."))
		case r.URL.Path == "/healthz":
			next.ServeHTTP(w, r)
		case r.URL.Path == "/" && r.URL.Query().Has("token"):
			s.enter(w, r)
		case a.admits(r):
			next.ServeHTTP(w, r)
		case isCall(r):
			w.Header().Set("WWW-Authenticate", "Bearer")
			s.fail(w, r, echo.Errorf(echo.CodeUnauthorized, "This call needs Echo's token. Open the dashboard from Echo's tray, or with “echo-companion open”."))
		default:
			s.closedDoor(w, r)
		}
	})
}

// enter takes the token from the address, gives the cookie in its place, and leads back to the address without it.
func (s *Server) enter(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	if !s.access.allowsToken(query.Get("token")) {
		s.closedDoor(w, r)
		return
	}
	http.SetCookie(w, &http.Cookie{ //nolint:gosec // loopback has no TLS, so Secure would keep the cookie from being sent
		Name: cookieName(r), Value: query.Get("token"), Path: "/", MaxAge: cookieAge, HttpOnly: true, SameSite: http.SameSiteStrictMode,
	})
	query.Del("token")
	target := "/"
	if rest := query.Encode(); rest != "" {
		target += "?" + rest
	}
	w.Header().Set("Cache-Control", "no-store")
	http.Redirect(w, r, target, http.StatusSeeOther) //nolint:gosec // target begins with "/?" and leads nowhere but here
}
