// SPDX-License-Identifier: Apache-2.0

package selector

import (
	"slices"

	"github.com/kplan-go/kplan"
)

// A NodeSelector of the Kubernetes API selects the nodes that satisfy at least one of its
// terms. Without terms it selects no nodes.
type NodeSelector struct {
	Terms []NodeSelectorTerm `json:"nodeSelectorTerms"`
}

// A NodeSelectorTerm selects the nodes that satisfy all of its expressions. Without
// expressions it selects no nodes.
type NodeSelectorTerm struct {
	MatchExpressions []Expression `json:"matchExpressions,omitempty"` // on labels
	MatchFields      []Expression `json:"matchFields,omitempty"`      // on fields; only metadata.name has a value
}

// FieldName is the only node field that a [NodeSelectorTerm] can test.
const FieldName = "metadata.name"

// A NodeMatcher is a compiled [NodeSelector]. The zero NodeMatcher selects no
// node. A NodeMatcher is immutable.
type NodeMatcher struct {
	terms []nodeTerm
}

// A nodeTerm is a compiled term that is not empty. A term with errs selects nothing.
type nodeTerm struct {
	labels Selector
	fields []fieldRequirement
	errs   []*kplan.FieldError
}

// A fieldRequirement is a condition on a field of a node.
type fieldRequirement struct {
	key   string
	value string
	not   bool
}

// A NodeTerm is a compiled term of a node selector: conditions that a node must all satisfy.
type NodeTerm struct {
	Labels Selector
	Fields []NodeField
}

// A NodeField is a condition on a field of a node: that it has the value or, with Not, that
// it does not. All fields except [FieldName] are empty.
type NodeField struct {
	Key   string
	Value string
	Not   bool
}

// Terms returns the valid terms. Invalid terms select nothing.
func (m NodeMatcher) Terms() []NodeTerm {
	var terms []NodeTerm
	for i := range m.terms {
		t := &m.terms[i]
		if len(t.errs) > 0 {
			continue
		}
		term := NodeTerm{Labels: t.labels}
		for _, f := range t.fields {
			term.Fields = append(term.Fields, NodeField{Key: f.key, Value: f.value, Not: f.not})
		}
		terms = append(terms, term)
	}
	return terms
}

// NewNodeMatcher compiles a node selector. It never fails: an invalid term selects nothing,
// and if no other term selects the node, [NodeMatcher.Match] returns the errors of the
// invalid terms. The scheduler and the DaemonSet controller work this way.
//
// It mirrors NewLazyErrorNodeSelector of package nodeaffinity of component-helpers.
func NewNodeMatcher(ns *NodeSelector) NodeMatcher {
	if ns == nil {
		return NodeMatcher{}
	}
	m := NodeMatcher{terms: make([]nodeTerm, 0, len(ns.Terms))}
	for i := range ns.Terms {
		if term := &ns.Terms[i]; !term.empty() {
			m.terms = append(m.terms, newNodeTerm(term, element("nodeSelectorTerms", i)))
		}
	}
	return m
}

// CompileNodeSelector is [NewNodeMatcher], but fails if any term is invalid. The error, if
// any, is an [*Error].
//
// It mirrors NewNodeSelector of package nodeaffinity of component-helpers.
func CompileNodeSelector(ns *NodeSelector) (NodeMatcher, error) {
	m := NewNodeMatcher(ns)
	if err := m.Err(); err != nil {
		return NodeMatcher{}, err
	}
	return m, nil
}

// Err returns the errors of the invalid terms, or nil if all are valid.
func (m NodeMatcher) Err() error {
	var errs []*kplan.FieldError
	for i := range m.terms {
		errs = append(errs, m.terms[i].errs...)
	}
	return fieldsError(errs)
}

// Match reports whether a node with the name and labels satisfies a term. If no term matches,
// it returns the errors of the invalid terms.
//
// If name is empty, the matchFields of a term are ignored, and so hold: a simulator must name
// its template nodes. A field other than metadata.name has the empty value. Match does not
// allocate unless there is an error.
//
// It mirrors LazyErrorNodeSelector.Match of package nodeaffinity of
// component-helpers.
func (m NodeMatcher) Match(name string, labels map[string]string) (bool, error) {
	wrong := false
	for i := range m.terms {
		t := &m.terms[i]
		if len(t.errs) > 0 {
			wrong = true
		} else if t.matches(name, labels) {
			return true, nil
		}
	}
	if wrong {
		return false, m.Err()
	}
	return false, nil
}

func (t *nodeTerm) matches(name string, labels map[string]string) bool {
	if !t.labels.Matches(labels) {
		return false
	}
	if name == "" {
		return true
	}
	for i := range t.fields {
		f := &t.fields[i]
		value := ""
		if f.key == FieldName {
			value = name
		}
		if (value == f.value) == f.not {
			return false
		}
	}
	return true
}

func (t *NodeSelectorTerm) empty() bool { return len(t.MatchExpressions)+len(t.MatchFields) == 0 }

func newNodeTerm(term *NodeSelectorTerm, path string) nodeTerm {
	var t nodeTerm
	requirements := make([]Requirement, 0, len(term.MatchExpressions))
	for i := range term.MatchExpressions {
		e := &term.MatchExpressions[i]
		op, ok := e.Operator.op()
		switch {
		case ok && validRequirement(e.Key, op, e.Values):
			requirements = append(requirements, makeRequirement(e.Key, op, slices.Clone(e.Values)))
		case ok:
			t.errs = append(t.errs, requirementErrors(element(subpath(path, "matchExpressions"), i), e.Key, op, e.Values)...)
		default:
			at := element(subpath(path, "matchExpressions"), i)
			t.errs = append(t.errs, unsupported(at, e.Operator, supportedNodeOperators))
		}
	}
	t.labels = compiled(requirements)
	for i := range term.MatchFields {
		e := &term.MatchFields[i]
		switch {
		case e.Operator != In && e.Operator != NotIn:
			t.errs = append(t.errs, unsupported(element(subpath(path, "matchFields"), i), e.Operator, supportedFieldOperators))
		case len(e.Values) != 1:
			at := element(subpath(path, "matchFields"), i) + ".values"
			t.errs = append(t.errs, invalid(at, slices.Clone(e.Values), "must have one element"))
		default:
			t.fields = append(t.fields, fieldRequirement{key: e.Key, value: e.Values[0], not: e.Operator == NotIn})
		}
	}
	return t
}

func unsupported(path string, op Operator, detail string) *kplan.FieldError {
	return &kplan.FieldError{Path: subpath(path, "operator"), Value: op, Detail: detail, Err: ErrUnsupported}
}
