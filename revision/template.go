// SPDX-License-Identifier: Apache-2.0

package revision

// A Template identifies a pod template. Two templates are the same if and only if their IDs are
// equal.
type Template struct {
	// ID is any text that is equal for equal pod templates only, such as a digest of the template
	// without its label pod-template-hash.
	ID string `json:"id"`
	// Hash is the value of the label pod-template-hash, which is a part of the name of the
	// ReplicaSet. Different templates may have the same [Hash].
	Hash string `json:"hash,omitzero"`
}

// Same reports whether t and u identify the same template.
//
// It mirrors EqualIgnoreHash of the deployment util package of Kubernetes.
func (t Template) Same(u Template) bool { return t.ID == u.ID }
