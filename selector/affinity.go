// SPDX-License-Identifier: Apache-2.0

package selector

// A NodeAffinity is what a pod demands of its node: the labels of its nodeSelector
// and its required node affinity. The zero NodeAffinity accepts every node.
type NodeAffinity struct {
	labels   Selector // Nothing in the zero NodeAffinity alone
	required NodeMatcher
	affine   bool // by required
}

// NewNodeAffinity compiles the demands of a pod. The labels are not validated, an
// empty map demands nothing; required is nil if the pod has no required node
// affinity. It never fails; see [NewNodeMatcher].
//
// It mirrors GetRequiredNodeAffinity of package nodeaffinity of component-helpers.
func NewNodeAffinity(nodeSelector map[string]string, required *NodeSelector) NodeAffinity {
	a := NodeAffinity{labels: FromMap(nodeSelector), affine: required != nil}
	if a.affine {
		a.required = NewNodeMatcher(required)
	}
	return a
}

// Match reports whether the pod may run on a node with the name and labels. The
// nodeSelector is looked at first; if it refuses the node, errors of the affinity
// are not seen.
//
// It mirrors RequiredNodeAffinity.Match of package nodeaffinity of
// component-helpers.
func (a NodeAffinity) Match(name string, labels map[string]string) (bool, error) {
	if !a.labels.IsNothing() && !a.labels.Matches(labels) {
		return false, nil
	}
	if a.affine {
		return a.required.Match(name, labels)
	}
	return true, nil
}
