// SPDX-License-Identifier: Apache-2.0

package selector

import (
	"fmt"
	"maps"
	"slices"

	"github.com/kplan-go/kplan"
)

// A LabelSelector is a selector of the Kubernetes API. All parts must hold. A nil
// *LabelSelector selects nothing, an empty one everything. JSON keeps the difference between
// empty and nil parts, because it matters to Deployments.
type LabelSelector struct {
	MatchLabels      map[string]string `json:"matchLabels,omitzero"`
	MatchExpressions []Expression      `json:"matchExpressions,omitzero"`
}

// An Expression is a condition on one label, or on one field of a node.
type Expression struct {
	Key      string   `json:"key"`
	Operator Operator `json:"operator"`
	Values   []string `json:"values,omitempty"` // none for Exists and DoesNotExist, one for Gt and Lt
}

// FromLabelSelector compiles a selector of the Kubernetes API. The error, if any, is an
// [*Error]: its text names the first invalid requirement, its Fields all of them.
//
// It mirrors LabelSelectorAsSelector of package v1 of apimachinery.
func FromLabelSelector(ls *LabelSelector) (Selector, error) {
	if ls == nil {
		return Nothing(), nil
	}
	n := len(ls.MatchLabels) + len(ls.MatchExpressions)
	if n == 0 {
		return Everything(), nil
	}
	requirements := make([]Requirement, 0, n)
	for key, value := range ls.MatchLabels {
		if !validKey(key) || !validValue(value) {
			return Selector{}, conversionError(ls)
		}
		requirements = append(requirements, Requirement{key: key, op: OpEquals, test: testEqual, value: value})
	}
	several := 0 // values that are copied into the arena
	for i := range ls.MatchExpressions {
		e := &ls.MatchExpressions[i]
		op, ok := e.Operator.labelOp()
		if !ok || !validRequirement(e.Key, op, e.Values) {
			return Selector{}, conversionError(ls)
		}
		if len(e.Values) > 1 {
			several += len(e.Values)
		}
	}
	arena := make([]string, 0, several)
	for i := range ls.MatchExpressions {
		e := &ls.MatchExpressions[i]
		op, _ := e.Operator.labelOp()
		values := e.Values
		if len(values) > 1 {
			start := len(arena)
			arena = append(arena, values...)
			values = arena[start:len(arena):len(arena)]
		}
		requirements = append(requirements, makeRequirement(e.Key, op, values))
	}
	return compiled(requirements), nil
}

// conversionError lists all errors of ls, first by sorted key and then in the order of the
// list. Its text is the first error in the words of Kubernetes.
func conversionError(ls *LabelSelector) error {
	result := &Error{}
	add := func(errs []*kplan.FieldError, where, text string) {
		if len(errs) == 0 {
			return
		}
		if result.Text == "" {
			result.Text = text
		}
		for _, e := range errs {
			e.Path = where + "." + e.Path
		}
		result.Fields = append(result.Fields, errs...)
	}
	for _, key := range slices.Sorted(maps.Keys(ls.MatchLabels)) {
		errs := requirementErrors("", key, OpEquals, []string{ls.MatchLabels[key]})
		add(errs, "matchLabels["+key+"]", fieldsText(errs))
	}
	for i, e := range ls.MatchExpressions {
		where := element("matchExpressions", i)
		op, ok := e.Operator.labelOp()
		if !ok {
			text := fmt.Sprintf("%q is not a valid label selector operator", string(e.Operator))
			add([]*kplan.FieldError{invalid("operator", e.Operator, "not a valid label selector operator")}, where, text)
			continue
		}
		values := e.Values
		if len(values) == 0 {
			values = nil // upstream prints nil for an empty list as well
		}
		errs := requirementErrors("", e.Key, op, values)
		add(errs, where, fieldsText(errs))
	}
	return result
}

// LabelSelector returns the selector in the form of the Kubernetes API: nil for Nothing,
// matchLabels for = and ==, expressions with sorted values for other operators. Only the
// first = of a key becomes an entry of matchLabels. Further ones become expressions, because
// a second entry would replace the first and change the selection. A != becomes NotIn; gt and
// lt are an error, since label selectors have no such operators.
func (s Selector) LabelSelector() (*LabelSelector, error) {
	if s.IsNothing() {
		return nil, nil
	}
	ls := &LabelSelector{}
	for i := range s.requirements {
		r := &s.requirements[i]
		switch r.op {
		case OpEquals, OpDoubleEquals:
			if _, taken := ls.MatchLabels[r.key]; !taken {
				if ls.MatchLabels == nil {
					ls.MatchLabels = map[string]string{}
				}
				ls.MatchLabels[r.key] = r.value
				continue
			}
			ls.add(r.key, In, r.Values())
		case OpIn:
			ls.add(r.key, In, r.Values())
		case OpNotIn, OpNotEquals:
			ls.add(r.key, NotIn, r.Values())
		case OpExists:
			ls.add(r.key, Exists, nil)
		case OpDoesNotExist:
			ls.add(r.key, DoesNotExist, nil)
		default:
			return nil, unsupportedOp(r)
		}
	}
	return ls, nil
}

func (ls *LabelSelector) add(key string, op Operator, values []string) {
	slices.Sort(values)
	ls.MatchExpressions = append(ls.MatchExpressions, Expression{Key: key, Operator: op, Values: values})
}

func unsupportedOp(r *Requirement) error {
	text := fmt.Sprintf("%q isn't supported in label selectors", string(r.op))
	return &Error{Text: text, Fields: []*kplan.FieldError{invalid("operator", r.op, "isn't supported in label selectors")}}
}

// ParseLabelSelector parses the text form of a selector into the form of the Kubernetes API.
// Unlike [Selector.LabelSelector] it behaves like upstream: the last = of a key wins, and !=
// is an error. The empty text is the empty selector, which selects everything.
//
// It mirrors ParseToLabelSelector of package v1 of apimachinery, except that a
// NUL byte is an error, as for [Parse].
func ParseLabelSelector(text string) (*LabelSelector, error) {
	s, err := Parse(text)
	if err != nil {
		return nil, prefixed(`couldn't parse the selector string "`+text+`": `, err)
	}
	ls := &LabelSelector{}
	for i := range s.requirements {
		r := &s.requirements[i]
		switch r.op {
		case OpEquals, OpDoubleEquals:
			if ls.MatchLabels == nil {
				ls.MatchLabels = map[string]string{}
			}
			ls.MatchLabels[r.key] = r.value
		case OpIn:
			ls.add(r.key, In, r.Values())
		case OpNotIn:
			ls.add(r.key, NotIn, r.Values())
		case OpExists:
			ls.add(r.key, Exists, nil)
		case OpDoesNotExist:
			ls.add(r.key, DoesNotExist, nil)
		case OpNotEquals:
			return nil, &Error{
				Text:   `"!=" is not a valid label selector operator`,
				Fields: []*kplan.FieldError{invalid("operator", r.op, "not a valid label selector operator")},
			}
		default:
			return nil, unsupportedOp(r)
		}
	}
	return ls, nil
}

// Map returns the selector as the plain labels of old APIs, such as the
// ReplicationController. Only matchLabels and In with one value can be converted; the last
// entry for a key wins. It returns nil for nil, which old APIs read as everything.
//
// It mirrors LabelSelectorAsMap of package v1 of apimachinery, except that upstream returns
// the labels converted so far along with an error.
func (ls *LabelSelector) Map() (map[string]string, error) {
	if ls == nil {
		return nil, nil
	}
	labels := map[string]string{}
	maps.Copy(labels, ls.MatchLabels)
	for i, e := range ls.MatchExpressions {
		if e.Operator == In && len(e.Values) == 1 {
			labels[e.Key] = e.Values[0]
			continue
		}
		text := fmt.Sprintf("operator %q cannot be converted into the old label selector format", string(e.Operator))
		if e.Operator == In {
			text = `operator "In" without a single value cannot be converted into the old label selector format`
		} else if _, ok := e.Operator.labelOp(); !ok {
			text = fmt.Sprintf("%q is not a valid selector operator", string(e.Operator))
		}
		at := element("matchExpressions", i) + ".operator"
		return nil, &Error{Text: text, Fields: []*kplan.FieldError{invalid(at, e.Operator, text)}}
	}
	return labels, nil
}

// WithLabel returns a copy of the selector that also requires the label key to be value. A
// Deployment does this with the hash of its template. An entry of matchLabels for key is
// replaced. An empty key changes nothing.
//
// It mirrors CloneSelectorAndAddLabel of package util/labels of Kubernetes,
// which panics on nil; here nil, which selects nothing, stays nil.
func (ls *LabelSelector) WithLabel(key, value string) *LabelSelector {
	if ls == nil {
		return nil
	}
	result := &LabelSelector{MatchLabels: maps.Clone(ls.MatchLabels)}
	for _, e := range ls.MatchExpressions {
		e.Values = slices.Clone(e.Values)
		result.MatchExpressions = append(result.MatchExpressions, e)
	}
	if key == "" {
		return result
	}
	if result.MatchLabels == nil {
		result.MatchLabels = map[string]string{}
	}
	result.MatchLabels[key] = value
	return result
}
