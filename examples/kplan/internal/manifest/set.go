// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"iter"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/kplan-go/kplan/daemonset"
)

// A Set is the content of a source, in the order of the source.
type Set struct {
	Workloads  []Workload
	DaemonSets []DaemonSet
	Rollouts   []Rollout
	PodSets    []PodSet // CloneSets and StatefulSets
	Argo       []ArgoRollout
	// ReplicaSets are ReplicaSets and ReplicationControllers that are planned on their own.
	ReplicaSets []ReplicaSet
	Running     Running   // workloads as they were read, if [Source.Keep]
	Notes       []string  // objects that were passed over, and other remarks for the user
	Skipped     int       // number of manifests of workloads that cannot be read
	Latest      time.Time // latest time in any object, zero if unknown
	Objects     []Object  // all workloads, if [Source.Whole]
	Absent      []string  // errors of file names that match no file

	*surroundings
}

// keep keeps only objects with one of the UIDs, the workloads of such Rollouts, and manifests.
func (s *Set) keep(only []types.UID) {
	s.Notes = removeNotesOf(s.Notes, cluster)
	asked := func(uid types.UID) bool {
		return slices.Contains(only, uid) || strings.HasPrefix(string(uid), manifestUID)
	}
	s.Rollouts = without(s.Rollouts, func(r Rollout) bool { return !asked(types.UID(r.Snapshot.Rollout.UID)) })
	for i := range s.Rollouts {
		only = append(only[:len(only):len(only)], types.UID(s.Rollouts[i].Workload.UID))
	}
	s.Workloads = without(s.Workloads, func(w Workload) bool { return !asked(w.held.uid) })
	s.Argo = without(s.Argo, func(r ArgoRollout) bool { return !asked(r.Object.UID) })
	s.DaemonSets = without(s.DaemonSets, func(d DaemonSet) bool { return !asked(d.Object.UID) })
	s.ReplicaSets = without(s.ReplicaSets, func(r ReplicaSet) bool { return !asked(types.UID(r.Snapshot.ReplicaSet.UID)) })
}

// removeNotesOf returns notes without the notes on a file, such as on objects of a cluster, which
// the user did not name.
func removeNotesOf(notes []string, file string) []string {
	return slices.DeleteFunc(notes, func(note string) bool { return strings.HasPrefix(note, file+": ") })
}

// Opened yields the workloads one after another. Each is open until the next one, and is dropped
// then.
func (s *Set) Opened() iter.Seq2[int, *Workload] {
	return func(yield func(int, *Workload) bool) {
		for i := range s.Workloads {
			w := &s.Workloads[i]
			if w.Open(); !yield(i, w) {
				return
			}
			w.Drop()
		}
	}
}

// empty reports whether a set has nothing to plan.
func (s *Set) empty() bool {
	return len(s.Workloads)+len(s.DaemonSets)+len(s.Rollouts)+len(s.Argo)+len(s.ReplicaSets) == 0
}

// holds reports whether a set has an object of a kind with a key.
func (s *Set) holds(kind, key string) bool {
	if s == nil {
		return false
	}
	switch kind {
	case "Deployment":
		return slices.ContainsFunc(s.Workloads, func(w Workload) bool { return w.Key() == key })
	case daemonset.Kind:
		return slices.ContainsFunc(s.DaemonSets, func(d DaemonSet) bool { return d.Key() == key })
	case "Rollout":
		return slices.ContainsFunc(s.Argo, func(r ArgoRollout) bool { return r.Key() == key })
	}
	return slices.ContainsFunc(s.ReplicaSets, func(r ReplicaSet) bool { return r.Key() == key })
}

// without returns a copy of a list without some elements. Pointers into the list stay valid.
func without[T any](list []T, drop func(T) bool) []T {
	return slices.DeleteFunc(slices.Clone(list), drop)
}
