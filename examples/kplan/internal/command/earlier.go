// SPDX-License-Identifier: Apache-2.0

package command

import (
	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
)

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
