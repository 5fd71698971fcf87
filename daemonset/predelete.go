// SPDX-License-Identifier: Apache-2.0

package daemonset

// Holds reports whether the hook holds back the deletion of a pod: it carries any of
// the finalizers or any of the labels.
func (h *PreDelete) Holds(p *Pod) bool {
	if h == nil || p == nil {
		return false
	}
	for _, f := range h.Finalizers {
		for _, has := range p.Finalizers {
			if f == has {
				return true
			}
		}
	}
	for key, want := range h.Labels {
		if got, ok := p.Labels[key]; ok && got == want {
			return true
		}
	}
	return false
}
