// SPDX-License-Identifier: Apache-2.0

package podorder_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/podorder"
)

// Nodes that are not listed are in one domain together, named "", and so are those that are listed
// without one. Nil Domains make each node one of its own, and empty ones put all into one.
func TestDomainsOfNodes(t *testing.T) {
	pods := []podorder.Pod{ // in the order in which they go, other things being equal
		{Name: "a", UID: "1", NodeName: "n1"}, {Name: "b", UID: "2", NodeName: "n2"}, {Name: "c", UID: "3", NodeName: "n3"},
		{Name: "d", UID: "4", NodeName: "n4"}, {Name: "e", UID: "5", NodeName: "n4"},
	}
	for _, c := range []struct {
		why     string
		domains podorder.Domains
		want    []int // two victims
	}{
		{"each is one of its own: n4 has two, then all have one", nil, []int{3, 0}},
		{"all are in one", podorder.Domains{}, []int{0, 1}},
		{"n4 has two and is alone: the other three go first, and then all have two", podorder.Domains{"n4": "x"}, []int{0, 1}},
		{"n1 and n2 are listed without one: with n3 they are three", podorder.Domains{"n1": "", "n2": "", "n4": "x"}, []int{0, 1}},
		{"n1 is alone: the four others go first", podorder.Domains{"n1": "x"}, []int{1, 2}},
		{"n1 and n2 are together: n3 and n4 are not listed, and have three", podorder.Domains{"n1": "x", "n2": "x"}, []int{2, 0}},
	} {
		o := podorder.Order{Chain: podorder.Legacy15, Domains: c.domains, Stages: []podorder.Stage{{Rule: podorder.RuleSpread}}}
		require.Equal(t, c.want, o.Victims(pods, nil, 2), c.why)
	}
}
