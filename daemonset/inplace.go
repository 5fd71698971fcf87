// SPDX-License-Identifier: Apache-2.0

package daemonset

import (
	"slices"
	"strings"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/daemonset/inplace"
	"github.com/kplan-go/kplan/daemonset/quirk"
	"github.com/kplan-go/kplan/daemonset/reason"
)

// An inPlaceUpdate is a pod that is updated in place instead of being deleted.
type inPlaceUpdate struct {
	Deletion
	spec *inplace.Spec
}

// divideInPlace divides the deletions of an update into pods to delete and pods to update in place.
// Updates in place beyond the burst are left out: their pods are neither updated nor deleted, and
// tooMany is the cause.
func (st *state) divideInPlace(remove []Deletion) (rest []Deletion, updates []inPlaceUpdate, tooMany cause) {
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
		tooMany = cause{reason.Burst, int64(len(updates) + waiting), int64(burst)}
	}
	return rest, updates, tooMany
}

// inPlaceOptions returns the options of package inplace.
func (st *state) inPlaceOptions() inplace.Options {
	return inplace.Options{VerticalScaling: st.opts.VerticalScaling, KeepMetadata: st.opts.Repair.Has(quirk.InPlaceRemovesAllMetadata)}
}

// inPlaceSpec returns the change of a pod in place, nil if the pod cannot be updated in place. The
// map specs holds the results so far, by hash, since CalculateSpec takes long.
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

// A refresh is the next step of an update in place under way.
type refresh struct {
	pod    *Pod
	step   inplace.Step
	reason kplan.Reason // reason.InPlace if the step waits for the pod, "" if nothing is left to do
}

// refreshes returns the next steps of the updates in place under way, sorted by pod name. With a
// RollingType other than InPlaceIfPossible, the Kubernetes dialect ignores updates that have begun,
// unless quirk.InPlaceLeftUnfinished is in Options.Repair.
func (st *state) refreshes() (list []refresh) {
	if !st.opts.kruise() && !st.opts.Repair.Has(quirk.InPlaceLeftUnfinished) && st.ds.RollingType != InPlaceIfPossible {
		return nil
	}
	for _, i := range st.owned {
		if st.facts[i].has(isTouched) {
			if r := st.refreshOf(st.pod(i)); r.reason != "" {
				list = append(list, r)
			}
		}
	}
	slices.SortFunc(list, func(a, b refresh) int { return strings.Compare(a.pod.Name, b.pod.Name) })
	return list
}

// refreshOf returns the next step of the update in place of a pod.
func (st *state) refreshOf(pod *Pod) refresh {
	r := refresh{pod: pod, step: inplace.Continue(pod.InPlacePod(), pod.Labels[LabelHash], st.now)}
	switch {
	case r.step.Wait:
		r.reason = reason.InPlace
	case r.step.DropGrace:
		r.reason = reason.GraceOver
	case r.step.Put != nil:
		r.reason = reason.NextBatch
	// The update is over, or has never begun, and the condition does not say so yet.
	case pod.hasGate(inplace.Gate) && (pod.InPlace == nil || *pod.InPlace != inplace.ReadyCondition{True: true}):
		r.reason = reason.InPlaceCompleted
	}
	return r
}
