// SPDX-License-Identifier: Apache-2.0

package selector

import (
	"slices"
	"strconv"
	"strings"

	"github.com/kplan-go/kplan"
)

// A Requirement is a condition on one label. The zero Requirement matches nothing; use
// [NewRequirement].
type Requirement struct {
	key    string // the fields for matching come first
	value  string // the value, if there is exactly one
	test   test
	bound  int64 // of gt and lt
	op     Op
	values []string // the values as given, unless there is exactly one
	sorted []string // the sorted values, if there are at least manyValues
}

// A test is the comparison that a requirement makes. It is one byte, because a switch over
// strings costs as much as the look-up.
type test uint8

const (
	testNever test = iota // the zero Requirement
	testEqual
	testNotEqual
	testIn
	testNotIn
	testExists
	testAbsent
	testGreater
	testLess
)

// manyValues is the number of values from which binary search is faster than linear search.
const manyValues = 16

// NewRequirement returns the requirement that the label key compares by op with values. The
// values are copied. The error, if any, is an [*Error] with a [kplan.FieldError] for each
// invalid part.
//
// It mirrors NewRequirement of package labels of apimachinery.
func NewRequirement(key string, op Op, values []string) (Requirement, error) {
	if !validRequirement(key, op, values) {
		return Requirement{}, fieldsError(requirementErrors("", key, op, values))
	}
	return makeRequirement(key, op, slices.Clone(values)), nil
}

// makeRequirement returns a requirement that keeps values.
func makeRequirement(key string, op Op, values []string) Requirement {
	r := Requirement{key: key, op: op, test: testOf(op, len(values))}
	if len(values) == 1 {
		r.value = values[0]
	} else {
		r.values = values
	}
	if len(values) >= manyValues {
		r.sorted = slices.Sorted(slices.Values(values))
	}
	if op == OpGreater || op == OpLess {
		r.bound, _ = integer(r.value)
	}
	return r
}

func testOf(op Op, values int) test {
	switch op {
	case OpEquals, OpDoubleEquals:
		return testEqual
	case OpNotEquals:
		return testNotEqual
	case OpIn:
		if values == 1 {
			return testEqual
		}
		return testIn
	case OpNotIn:
		if values == 1 {
			return testNotEqual
		}
		return testNotIn
	case OpExists:
		return testExists
	case OpDoesNotExist:
		return testAbsent
	case OpGreater:
		return testGreater
	case OpLess:
		return testLess
	}
	return testNever
}

// Key returns the label key.
func (r Requirement) Key() string { return r.key }

// Op returns the operator.
func (r Requirement) Op() Op { return r.op }

// Values returns a copy of the values, in their original order, or nil if there are no
// values.
func (r Requirement) Values() []string {
	if r.single() {
		return []string{r.value}
	}
	if len(r.values) == 0 {
		return nil
	}
	return slices.Clone(r.values)
}

// single reports whether the requirement has exactly one value.
func (r *Requirement) single() bool {
	switch r.test {
	case testEqual, testNotEqual, testGreater, testLess:
		return true
	}
	return false
}

// Equal reports whether r and other have the same key, operator and values in the same order.
func (r Requirement) Equal(other Requirement) bool {
	return r.key == other.key && r.op == other.op && r.value == other.value && slices.Equal(r.values, other.values)
}

// Matches reports whether the labels satisfy the requirement. It does not
// allocate.
func (r Requirement) Matches(labels map[string]string) bool {
	value, present := labels[r.key]
	return r.accepts(value, present)
}

// accepts reports whether a label with the value, or its absence, satisfies r.
func (r *Requirement) accepts(value string, present bool) bool {
	switch r.test {
	case testEqual:
		return present && value == r.value
	case testNotEqual:
		return !present || value != r.value
	case testIn:
		return present && r.has(value)
	case testNotIn:
		return !present || !r.has(value)
	case testExists:
		return present
	case testAbsent:
		return !present
	case testGreater:
		n, ok := integer(value)
		return ok && n > r.bound
	case testLess:
		n, ok := integer(value)
		return ok && n < r.bound
	}
	return false
}

func (r *Requirement) has(value string) bool {
	if r.sorted != nil {
		_, found := slices.BinarySearch(r.sorted, value)
		return found
	}
	for i := range r.values {
		if r.values[i] == value {
			return true
		}
	}
	return false
}

// needsLabel reports whether only objects with the label can satisfy r.
func (r *Requirement) needsLabel() bool {
	switch r.test {
	case testNotEqual, testNotIn, testAbsent:
		return false
	}
	return true
}

// String returns the requirement as [Parse] reads it, with sorted values.
//
// It mirrors Requirement.String of package labels of apimachinery.
func (r Requirement) String() string {
	switch r.op {
	case OpExists:
		return r.key
	case OpDoesNotExist:
		return "!" + r.key
	case OpIn, OpNotIn:
		return r.key + " " + string(r.op) + " (" + r.valueText() + ")"
	case OpGreater:
		return r.key + ">" + r.value
	case OpLess:
		return r.key + "<" + r.value
	}
	return r.key + string(r.op) + r.value
}

func (r *Requirement) valueText() string {
	if r.single() {
		return r.value
	}
	return strings.Join(slices.Sorted(slices.Values(r.values)), ",")
}

// validRequirement reports whether requirementErrors returns no errors, without creating
// their texts.
func validRequirement(key string, op Op, values []string) bool {
	switch op {
	case OpIn, OpNotIn:
		if len(values) == 0 {
			return false
		}
	case OpEquals, OpDoubleEquals, OpNotEquals:
		if len(values) != 1 {
			return false
		}
	case OpExists, OpDoesNotExist:
		if len(values) != 0 {
			return false
		}
	case OpGreater, OpLess:
		if len(values) != 1 {
			return false
		}
		if _, ok := integer(values[0]); !ok {
			return false
		}
	default:
		return false
	}
	for i := range values {
		if !validValue(values[i]) {
			return false
		}
	}
	return validKey(key)
}

// requirementErrors returns all errors of a requirement at path, in the order of Kubernetes.
func requirementErrors(path, key string, op Op, values []string) []*kplan.FieldError {
	var errs []*kplan.FieldError
	if messages := ValidateKey(key); len(messages) > 0 {
		errs = append(errs, invalid(subpath(path, "key"), key, strings.Join(messages, "; ")))
	}
	errs = append(errs, operandErrors(path, op, values)...)
	for i, v := range values {
		if messages := ValidateValue(v); len(messages) > 0 {
			at := element(subpath(path, "values"), i) + "[" + key + "]"
			errs = append(errs, invalid(at, v, strings.Join(messages, "; ")))
		}
	}
	return errs
}

// operandErrors checks the number and kind of the values against the operator.
func operandErrors(path string, op Op, values []string) []*kplan.FieldError {
	at := subpath(path, "values")
	wrong := func(detail string) []*kplan.FieldError {
		return []*kplan.FieldError{invalid(at, slices.Clone(values), detail)}
	}
	var errs []*kplan.FieldError
	switch op {
	case OpIn, OpNotIn:
		if len(values) == 0 {
			return wrong("for 'in', 'notin' operators, values set can't be empty")
		}
	case OpEquals, OpDoubleEquals, OpNotEquals:
		if len(values) != 1 {
			return wrong("exact-match compatibility requires one single value")
		}
	case OpExists, OpDoesNotExist:
		if len(values) != 0 {
			return wrong("values set must be empty for exists and does not exist")
		}
	case OpGreater, OpLess:
		if len(values) != 1 {
			errs = wrong("for 'Gt', 'Lt' operators, exactly one value is required")
		}
		for i, v := range values {
			if _, ok := integer(v); !ok {
				errs = append(errs, invalid(element(at, i), v, "for 'Gt', 'Lt' operators, the value must be an integer"))
			}
		}
	default:
		return []*kplan.FieldError{{Path: subpath(path, "operator"), Value: op, Detail: supportedOps, Err: ErrUnsupported}}
	}
	return errs
}

func subpath(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

func element(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }
