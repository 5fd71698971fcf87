// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"errors"
	"slices"
)

// noWorkload is the error for input with nothing to plan.
const noWorkload = "no Deployment, DaemonSet, Rollout, ReplicaSet or ReplicationController in the input"

// set builds the [Set] from all objects.
func (l *loader) set(from Source) (*Set, error) {
	sets, err := l.podSets()
	if err != nil {
		return nil, err
	}
	running := from.WithoutNodes && len(sets) > 0 || from.Whole
	nothing := len(l.deployments)+len(l.daemonSets)+len(l.rollouts)+len(l.argo)+len(l.replicaSets)+len(l.controllers) == 0 && !running
	skipped, err := l.settle(from.Only, nothing)
	switch {
	case err != nil:
		return nil, err
	case nothing:
		return nil, passedOver(noWorkload, l.notes)
	}
	l.identifyReplicaSets()
	s := &Set{Skipped: skipped, Notes: slices.Clone(l.notes), Shared: l.shared(), Running: l.running, Latest: l.latest.time, PodSets: sets, limits: l.limitObjects}
	if err := l.assignArgo(s); err != nil {
		return nil, err
	}
	if err := l.assignDeployments(s); err != nil {
		return nil, err
	}
	if err := l.assignAlone(s, from); err != nil {
		return nil, err
	}
	if err := l.assignDaemonSets(s, from); err != nil {
		return nil, err
	}
	if err := l.assignRollouts(s); err != nil {
		return nil, err
	}
	s.Objects, s.Absent = l.objects, l.absent
	if s.empty() && !running {
		return nil, l.firstUnread(l.nothing(s.Notes))
	}
	if err := l.narrow(s, from); err != nil {
		return nil, err
	}
	return s, l.dropPartial(s, from)
}

// nothing returns the error for a set with nothing to plan: about the first Rollout, or else with
// the notes.
func (l *loader) nothing(notes []string) error {
	if len(l.rollouts) > 0 {
		r := l.rollouts[0]
		return &Error{File: r.file, Object: describe("Rollout", r.object.object.Name), Err: errNoWorkload}
	}
	return passedOver("nothing to plan in the input", notes)
}

// narrow keeps the chosen objects of a set, the Rollouts of chosen workloads, and the workloads of
// chosen Rollouts. It keeps everything in a source that only describes the running state.
func (l *loader) narrow(set *Set, from Source) error {
	s := &l.selected
	if s.Selection == nil {
		return nil
	}
	set.Objects = without(set.Objects, func(o Object) bool { return !s.has(o.ID) })
	if from.Keep {
		return nil
	}
	set.Rollouts = without(set.Rollouts, func(r Rollout) bool { return !s.has(r.ID()) && !s.has(r.WorkloadID()) })
	for i := range set.Rollouts {
		s.ids[set.Rollouts[i].WorkloadID().Placed()] = true
	}
	set.Workloads = without(set.Workloads, func(w Workload) bool { return !s.has(w.ID()) })
	set.Argo = without(set.Argo, func(r ArgoRollout) bool { return !s.has(r.ID()) })
	set.DaemonSets = without(set.DaemonSets, func(d DaemonSet) bool { return !s.has(d.ID()) })
	set.ReplicaSets = without(set.ReplicaSets, func(r ReplicaSet) bool { return !s.has(r.ID()) })
	if from.Whole {
		return nil
	}
	if err := s.missed(); err != nil {
		return err
	}
	if set.empty() {
		return errors.New(s.none())
	}
	return nil
}
