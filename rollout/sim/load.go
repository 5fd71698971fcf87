// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"fmt"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/internal/podset"
	"github.com/kplan-go/kplan/internal/sim"
	"github.com/kplan-go/kplan/podorder"
)

// load puts all that a snapshot holds into the engine.
func load(f *sim.Fleet, r *rooms, s *Snapshot) error {
	each := loader{seen: map[string]bool{}}
	for _, n := range s.Nodes {
		each.put(KindNode, n.Name, f.PutNode(sim.Node{Node: n.Node, Zone: n.Zone, NotReady: n.NotReady, Cordoned: n.Cordoned}))
	}
	for _, o := range s.Services {
		each.put("Service", o.Name, f.PutService(o))
	}
	for _, o := range s.Routes {
		each.put("HTTPRoute", o.Name, f.PutRoute(o))
	}
	for _, o := range s.Ingresses {
		each.put("Ingress", o.Name, f.PutIngress(o))
	}
	for _, d := range s.Deployments {
		each.put(KindDeployment, d.Name, f.PutDeployment(d))
	}
	for _, rs := range s.ReplicaSets {
		each.put(KindReplicaSet, rs.Name, f.PutReplicaSet(rs))
	}
	for _, d := range s.DaemonSets {
		each.put(KindDaemonSet, d.Name, f.PutDaemonSet(d))
	}
	for _, o := range s.Revisions {
		each.put("ControllerRevision", o.Name, f.PutRevision(o))
	}
	for _, o := range s.Sets {
		each.put(KindSet, o.Name, f.PutSet(sim.Set{Set: podset.Set(o)}))
	}
	for _, o := range s.Rollouts {
		each.put(KindRollout, o.Name, f.PutRollout(o))
	}
	for _, o := range s.Releases {
		each.put("BatchRelease", o.Name, f.PutBatchRelease(o))
	}
	for _, o := range s.Objects {
		each.put("Object", o.Name, f.PutThing(sim.Thing(o)))
	}
	for _, p := range s.Pods {
		bound(f, r, &p)
		each.put(KindPod, p.Name, f.PutPod(p))
	}
	for _, p := range s.DaemonPods {
		bound(f, r, &p.Pod)
		each.put(KindPod, p.Name, f.PutDaemonPod(p))
	}
	return each.err
}

// A loader notes the first error, and that a name occurs once.
type loader struct {
	seen map[string]bool
	err  error
}

func (l *loader) put(k Kind, name string, err error) {
	key := string(k) + "/" + name
	if err == nil && l.seen[key] {
		err = fmt.Errorf("%s %s occurs twice", k, name)
	}
	if l.seen[key] = true; err != nil && l.err == nil {
		l.err = fmt.Errorf("%v: %w", err, ErrInvalid)
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
