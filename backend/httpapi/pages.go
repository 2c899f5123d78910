package httpapi

import (
	"bytes"
	_ "embed"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"time"

	"echo-companion/backend/echo"
)

//go:embed closed.html
var closedPage []byte

//go:embed unbuilt.html
var unbuiltPage []byte

// The policies of pages: the dashboard runs its own scripts alone and talks to its own server alone; the two pages that are
// part of the program have a style and nothing else.
const (
	dashboardPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self' data:; " +
		"media-src 'self' blob:; connect-src 'self'; worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
	plainPolicy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

// pages are the files of the built frontend.
type pages struct {
	files fs.FS
	index []byte // nil: the frontend is not built
}

func newPages(files fs.FS) pages {
	if files == nil {
		return pages{}
	}
	index, err := fs.ReadFile(files, "index.html")
	if err != nil {
		return pages{}
	}
	return pages{files: files, index: index}
}

// page serves a file of the frontend, or its one page for every path that names none: the page reads the path.
func (s *Server) page(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		s.fail(w, r, echo.Errorf(echo.CodeMethod, "%s cannot be used on a page.", r.Method))
		return
	}
	name := strings.TrimPrefix(path.Clean(r.URL.Path), "/")
	switch {
	case s.pages.index == nil:
		writePage(w, r, http.StatusServiceUnavailable, unbuiltPage, plainPolicy)
	case isFile(name) && name != "index.html":
		s.file(w, r, name)
	default:
		w.Header().Set("Permissions-Policy", "microphone=(self), camera=(), geolocation=()")
		writePage(w, r, http.StatusOK, s.pages.index, dashboardPolicy)
	}
}

// isFile tells a file's path from a page's.
func isFile(name string) bool { return strings.Contains(name[strings.LastIndex(name, "/")+1:], ".") }

func (s *Server) file(w http.ResponseWriter, r *http.Request, name string) {
	info, err := fs.Stat(s.pages.files, name)
	if err != nil || info.IsDir() || strings.HasPrefix(path.Base(name), ".") {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Cache-Control", "no-cache")
	if strings.HasPrefix(name, "assets/") { // these have a hash in their names
		w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	w.Header().Set("Content-Security-Policy", dashboardPolicy)
	http.ServeFileFS(w, r, s.pages.files, name) //nolint:gosec // an fs.FS refuses names that leave it
}

// closedDoor answers a page's request that carries no token, with the way in.
func (s *Server) closedDoor(w http.ResponseWriter, r *http.Request) {
	if isFile(r.URL.Path) {
		s.fail(w, r, echo.Errorf(echo.CodeUnauthorized, "This file needs Echo's token. Open the dashboard from Echo's tray, or with “echo-companion open”."))
		return
	}
	writePage(w, r, http.StatusUnauthorized, closedPage, plainPolicy)
}

func writePage(w http.ResponseWriter, r *http.Request, status int, page []byte, policy string) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", policy)
	w.Header().Set("Cache-Control", "no-store")
	if status == http.StatusOK {
		http.ServeContent(w, r, "index.html", time.Time{}, bytes.NewReader(page))
		return
	}
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(page) // a client that is gone cannot be told
	}
}
