// SPDX-License-Identifier: Apache-2.0

package selector

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/zero"
)

// The classes of a [kplan.FieldError]. An error without a class means an invalid value.
var (
	ErrRequired    = errors.New("required value")
	ErrForbidden   = errors.New("forbidden")
	ErrUnsupported = errors.New("unsupported value")
)

// An Error rejects a selector. It wraps [kplan.ErrInvalid] and each of its Fields.
type Error struct {
	// Text is the message of Kubernetes 1.36.3, byte for byte where Kubernetes is
	// deterministic. It may contain less than Fields: a conversion names only the first bad
	// requirement.
	Text string
	// Fields are all errors, in the order of the input. It is empty for a syntax error.
	Fields []*kplan.FieldError
	// Offset is the byte of a parsed text at which the parser stopped.
	Offset int
}

// Error returns Text.
func (e *Error) Error() string { return e.Text }

// Unwrap makes errors.Is find [kplan.ErrInvalid] and errors.As a [kplan.FieldError].
func (e *Error) Unwrap() []error {
	errs := []error{kplan.ErrInvalid}
	for _, f := range e.Fields {
		errs = append(errs, f)
	}
	return errs
}

// fieldsError returns an error with the aggregated text of the fields, or nil if there are no
// fields.
func fieldsError(fields []*kplan.FieldError) error {
	if len(fields) == 0 {
		return nil
	}
	return &Error{Text: fieldsText(fields), Fields: fields}
}

func fieldsText(fields []*kplan.FieldError) string {
	texts := make([]string, len(fields))
	for i, f := range fields {
		texts[i] = FieldText(f)
	}
	return aggregateText(texts)
}

// aggregateText joins messages as the aggregate errors of Kubernetes do: without
// repetitions, and in brackets if there are several.
func aggregateText(texts []string) string {
	var once []string
	for _, t := range texts {
		if !slices.Contains(once, t) {
			once = append(once, t)
		}
	}
	if len(once) == 1 {
		return once[0]
	}
	return "[" + strings.Join(once, ", ") + "]"
}

// FieldText returns the line that Kubernetes prints for a field error:
//
//	key: Invalid value: "a b": name part must consist of …
//
// It mirrors field.Error.Error of apimachinery.
func FieldText(e *kplan.FieldError) string {
	e = zero.Or(e)
	text := e.Path + ": "
	switch {
	case errors.Is(e.Err, ErrRequired):
		text += "Required value"
	case errors.Is(e.Err, ErrForbidden):
		text += "Forbidden"
	case errors.Is(e.Err, ErrUnsupported):
		text += "Unsupported value: " + valueText(e.Value)
	default:
		text += "Invalid value: " + valueText(e.Value)
	}
	if e.Detail != "" {
		text += ": " + e.Detail
	}
	return text
}

// valueText quotes a string, and encodes anything else as JSON, including named string types.
func valueText(v any) string {
	if s, ok := v.(string); ok {
		return fmt.Sprintf("%q", s)
	}
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(data)
}

func invalid(path string, value any, detail string) *kplan.FieldError {
	return &kplan.FieldError{Path: path, Value: value, Detail: detail}
}
