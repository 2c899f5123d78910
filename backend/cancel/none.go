//go:build !((production || dev) && cgo && linux)

package cancel

// newFilter gives none: this build hears nothing.
func newFilter() filter { return nil }
