// SPDX-License-Identifier: Apache-2.0

package smallscope

import (
	"slices"

	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
)

// What a write makes of an object is what Apply of its planner's package says. It is asked
// once for each write and each state of the one object that is written to.

// A podPhase is how a pod is, or how it is seen.
type podPhase uint8

const (
	phaseGone podPhase = iota
	phaseFresh
	phaseReady
	phaseEnding
)

// phaseOf returns how the pod with a name is.
func phaseOf(pods []podorder.Pod, name string) podPhase {
	i := slices.IndexFunc(pods, func(p podorder.Pod) bool { return p.Name == name })
	switch {
	case i < 0:
		return phaseGone
	case !pods[i].DeletionTimestamp.IsZero():
		return phaseEnding
	case pods[i].Ready:
		return phaseReady
	}
	return phaseFresh
}

// created returns how a pod is that a ReplicaSet has just created.
func created() podPhase {
	s, err := replicaset.Apply(replicaset.Snapshot{ReplicaSet: replicaset.ReplicaSet{Name: "web", UID: "web"}}, replicaset.CreatePods{Count: 1}, now)
	if err != nil || len(s.Pods) != 1 {
		return phaseGone
	}
	return phaseOf(s.Pods, s.Pods[0].Name)
}

// A podEffect is how a pod is after a write, which may have been refused.
type podEffect struct {
	to      podPhase
	refused bool
}

// deleted carries out the deletion of a pod.
func deleted(is podPhase) podEffect {
	pod := podOf("web", 0, is == phaseReady, is == phaseEnding)
	s := replicaset.Snapshot{}
	if is != phaseGone {
		s.Pods = []podorder.Pod{pod}
	}
	s, err := replicaset.Apply(s, replicaset.DeletePod{Name: pod.Name, UID: pod.UID}, now)
	return podEffect{phaseOf(s.Pods, pod.Name), err != nil}
}
