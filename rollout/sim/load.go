// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"fmt"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/internal/podset"
	"github.com/kplan-go/kplan/internal/sim"
	"github.com/kplan-go/kplan/podorder"
)

// load puts all that a snapshot holds into the engine, which ends with the error of what it
// cannot hold.
func load(f *sim.Fleet, r *rooms, s *Snapshot) {
	put := func(err error) {
		if err != nil {
			f.Fail(fmt.Errorf("%v: %w", err, ErrInvalid))
		}
	}
	for _, n := range s.Nodes {
		put(f.PutNode(sim.Node{Node: n.Node, Zone: n.Zone, NotReady: n.NotReady, Cordoned: n.Cordoned}))
	}
	for _, o := range s.Services {
		put(f.PutService(o))
	}
	for _, o := range s.Routes {
		put(f.PutRoute(o))
	}
	for _, o := range s.Ingresses {
		put(f.PutIngress(o))
	}
	for _, d := range s.Deployments {
		put(f.PutDeployment(d))
	}
	for _, rs := range s.ReplicaSets {
		put(f.PutReplicaSet(rs))
	}
	for _, d := range s.DaemonSets {
		put(f.PutDaemonSet(d))
	}
	for _, o := range s.Revisions {
		put(f.PutRevision(o))
	}
	for _, o := range s.Sets {
		put(f.PutSet(sim.Set{Set: podset.Set(o)}))
	}
	for _, o := range s.Rollouts {
		put(f.PutRollout(o))
	}
	for _, o := range s.ArgoRollouts {
		put(f.PutArgoRollout(sim.ArgoRollout(o)))
	}
	for _, o := range s.Releases {
		put(f.PutBatchRelease(o))
	}
	for _, o := range s.Objects {
		put(f.PutThing(sim.Thing(o)))
	}
	for _, p := range s.Pods {
		bound(f, r, &p)
		put(f.PutPod(p))
	}
	for _, p := range s.DaemonPods {
		bound(f, r, &p.Pod)
		put(f.PutDaemonPod(p))
	}
}

// bound lets a pod that has a node take its room there.
func bound(f *sim.Fleet, r *rooms, p *podorder.Pod) {
	if p.NodeName == "" || p.Finished() {
		return
	}
	if p.UID == "" {
		p.UID = f.NewUID()
	}
	t := template{}
	if rs := f.View().ReplicaSet(p.ControllerName); rs != nil {
		t = rs.Template
	}
	if hash := p.Labels[daemonset.LabelHash]; t.ID == "" && hash != "" {
		t.ID = hash
	}
	r.take(p, p.NodeName, r.template(p, t).Needs)
}

// values copies what pointers lead to.
func values[T any](list []*T) []T {
	if len(list) == 0 {
		return nil
	}
	copied := make([]T, len(list))
	for i, o := range list {
		copied[i] = *o
	}
	return copied
}
