// SPDX-License-Identifier: Apache-2.0

package manifest

import (
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
	if err := l.selected.narrow(s, from); err != nil {
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
