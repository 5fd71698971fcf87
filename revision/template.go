// SPDX-License-Identifier: Apache-2.0

package revision

// Template identifies a pod template. Two templates are the same if and only if their IDs
// are equal; the hash is not compared.
type Template struct {
	// ID is opaque, such as a digest of the canonical template without its
	// pod-template-hash label.
	ID string `json:"id"`
	// Hash is the value of the pod-template-hash label. Names contain it, and it may
	// collide, see [Hash].
	Hash string `json:"hash,omitzero"`
}

// Same reports whether t and u identify the same template. It mirrors
// EqualIgnoreHash of the deployment util package of Kubernetes.
func (t Template) Same(u Template) bool { return t.ID == u.ID }
