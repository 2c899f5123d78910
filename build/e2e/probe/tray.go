package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/godbus/dbus/v5"
	"github.com/godbus/dbus/v5/prop"
)

const (
	watcherName = "org.kde.StatusNotifierWatcher"
	watcherPath = dbus.ObjectPath("/StatusNotifierWatcher")
	itemsName   = "RegisteredStatusNotifierItems"
	menuName    = "com.canonical.dbusmenu"
)

// watcher is the tray's host.
type watcher struct {
	conn *dbus.Conn
	out  io.Writer

	mu         sync.Mutex // guards the below
	items      []string
	properties *prop.Properties
}

// RegisterStatusNotifierItem is called over the bus.
func (w *watcher) RegisterStatusNotifierItem(sender dbus.Sender, service string) *dbus.Error {
	item := service
	if strings.HasPrefix(service, "/") {
		item = string(sender) + service
	} else if !strings.Contains(service, "/") {
		item = service + "/StatusNotifierItem"
	}
	w.mu.Lock()
	w.items = append(w.items, item)
	w.properties.SetMust(watcherName, itemsName, w.items)
	w.mu.Unlock()
	if err := w.conn.Emit(watcherPath, watcherName+".StatusNotifierItemRegistered", item); err != nil {
		return dbus.MakeFailedError(err)
	}
	_, _ = fmt.Fprintln(w.out, "registered", item)
	return nil
}

// RegisterStatusNotifierHost is called over the bus.
func (w *watcher) RegisterStatusNotifierHost(string) *dbus.Error { return nil }

func watch(ctx context.Context, out io.Writer) error {
	conn, err := dbus.ConnectSessionBus(dbus.WithContext(ctx))
	if err != nil {
		return fmt.Errorf("join the session bus: %w", err)
	}
	defer func() { _ = conn.Close() }()
	w := &watcher{conn: conn, out: out}
	w.properties, err = prop.Export(conn, watcherPath, prop.Map{watcherName: {
		itemsName:                        {Value: []string{}, Emit: prop.EmitTrue},
		"IsStatusNotifierHostRegistered": {Value: true, Emit: prop.EmitTrue},
		"ProtocolVersion":                {Value: int32(0), Emit: prop.EmitTrue},
	}})
	if err != nil {
		return err
	}
	if err := conn.Export(w, watcherPath, watcherName); err != nil {
		return err
	}
	reply, err := conn.RequestName(watcherName, dbus.NameFlagDoNotQueue)
	if err != nil {
		return err
	}
	if reply != dbus.RequestNameReplyPrimaryOwner {
		return errors.New("there is another tray host")
	}
	_, _ = fmt.Fprintln(out, "ready")
	<-ctx.Done()
	return nil
}

// entry is one line of the tray's menu.
type entry struct {
	ID         int32
	Properties map[string]dbus.Variant
	Children   []dbus.Variant
}

func (e entry) label() string {
	label, _ := e.Properties["label"].Value().(string)
	return label
}

// entries reads the menu of the icon that was registered last.
func entries(ctx context.Context, conn *dbus.Conn) (dbus.BusObject, []entry, error) {
	v, err := conn.Object(watcherName, watcherPath).GetProperty(watcherName + "." + itemsName)
	if err != nil {
		return nil, nil, err
	}
	items, _ := v.Value().([]string)
	if len(items) == 0 {
		return nil, nil, errors.New("there is no icon in the tray")
	}
	owner, path, _ := strings.Cut(items[len(items)-1], "/")
	where, err := conn.Object(owner, dbus.ObjectPath("/"+path)).GetProperty("org.kde.StatusNotifierItem.Menu")
	if err != nil {
		return nil, nil, err
	}
	menuPath, _ := where.Value().(dbus.ObjectPath)
	object := conn.Object(owner, menuPath)
	object.CallWithContext(ctx, menuName+".AboutToShow", 0, int32(0))
	var revision uint32
	var root entry
	if err := object.CallWithContext(ctx, menuName+".GetLayout", 0, int32(0), int32(-1), []string{}).Store(&revision, &root); err != nil {
		return nil, nil, err
	}
	var out []entry
	for _, child := range root.Children {
		var e entry
		if err := dbus.Store([]any{child.Value()}, &e); err != nil {
			return nil, nil, err
		}
		out = append(out, e)
	}
	return object, out, nil
}

func menu(ctx context.Context, out io.Writer) error {
	conn, err := dbus.ConnectSessionBus(dbus.WithContext(ctx))
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	_, list, err := entries(ctx, conn)
	for _, e := range list {
		line := e.label()
		if enabled, is := e.Properties["enabled"].Value().(bool); is && !enabled {
			line += " (off)"
		}
		if ticked, is := e.Properties["toggle-state"].Value().(int32); is && ticked == 1 {
			line += " (ticked)"
		}
		if line != "" {
			_, _ = fmt.Fprintln(out, line)
		}
	}
	return err
}

func click(ctx context.Context, label string) error {
	conn, err := dbus.ConnectSessionBus(dbus.WithContext(ctx))
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	object, list, err := entries(ctx, conn)
	if err != nil {
		return err
	}
	for _, e := range list {
		if e.label() == label {
			return object.CallWithContext(ctx, menuName+".Event", 0, e.ID, "clicked", dbus.MakeVariant(int32(0)), uint32(0)).Err
		}
	}
	return fmt.Errorf("the tray's menu has no %q", label)
}
