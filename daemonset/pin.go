// SPDX-License-Identifier: Apache-2.0

package daemonset

import (
	"errors"

	"github.com/kplan-go/kplan/selector"
)

// The errors of [TargetNode]. A pod with one of them belongs to no node: it is
// neither counted nor deleted.
var (
	ErrNoAffinity = errors.New("no required node affinity")
	ErrNoTerms    = errors.New("no node selector terms")
	ErrNotUnique  = errors.New("more than one node")
	ErrNotFound   = errors.New("no node is named")
)

// TargetNode returns the node that a pod is bound to, or else the node that its required node
// affinity names: the first requirement In on the field metadata.name, which must have one
// value.
func TargetNode(nodeName string, required *selector.NodeSelector) (string, error) {
	switch {
	case nodeName != "":
		return nodeName, nil
	case required == nil:
		return "", ErrNoAffinity
	case len(required.Terms) == 0:
		return "", ErrNoTerms
	}
	for _, term := range required.Terms {
		for _, field := range term.MatchFields {
			if field.Key != selector.FieldName || field.Operator != selector.In {
				continue
			}
			if len(field.Values) != 1 {
				return "", ErrNotUnique
			}
			return field.Values[0], nil
		}
	}
	return "", ErrNotFound
}

// Pin returns the required node affinity of a pod that is created for a node. It replaces the
// affinity of the template.
func Pin(node string) *selector.NodeSelector {
	return &selector.NodeSelector{Terms: []selector.NodeSelectorTerm{{
		MatchFields: []selector.Expression{{Key: selector.FieldName, Operator: selector.In, Values: []string{node}}},
	}}}
}
