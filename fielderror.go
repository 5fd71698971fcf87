// SPDX-License-Identifier: Apache-2.0

package kplan

import (
	"errors"
	"fmt"
)

// ErrInvalid is wrapped by every error about bad input, in all packages of this module.
var ErrInvalid = errors.New("invalid input")

// A FieldError reports an invalid field. It is the same type in all packages of this module.
type FieldError struct {
	Path   string // the field, such as ReplicaSets["web-1"].Replicas, or "" if the value stands alone
	Value  any    // the value of the field
	Detail string // the rule for valid values
	Err    error  // the cause, or nil; for a selector the class, such as ErrRequired
}

// Error returns "path: value: detail", or "value: detail" without a path. Values of more than
// 200 characters, paths of more than 300 and details of more than 500 are shortened to their
// beginning and end.
func (e *FieldError) Error() string {
	path, detail := short(e.Path, mostPath), short(e.Detail, mostDetail)
	if path != "" {
		path += ": "
	}
	if s, ok := e.Value.(string); ok {
		return fmt.Sprintf("%s%q: %s", path, short(s, mostValue), detail)
	}
	return path + short(fmt.Sprint(e.Value), mostValue) + ": " + detail
}

const mostPath, mostValue, mostDetail = 300, 200, 500

// short shortens a text to so many characters: its beginning, an ellipsis and its end.
func short(text string, most int) string {
	if len(text) <= most {
		return text
	}
	n, begin := 0, most*3/4 // characters of the text, and of its beginning
	for range text {
		n++
	}
	if n <= most {
		return text
	}
	at, head, tail := 0, 0, 0
	for i := range text {
		switch at {
		case begin:
			head = i
		case n - (most - begin - 1):
			tail = i
		}
		at++
	}
	return text[:head] + "…" + text[tail:]
}

// Unwrap makes errors.Is find [ErrInvalid] and the cause.
func (e *FieldError) Unwrap() []error {
	if e.Err == nil {
		return []error{ErrInvalid}
	}
	return []error{ErrInvalid, e.Err}
}
