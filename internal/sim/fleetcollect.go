// SPDX-License-Identifier: Apache-2.0

package sim

import "slices"

// collect removes what has lost its owner. It reports whether there was anything.
func (f *Fleet) collect() (found bool) {
	w, s := f.w, f.w.store
	if !w.garbage {
		return false
	}
	w.garbage = false
	r := by(Collector)
	for _, rs := range slices.Clone(s.replicaSets.all()) {
		if f.lost(rs.ControllerUID) || w.leaving(rs.ControllerUID) {
			r.name, found = rs.Name, true
			remove(w, &s.replicaSets, r)
		}
	}
	for _, p := range w.store.allPods() {
		node := p.NodeName != "" && p.daemon && s.nodes.named(p.NodeName) == nil
		if p := w.store.podAt(p.number, p.daemon); p.Pod != nil && p.DeletionTimestamp.IsZero() && (f.lost(p.ControllerUID) || node) {
			found = true
			w.deletePod(p, r)
		}
	}
	for _, o := range slices.Clone(s.revisions.all()) {
		if f.lost(o.ControllerUID) {
			r.name, found = o.Name, true
			remove(w, &s.revisions, r)
		}
	}
	for _, o := range slices.Clone(s.things.all()) {
		if f.lost(o.ControllerUID) {
			r.name, found = o.Name, true
			remove(w, &s.things, r)
		}
	}
	return w.collectOwners(r) || found
}
