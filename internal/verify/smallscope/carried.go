// SPDX-License-Identifier: Apache-2.0

package smallscope

import (
	"slices"

	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
)

// The effect of a write on an object comes from Apply of its planner's package. It is computed
// once for each write and each state of the object.

// A podPhase is the phase of a pod, or the phase that its controller sees.
type podPhase uint8

const (
	phaseGone podPhase = iota
	phaseFresh
	phaseReady
	phaseEnding
)

// phaseOf returns the phase of the pod with a name.
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

// created returns the phase of a pod that a ReplicaSet has just created.
func created() podPhase {
	s, err := replicaset.Apply(replicaset.Snapshot{ReplicaSet: replicaset.ReplicaSet{Name: "web", UID: "web"}}, replicaset.CreatePods{Count: 1}, now)
	if err != nil || len(s.Pods) != 1 {
		return phaseGone
	}
	return phaseOf(s.Pods, s.Pods[0].Name)
}

// A podEffect is the result of a write to a pod, which may have been refused.
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
