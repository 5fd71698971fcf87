// SPDX-License-Identifier: Apache-2.0

package manifest

import "errors"

// noWorkload is the error for input with nothing to plan.
const noWorkload = "no Deployment, DaemonSet, Rollout, ReplicaSet or ReplicationController in the input"

// set builds the [Set] from all objects.
func (l *loader) set(from Source) (*Set, error) {
	sets, err := l.loadPodSets()
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
	s := &Set{Skipped: skipped, Running: l.running, Latest: l.latest.time, PodSets: sets, surroundings: l.around()}
	if err := l.complete(s, from); err != nil {
		return nil, err
	}
	s.Notes, s.Objects, s.Absent = l.notes, l.objects, l.absent
	if s.empty() && !running {
		return nil, l.firstUnread(l.nothing())
	}
	if err := l.narrow(s, from); err != nil {
		return nil, err
	}
	return s, l.dropPartial(s, from)
}

// complete adds the workloads and Rollouts to a set: first the owners of ReplicaSets.
func (l *loader) complete(s *Set, from Source) (err error) {
	if s.Argo, err = l.loadArgo(s.surroundings); err != nil {
		return err
	}
	if s.Workloads, err = l.loadDeployments(s.surroundings); err != nil {
		return err
	}
	if s.ReplicaSets, err = l.loadAlone(s.Workloads, from.Only, s.surroundings); err != nil {
		return err
	}
	s.Nodes = l.nodesFor(s.pods, from.Nodes, from.Zones)
	if s.DaemonSets, err = l.loadDaemonSets(s.surroundings); err != nil {
		return err
	}
	return l.loadRollouts(s)
}

// nothing returns the error for a set with nothing to plan: about the first Rollout, or else with
// the notes.
func (l *loader) nothing() error {
	if len(l.rollouts) > 0 {
		r := l.rollouts[0]
		return &Error{File: r.file, Object: describe("Rollout", r.object.object.Name), Err: errNoWorkload}
	}
	return passedOver("nothing to plan in the input", l.notes)
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
