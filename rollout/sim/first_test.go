// SPDX-License-Identifier: Apache-2.0

package sim_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout/sim"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/workload"
	"github.com/kplan-go/kplan/selector"
)

// firstObjects add n objects to a snapshot: one way for each kind that a Reconciler can be for.
// Their names are what nameOf makes of 0 to n-1.
var firstObjects = map[sim.Kind]func(s *cluster.Snapshot, n int){
	"Group": func(s *cluster.Snapshot, n int) {
		for i := range n {
			s.Objects = append(s.Objects, cluster.Object{Kind: "Group", Name: nameOf(i)})
		}
	},
	sim.KindNode: func(s *cluster.Snapshot, n int) {
		for i := range n {
			s.Nodes = append(s.Nodes, cluster.Node{Node: daemonset.Node{Name: nameOf(i)}})
		}
	},
	sim.KindPod: func(s *cluster.Snapshot, n int) {
		for i := range n {
			s.Pods = append(s.Pods, podorder.Pod{Name: nameOf(i), UID: nameOf(i), NodeName: "node", Phase: podorder.Running, Ready: true})
		}
	},
	sim.KindReplicaSet: func(s *cluster.Snapshot, n int) {
		for i := range n {
			s.ReplicaSets = append(s.ReplicaSets, replicaset.ReplicaSet{
				Name: nameOf(i), UID: nameOf(i), Replicas: ptr.To(int32(1)), Selector: selectorOf(i), TemplateLabels: labelsOf(i),
			})
		}
	},
	sim.KindReplicationController: func(s *cluster.Snapshot, n int) {
		for i := range n {
			s.ReplicationControllers = append(s.ReplicationControllers, replicaset.ReplicaSet{
				Name: nameOf(i), UID: nameOf(i), Replicas: ptr.To(int32(1)), Selector: selectorOf(i), TemplateLabels: labelsOf(i),
			})
		}
	},
	sim.KindDeployment: func(s *cluster.Snapshot, n int) {
		for i := range n {
			s.Deployments = append(s.Deployments, deploy.Deployment{
				Name: nameOf(i), UID: nameOf(i), Replicas: ptr.To(int32(1)), Selector: selectorOf(i), TemplateLabels: labelsOf(i),
				Template: revision.Template{ID: "v1"},
			})
		}
	},
	sim.KindDaemonSet: func(s *cluster.Snapshot, n int) {
		s.Nodes = []cluster.Node{{Node: daemonset.Node{Name: "node"}}}
		for i := range n {
			s.DaemonSets = append(s.DaemonSets, daemonset.DaemonSet{
				Name: nameOf(i), UID: nameOf(i), Selector: selectorOf(i), Template: daemonset.Template{Hash: "v1", Labels: labelsOf(i)},
			})
		}
	},
	sim.KindSet: func(s *cluster.Snapshot, n int) {
		for i := range n {
			s.Sets = append(s.Sets, cluster.Set{TemplateLabels: labelsOf(i), Workload: workload.Workload{
				Ref: workload.Ref{APIVersion: "apps/v1", Kind: "StatefulSet", Name: nameOf(i)}, UID: nameOf(i), Replicas: ptr.To(int32(1)),
				UpdateRevision: "v1", StableRevision: "v1",
			}})
		}
	},
}

func nameOf(i int) string                      { return fmt.Sprintf("o%d", i) }
func labelsOf(i int) map[string]string         { return map[string]string{"app": nameOf(i)} }
func selectorOf(i int) *selector.LabelSelector { return selector.FromLabels(labelsOf(i)) }

// TestFirstObjects: a Reconciler looks at each object that is there when the world begins,
// however many there are, whether there are faults or not.
func TestFirstObjects(t *testing.T) {
	for kind, add := range firstObjects {
		for _, n := range []int{1, 2, 47, 48, 49, 95, 96, 97, 300, 1000} {
			for _, faults := range []sim.Faults{{}, {Stale: 1}} {
				t.Run(fmt.Sprintf("%s/%d/%v", kind, n, faults.Stale), func(t *testing.T) {
					seen := map[string]bool{}
					var s cluster.Snapshot
					add(&s, n)
					w, err := sim.New(s, sim.Config{Faults: faults, Controllers: []sim.Reconciler{{
						Name: "own", For: kind, Reconcile: func(_ sim.View, name string) ([]sim.Write, time.Duration, error) {
							seen[name] = true
							return nil, 0, nil
						},
					}}})
					require.NoError(t, err)
					_, err = w.Settle(time.Minute)
					require.NoError(t, err)
					for i := range n {
						require.True(t, seen[nameOf(i)], "%s is not seen; %d of %d are", nameOf(i), len(seen), n)
					}
				})
			}
		}
	}
}

// TestFirstWorkloads: so does each controller of ours: a pod of each workload is there in the end.
func TestFirstWorkloads(t *testing.T) {
	for _, kind := range []sim.Kind{sim.KindReplicaSet, sim.KindReplicationController, sim.KindDeployment, sim.KindDaemonSet, sim.KindSet} {
		for _, n := range []int{1, 96, 300} {
			for _, faults := range []sim.Faults{{}, {Stale: 1}} {
				t.Run(fmt.Sprintf("%s/%d/%v", kind, n, faults.Stale), func(t *testing.T) {
					var s cluster.Snapshot
					firstObjects[kind](&s, n)
					w, err := sim.New(s, sim.Config{Faults: faults, FaultsFor: time.Minute})
					require.NoError(t, err)
					done, err := w.Settle(time.Hour)
					require.NoError(t, err)
					require.True(t, done)
					pods := len(w.View().Pods())
					if kind == sim.KindDaemonSet {
						pods = len(w.View().DaemonPods())
					}
					require.Equal(t, n, pods)
				})
			}
		}
	}
}
