package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"syscall"
)

// listen opens the API's address. The default port gives way to a free one where it is taken; one that the user named does not.
func listen(ctx context.Context, o Options) (net.Listener, error) {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, network(o.Addr), o.Addr)
	if errors.Is(err, syscall.EADDRINUSE) && !o.AddrChosen {
		listener, err = config.Listen(ctx, "tcp", "127.0.0.1:0")
	}
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w: choose another with --addr, such as --addr 127.0.0.1:0", o.Addr, err)
	}
	return listener, nil
}

// network is the one that an address belongs to: 0.0.0.0 on "tcp" would be shown as [::].
func network(addr string) string {
	host, _, err := net.SplitHostPort(addr)
	if ip := net.ParseIP(host); err == nil && ip != nil && ip.To4() != nil {
		return "tcp4"
	}
	return "tcp"
}

// warnUnlessLoopback says on standard error that other machines can reach the API.
func warnUnlessLoopback(w io.Writer, addr net.Addr) {
	tcp, ok := addr.(*net.TCPAddr)
	if ok && tcp.IP.IsLoopback() {
		return
	}
	_, _ = fmt.Fprintf(w, "warning: Echo listens on %s, which other machines can reach; whoever has the token can use it, and nothing on the way is encrypted\n", addr)
}
