// SPDX-License-Identifier: Apache-2.0

package rollout

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/kplan-go/kplan"
)

// IntOrPercent is a number of pods, or a percentage of a total. The zero IntOrPercent is
// unset; the comment of each field of this type says what unset means.
type IntOrPercent struct {
	value int32
	kind  kind
}

type kind uint8

const (
	unset kind = iota
	absolute
	percent
)

// Int returns an absolute number of pods.
func Int(n int32) IntOrPercent { return IntOrPercent{value: n, kind: absolute} }

// Percent returns a percentage of the total. It may exceed 100.
func Percent(p int32) IntOrPercent { return IntOrPercent{value: p, kind: percent} }

// FromIntOrString returns the value of an IntOrString of the Kubernetes API: number or, if
// isString is set, the percentage in text. Like Kubernetes, it refuses a text without "%",
// such as "5" or the empty text. The error is a [kplan.FieldError] with an empty path.
//
// The deprecated GetValueFromIntOrPercent of package intstr accepts "50" and reads it as 50 %.
// A controller that has called it until now appends the missing "%" to such a text.
//
//	v, err := rollout.FromIntOrString(x.Type == intstr.String, x.IntVal, x.StrVal)
func FromIntOrString(isString bool, number int32, text string) (IntOrPercent, error) {
	if !isString {
		return Int(number), nil
	}
	if !strings.HasSuffix(text, "%") {
		return IntOrPercent{}, &kplan.FieldError{Value: text, Detail: "must be a percentage such as 25%"}
	}
	return Parse(text)
}

// Parse reads a number such as "3" or a percentage such as "25%", as a user types it on a
// command line. A leading sign is allowed, as in Kubernetes; spaces and fractions are not. The
// empty string is unset. The error is a [kplan.FieldError] with an empty path.
//
// For text from an object of the Kubernetes API use [FromIntOrString]: there "50" is an error,
// but Parse returns 50 pods.
func Parse(s string) (IntOrPercent, error) {
	if s == "" {
		return IntOrPercent{}, nil
	}
	digits, isPercent := strings.CutSuffix(s, "%")
	n, err := strconv.ParseInt(digits, 10, 32)
	if err != nil {
		return IntOrPercent{}, &kplan.FieldError{Value: s, Detail: "must be a whole number or a percentage such as 25%", Err: err}
	}
	if isPercent {
		return Percent(int32(n)), nil
	}
	return Int(int32(n)), nil
}

// IsZero reports whether v is unset. Package json calls it for omitzero.
func (v IntOrPercent) IsZero() bool { return v.kind == unset }

// IsPercent reports whether v is a percentage.
func (v IntOrPercent) IsPercent() bool { return v.kind == percent }

// Value returns the number, of pods or of percents; 0 if v is unset.
func (v IntOrPercent) Value() int32 { return v.value }

// SameKind reports whether both are numbers, or shares, or unset.
func (v IntOrPercent) SameKind(w IntOrPercent) bool { return v.kind == w.kind }

// IsNegative reports whether v is below zero, which no field accepts.
func (v IntOrPercent) IsNegative() bool { return v.value < 0 }

// Of returns the number of pods that v is of total: an absolute number, or the percentage of
// total, rounded down. Unset is 0.
//
// A result beyond the range of int32 wraps around, as in intstr.GetScaledValueFromIntOrPercent
// of Kubernetes 1.36.
func (v IntOrPercent) Of(total int32) int32 { return int32(v.of(total)) }

func (v IntOrPercent) of(total int32) int64 {
	if v.kind != percent {
		return int64(v.value)
	}
	product := int64(v.value) * int64(total)
	quotient := product / 100
	if product%100 < 0 {
		quotient--
	}
	return quotient
}

// OfUp is [IntOrPercent.Of], rounded up.
func (v IntOrPercent) OfUp(total int32) int32 { return int32(v.OfUp64(total)) }

// OfUp64 is [IntOrPercent.OfUp] in 64 bits, where no result wraps around.
func (v IntOrPercent) OfUp64(total int32) int64 {
	if v.kind != percent {
		return int64(v.value)
	}
	product := int64(v.value) * int64(total)
	quotient := product / 100
	if product%100 > 0 {
		quotient++
	}
	return quotient
}

// Equal reports whether v and w are the same number, the same percentage, or both unset. 0, 0%
// and unset differ from each other.
func (v IntOrPercent) Equal(w IntOrPercent) bool { return v == w }

// String returns "3", "25%" or, if v is unset, "".
func (v IntOrPercent) String() string {
	switch v.kind {
	case absolute:
		return strconv.Itoa(int(v.value))
	case percent:
		return strconv.Itoa(int(v.value)) + "%"
	}
	return ""
}

// MarshalJSON encodes v as Kubernetes does: 3, "25%", or null if v is unset.
func (v IntOrPercent) MarshalJSON() ([]byte, error) {
	switch v.kind {
	case absolute:
		return strconv.AppendInt(nil, int64(v.value), 10), nil
	case percent:
		return json.Marshal(v.String())
	}
	return []byte("null"), nil
}

// UnmarshalJSON decodes the output of [IntOrPercent.MarshalJSON]. A string must be a
// percentage, as in the Kubernetes API: "5" is not the number 5. The error is a
// [kplan.FieldError] with an empty path, and leaves v unchanged.
func (v *IntOrPercent) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		*v = IntOrPercent{}
		return nil
	}
	if len(data) > 0 && data[0] == '"' {
		return v.unmarshalPercent(data)
	}
	var n int32
	if err := json.Unmarshal(data, &n); err != nil {
		return &kplan.FieldError{Value: string(data), Detail: "must be a whole number of 32 bits or a percentage such as 25%", Err: err}
	}
	*v = Int(n)
	return nil
}

func (v *IntOrPercent) unmarshalPercent(data []byte) error {
	var s string
	if err := json.Unmarshal(data, &s); err != nil {
		return &kplan.FieldError{Value: string(data), Detail: "must be a percentage such as 25%", Err: err}
	}
	parsed, err := FromIntOrString(true, 0, s)
	if err != nil {
		return err
	}
	*v = parsed
	return nil
}
