// SPDX-License-Identifier: Apache-2.0

// Package subject has the answers of the kplan command about each kind of workload: its next plan,
// the explanation, the revisions, and the simulation of an update. A [Subject] is one object.
package subject

import (
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
	"github.com/kplan-go/kplan/examples/kplan/internal/view"
)

// A Document is the answer of a command about one object.
type Document interface{ Text(w *terminal.Writer) }

// An identified object has an ID and a name in errors.
type identified interface {
	ID() manifest.ID
	Invalid(error) error
}

// A Subject is a workload or a Rollout, with the answers to all questions about it. A new kind is a
// separate file and a row of [subjectsOf].
type Subject interface {
	identified
	// Plan returns the next plan, and notes for the user.
	Plan(p *Policies, now time.Time) (Document, []string, error)
	// Explain returns the explanation of the next plan, and notes for the user.
	Explain(p *Policies, now time.Time) (Document, []string, error)
	// simulate returns the simulation of the change from the earlier objects, or nil if it is part
	// of the simulation of a Rollout in the set.
	simulate(s *Settings, set *manifest.Set, from *Earlier) (*job, error)
	// Versions returns the pods as they are simulated, before and after the change.
	Versions(from *Earlier) (before, after Pods)
}

// A Restorable subject has revisions.
type Restorable interface {
	Subject
	// History returns its revisions or only one, 0 meaning all, and notes for the user. If full is
	// true, these include revisions that kubectl no longer shows.
	History(number int64, full bool) (Document, []string, error)
	// Undo returns what going back to a revision does, 0 meaning the previous one, and its
	// rollout, which is nil if nothing changes.
	Undo(s *Settings, number int64) (Document, *view.Simulation, error)
}

// The Pods of a workload as it is simulated.
type Pods struct {
	Template *corev1.PodTemplateSpec
	Replicas *int32
}

// A keyed object has a key that is unique among the objects of its kind.
type keyed[T any] interface {
	*T
	Key() string
}

// indexed returns the objects of a list by key. The first object with a key wins.
func indexed[T any, P keyed[T]](list []T) map[string]P {
	all := make(map[string]P, len(list))
	for i := range list {
		if p := P(&list[i]); all[p.Key()] == nil {
			all[p.Key()] = p
		}
	}
	return all
}

// The Earlier workloads are the workloads in --from, by key.
type Earlier struct {
	deployments map[string]*manifest.Workload
	daemonSets  map[string]*manifest.DaemonSet
	replicaSets map[string]*manifest.ReplicaSet
	podSets     map[string]*manifest.PodSet
	argo        map[string]*manifest.ArgoRollout
}

// EarlierOf returns the workloads of a set by key.
func EarlierOf(from *manifest.Set) *Earlier {
	return &Earlier{
		indexed(from.Workloads), indexed(from.DaemonSets), indexed(from.ReplicaSets), indexed(from.PodSets), indexed(from.Argo),
	}
}
