// SPDX-License-Identifier: Apache-2.0

package selector

// A NodeAffinity is the requirement of a pod on its node: the labels of its nodeSelector and
// its required node affinity. The zero NodeAffinity accepts every node.
type NodeAffinity struct {
	labels   Selector // Nothing only in the zero NodeAffinity
	required NodeMatcher
	affine   bool // required is set
}

// NewNodeAffinity compiles the nodeSelector and the required node affinity of a pod, which is
// nil if it has none. The labels are not validated; an empty map accepts every node.
// NewNodeAffinity never fails; see [NewNodeMatcher].
//
// It mirrors GetRequiredNodeAffinity of package nodeaffinity of component-helpers.
func NewNodeAffinity(nodeSelector map[string]string, required *NodeSelector) NodeAffinity {
	a := NodeAffinity{labels: FromMap(nodeSelector), affine: required != nil}
	if a.affine {
		a.required = NewNodeMatcher(required)
	}
	return a
}

// Match reports whether the pod may run on a node with the name and labels. The nodeSelector
// is checked first; if it rejects the node, errors of the affinity are not reported.
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
