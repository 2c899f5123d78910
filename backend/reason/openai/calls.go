package openai

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"echo-companion/backend/reason"
)

// wireFragment is a piece of a tool call. Servers disagree: some send a call in pieces by index, some whole, some without an
// index or id, some every call with the index 0, some the arguments as an object.
type wireFragment struct {
	Index    *int   `json:"index"`
	ID       string `json:"id"`
	Function struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"function"`
}

// assembly puts tool calls together.
type assembly struct {
	calls []*pieces
}

// pieces is one call as far as it has come.
type pieces struct {
	index     *int
	id        string
	name      string
	text      joiner
	arguments strings.Builder
}

// add takes one fragment.
func (a *assembly) add(fragment wireFragment) error {
	call := a.find(fragment)
	if call == nil {
		call = &pieces{index: fragment.Index}
		a.calls = append(a.calls, call)
	}
	if call.id == "" {
		call.id = fragment.ID
	}
	if call.name == "" {
		call.name = fragment.Function.Name
	}
	raw := bytes.TrimSpace(fragment.Function.Arguments)
	if len(raw) > 0 && raw[0] == '{' {
		call.arguments.Write(raw)
		return nil
	}
	text, err := call.text.add(raw)
	call.arguments.WriteString(text)
	return err
}

// find gives the call that a fragment goes on with, or nil if it begins one.
func (a *assembly) find(fragment wireFragment) *pieces {
	for _, call := range slices.Backward(a.calls) {
		switch {
		case fragment.Index != nil && (call.index == nil || *call.index != *fragment.Index):
			continue
		case fragment.Index == nil && fragment.ID != "" && call.id != fragment.ID:
			continue
		case call.over(fragment):
			return nil
		}
		return call
	}
	return nil
}

// over tells whether a fragment with the call's index begins another one all the same.
func (p *pieces) over(fragment wireFragment) bool {
	name := fragment.Function.Name
	switch {
	case name == "":
		return fragment.ID != "" && p.id != "" && fragment.ID != p.id
	case fragment.ID != "" && p.id != "":
		return fragment.ID != p.id
	case p.name == "":
		return false
	}
	return name != p.name || json.Valid([]byte(p.arguments.String()))
}

// whole gives the calls in the order in which they began.
func (a *assembly) whole() []reason.Call {
	calls := make([]reason.Call, 0, len(a.calls))
	for _, call := range a.calls {
		call.arguments.WriteString(call.text.rest())
		if call.name == "" && call.arguments.Len() == 0 {
			continue
		}
		calls = append(calls, reason.Call{ID: call.id, Name: call.name, Arguments: json.RawMessage(call.arguments.String())})
	}
	return calls
}
