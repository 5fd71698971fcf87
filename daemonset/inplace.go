// SPDX-License-Identifier: Apache-2.0

package daemonset

import (
	"slices"
	"strings"

	"github.com/kplan-go/kplan/daemonset/inplace"
)

// An inPlaceUpdate is a pod that is updated in place instead of being deleted.
type inPlaceUpdate struct {
	Deletion
	spec *inplace.Spec
}

// inPlace divides wanted deletions into pods that go and pods that can be updated in place.
// Updates in place beyond the burst are dropped: their pods are neither updated nor deleted.
func (st *state) inPlace(remove []Deletion) (rest []Deletion, updates []inPlaceUpdate, tooMany cause) {
	if st.ds.RollingType != InPlaceIfPossible {
		return remove, nil, cause{}
	}
	specs := map[string]*inplace.Spec{}
	waiting, burst := 0, st.burst()
	for _, d := range remove {
		spec := st.inPlaceSpec(d.Pod, specs)
		switch {
		case spec == nil:
			rest = append(rest, d)
		case len(updates) >= burst:
			waiting++
		default:
			updates = append(updates, inPlaceUpdate{d, spec})
		}
	}
	if waiting > 0 {
		tooMany = cause{ReasonBurst, int64(len(updates) + waiting), int64(burst)}
	}
	return rest, updates, tooMany
}

// inPlaceOptions returns the options of the planner that package inplace reads.
func (st *state) inPlaceOptions() inplace.Options {
	return inplace.Options{VerticalScaling: st.opts.VerticalScaling, KeepMetadata: st.opts.Repair.Has(InPlaceRemovesAllMetadata)}
}

// inPlaceSpec returns how to update a pod in place, nil if that is impossible. Specs caches
// the answer for each revision, as it takes long.
func (st *state) inPlaceSpec(pod *Pod, specs map[string]*inplace.Spec) *inplace.Spec {
	hash, labelled := pod.Labels[LabelHash]
	if !labelled || !pod.hasGate(inplace.Gate) {
		return nil
	}
	if spec, known := specs[hash]; known {
		return spec
	}
	specs[hash] = nil
	for _, n := range st.old {
		if r := &st.revisions[n]; r.Labels[LabelHash] == hash {
			if spec, ok := inplace.CalculateSpec(r.Data, st.ds.Template.Data, st.version.Hash, st.inPlaceOptions()); ok {
				specs[hash] = &spec
			}
			break
		}
	}
	return specs[hash]
}

// A refreshment is the progress of the update in place of a pod.
type refreshment struct {
	pod    *Pod
	step   inplace.Step
	reason Reason // ReasonInPlace if the pod is waited for
}

// refresh returns, by name, the updates in place under way, each with its next step.
// Kubernetes has no updates in place, and ignores updates that another type has begun, unless
// [InPlaceLeftUnfinished] is repaired.
func (st *state) refresh() (list []refreshment) {
	if !st.opts.kruise() && !st.opts.Repair.Has(InPlaceLeftUnfinished) && st.ds.RollingType != InPlaceIfPossible {
		return nil
	}
	for _, i := range st.owned {
		if st.facts[i].has(isTouched) {
			if r := st.refreshPod(st.pod(i)); r.reason != "" {
				list = append(list, r)
			}
		}
	}
	slices.SortFunc(list, func(a, b refreshment) int { return strings.Compare(a.pod.Name, b.pod.Name) })
	return list
}

func (st *state) refreshPod(pod *Pod) refreshment {
	r := refreshment{pod: pod, step: inplace.Continue(pod.InPlacePod(), pod.Labels[LabelHash], st.now)}
	switch {
	case r.step.Wait:
		r.reason = ReasonInPlace
	case r.step.DropGrace:
		r.reason = ReasonGraceOver
	case r.step.Put != nil:
		r.reason = ReasonNextBatch
	case pod.hasGate(inplace.Gate) && (pod.InPlace == nil || *pod.InPlace != inplace.ReadyCondition{True: true}):
		r.reason = ReasonInPlaceCompleted
	}
	return r
}
