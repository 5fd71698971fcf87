// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"time"

	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/sim/internal/agenda"
	"github.com/kplan-go/kplan/rollout/sim/internal/apiserver"
	"github.com/kplan-go/kplan/rollout/sim/internal/store"
	"github.com/kplan-go/kplan/rollout/workload"
)

// Scale sets the wanted replicas of a Deployment, ReplicaSet, ReplicationController, Set or
// ArgoRollout. It reports whether the object exists.
func (w *World) Scale(k Kind, name string, replicas int32) bool {
	w.ensure().quiet = quiet{}
	return w.scale(k, name, max(0, replicas), store.User)
}

func (w *World) scale(k Kind, name string, n int32, by store.Role) bool {
	s, r, a := w.server, apiserver.By(by, name), apiserver.NotFound
	switch k {
	case KindDeployment:
		if ref := deploymentRef(name); w.env.Releases(ref) {
			return w.env.Admit(ref, func(o *workload.Workload) { o.Replicas = &n })
		}
		_, a = apiserver.Update(s, &s.Deployments, r, func(d *store.Deployment) { d.Replicas, d.Generation = &n, d.Generation+1 })
	case KindReplicaSet, KindReplicationController:
		_, a = apiserver.Update(s, s.ReplicaTable(string(k)), r, func(rs *replicaset.ReplicaSet) { rs.Replicas, rs.Generation = &n, rs.Generation+1 })
	case KindArgoRollout:
		_, a = apiserver.Update(s, &s.ArgoRollouts, r, func(o *cluster.ArgoRollout) { o.Replicas, o.Generation = &n, o.Generation+1 })
	case KindSet:
		_, a = apiserver.Update(s, &s.Sets, r, func(o *store.Set) { o.Replicas, o.Generation = &n, o.Generation+1 })
	}
	return a == apiserver.Done
}

// autoscale calls an autoscaler again and again.
func (w *World) autoscale(a Autoscaler) {
	if a.Every <= 0 {
		a.Every = 15 * time.Second
	}
	var look func()
	look = func() {
		w.resize(&a)
		w.server.Agenda.After(a.Every, agenda.Tick, look)
	}
	w.server.Agenda.After(a.Every, agenda.Tick, look)
}

// resize gives workloads the sizes that an autoscaler wants.
func (w *World) resize(a *Autoscaler) {
	v := w.View()
	wanted := a.Desired(v)
	if len(wanted) == 0 {
		return
	}
	resize := func(k Kind, name string, is *int32) {
		if n, ok := wanted[name]; ok && (is == nil || *is != n) && n >= 0 {
			w.scale(k, name, n, store.Role(a.Name))
		}
	}
	for _, d := range v.Deployments() {
		resize(KindDeployment, d.Name, d.Replicas)
	}
	alone := func(k Kind, list []*replicaset.ReplicaSet) {
		for _, rs := range list {
			if rs.ControllerUID == "" {
				resize(k, rs.Name, rs.Replicas)
			}
		}
	}
	alone(KindReplicaSet, v.ReplicaSets())
	alone(KindReplicationController, v.ReplicationControllers())
	for _, set := range v.Sets() {
		resize(KindSet, set.Name, set.Replicas)
	}
	for _, r := range v.ArgoRollouts() {
		resize(KindArgoRollout, r.Name, r.Replicas)
	}
}
