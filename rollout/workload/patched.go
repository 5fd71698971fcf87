// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"maps"

	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/internal/base/zero"
)

// Patched returns w after the API server has carried out the patch, with nothing else changed:
// it has the effect of [Patch.Body]. It does not modify w.
//
//   - The generation rises if the spec changes. The status stays.
//   - Fields that the kind does not have are dropped, as by the API server.
//   - A Deployment of type Recreate has no block for a rolling update, and its stable revision
//     is the one of its label. Limits that the API server would default stay unset.
func (w Workload) Patched(p Patch) Workload {
	before := w
	w.Labels, w.Annotations = patched(w.Labels, p.Labels), patched(w.Annotations, p.Annotations)
	k := kindOf(w.Ref)
	if k == nil {
		return w
	}
	if p.Replicas != nil && !k.traits().SizedByNodes {
		w.Replicas = zero.Copy(p.Replicas)
	}
	set(&w.MinReadySeconds, p.MinReadySeconds)
	if p.ProgressDeadlineSeconds != nil {
		w.ProgressDeadlineSeconds = zero.Copy(p.ProgressDeadlineSeconds)
	}
	k.patch(&p, &w)
	if !w.sameSpec(&before) {
		w.Generation++
	}
	return w
}

// Patched returns the state of a workload after the API server has carried out the patch: labels,
// annotations and InProgress change, the revisions stay. After a change of the spec the state is
// not consistent until the controller of the workload has seen it. It does not modify s.
func (s State) Patched(p Patch) State {
	switch {
	case !s.Consistent:
		return s
	case len(p.spec(s.Ref)) > 0:
		return State{Ref: s.Ref, UID: s.UID}
	}
	s.Labels, s.Annotations = patched(s.Labels, p.Labels), patched(s.Annotations, p.Annotations)
	_, s.InProgress = s.Annotations[AnnotationInProgress]
	return s
}

// patched returns a map with changes; nil removes.
func patched(m map[string]string, changes map[string]*string) map[string]string {
	if len(changes) == 0 {
		return m
	}
	all := make(map[string]string, len(m)+len(changes))
	maps.Copy(all, m)
	for key, value := range changes {
		if value == nil {
			delete(all, key)
		} else {
			all[key] = *value
		}
	}
	if len(all) == 0 {
		return nil
	}
	return all
}

// sameSpec reports whether two states of a workload have the same spec, and so one generation.
func (w *Workload) sameSpec(o *Workload) bool {
	return w.Paused == o.Paused && w.StrategyType == o.StrategyType && w.Partition == o.Partition && w.MinReadySeconds == o.MinReadySeconds &&
		ptr.Equal(w.Replicas, o.Replicas) && ptr.Equal(w.RollingUpdate, o.RollingUpdate) && ptr.Equal(w.ProgressDeadlineSeconds, o.ProgressDeadlineSeconds)
}
