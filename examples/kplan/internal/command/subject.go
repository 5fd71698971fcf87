// SPDX-License-Identifier: Apache-2.0

package command

import (
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
	"github.com/kplan-go/kplan/examples/kplan/internal/view"
)

// A document is the answer of a command about one object.
type document interface{ Text(w *terminal.Writer) }

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
	Plan(p *policies, now time.Time) (document, []string, error)
	// Explain returns the explanation of the next plan, and notes for the user.
	Explain(p *policies, now time.Time) (document, []string, error)
	// simulate returns the simulation of the change from the earlier objects, or nil if it is part
	// of the simulation of a Rollout in the set.
	simulate(s *settings, set *manifest.Set, from *earlier) (*job, error)
	// Versions returns the pods as they are simulated, before and after the change.
	Versions(from *earlier) (before, after pods)
}

// A Restorable subject has revisions.
type Restorable interface {
	Subject
	// History returns its revisions or only one, 0 meaning all, and notes for the user. If full is
	// true, these include revisions that kubectl no longer shows.
	History(number int64, full bool) (document, []string, error)
	// Undo returns what going back to a revision does, 0 meaning the previous one, and its
	// rollout, which is nil if nothing changes.
	Undo(s *settings, number int64) (document, *view.Simulation, error)
}

// The pods of a workload as it is simulated.
type pods struct {
	template *corev1.PodTemplateSpec
	replicas *int32
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

// The earlier workloads are the workloads in --from, by key.
type earlier struct {
	deployments map[string]*manifest.Workload
	daemonSets  map[string]*manifest.DaemonSet
	replicaSets map[string]*manifest.ReplicaSet
	podSets     map[string]*manifest.PodSet
	argo        map[string]*manifest.ArgoRollout
}

func earlierOf(from *manifest.Set) *earlier {
	return &earlier{
		indexed(from.Workloads), indexed(from.DaemonSets), indexed(from.ReplicaSets), indexed(from.PodSets), indexed(from.Argo),
	}
}
