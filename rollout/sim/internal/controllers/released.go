// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"
	"maps"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/sim/internal/apiserver"
	"github.com/kplan-go/kplan/rollout/sim/internal/control"
	"github.com/kplan-go/kplan/rollout/sim/internal/podset"
	"github.com/kplan-go/kplan/rollout/sim/internal/store"
	"github.com/kplan-go/kplan/rollout/workload"
)

// A released stores the workloads of one kind that Rollouts release. They are read at the versions
// in a view.
type released interface {
	// at returns a workload and its resource version, nil if it is not there.
	at(e *Env, v *store.View, ref workload.Ref) (o *workload.Workload, version string)
	// look returns the facts of a workload that the rollout pass reads.
	look(e *Env, v *store.View, o *workload.Workload, style workload.Style) workload.InspectSnapshot
	// batch adds the objects that a batch pass reads, and returns the owners of pods that are not among
	// them: those of a Deployment, which a Tracker may know.
	batch(e *Env, v *store.View, br *store.BatchRelease, s *batchrelease.Snapshot) []podOwner
	// change writes the result of a function of the workload that a request names.
	change(e *Env, r apiserver.Request, ref workload.Ref, f func(workload.Workload) workload.Workload) apiserver.Answer
}

// A podOwner is a ReplicaSet or DaemonSet, by its UID, and of a ReplicaSet the hash of its template.
type podOwner struct{ uid, template string }

// releasedKinds are the kinds of objects that such workloads are made of, without their pods.
var releasedKinds = []store.Kind{store.KindDeployment, store.KindReplicaSet, store.KindSet, store.KindDaemonSet, store.KindRevision}

// releasedOf returns how the workloads of a kind are kept.
func releasedOf(ref workload.Ref) released {
	switch {
	case podset.Known(ref):
		return releasedSet{}
	case ref.Kind == daemonset.Kind:
		return releasedDaemonSet{}
	}
	return releasedDeployment{}
}

// changeWorkload writes the result of a function of an object as a workload. An equal result is no
// write, and no event.
func changeWorkload[T any](
	e *Env, t *store.Table[T], r apiserver.Request, read func(*T) workload.Workload, write func(o *T, before, after *workload.Workload),
	f func(workload.Workload) workload.Workload,
) apiserver.Answer {
	var before, after workload.Workload
	if o := t.Get(r.Name); o != nil {
		before = read(o)
		after = f(before)
		if after.Generation == before.Generation && maps.Equal(after.Labels, before.Labels) && maps.Equal(after.Annotations, before.Annotations) {
			return apiserver.Done
		}
	}
	_, a := apiserver.Update(e.Server, t, r, func(o *T) { write(o, &before, &after) })
	return a
}

// patchWorkload changes a workload if it still is as a pass has seen or written it: the version is ""
// before the first write. Upstream patches it in any case, so that a stale controller can undo an
// admission.
func (e *Env) patchWorkload(c *control.Controller, a fmt.Stringer, uid string, ref workload.Ref, patch *workload.Patch, version *string) apiserver.Answer {
	k := releasedOf(ref)
	if *version == "" {
		_, *version = k.at(e, &c.View, ref)
	}
	r, before := c.Request(store.Update, ref.Name, a), e.Version()
	r.UID, r.Version = uid, *version
	answer := c.Ask(func() apiserver.Answer {
		return k.change(e, r, ref, func(o workload.Workload) workload.Workload { return o.Patched(*patch) })
	})
	if c.Wrote() > before {
		now := e.Latest()
		_, *version = k.at(e, &now, ref)
	}
	return answer
}

// watchReleased calls a function with the kind and the name of each workload that has changed, or of
// which a ReplicaSet or revision has. A canary Deployment concerns the stable one as well.
func (e *Env) watchReleased(c *control.Controller, changed func(kind, name string)) {
	deployment := func(d *store.Deployment) {
		changed(deploy.Kind, d.Name)
		if stable := d.Labels[workload.LabelCanaryDeployment]; stable != "" {
			changed(deploy.Kind, stable)
		}
	}
	control.EachTold(c, &e.Deployments, func(old, d *store.Deployment) { deployment(latest(old, d)) })
	control.EachTold(c, &e.ReplicaSets, func(old, rs *replicaset.ReplicaSet) {
		if d := control.See(c, &e.Deployments, latest(old, rs).ControllerName); d != nil {
			deployment(d)
		}
	})
	control.EachTold(c, &e.Sets, func(old, o *store.Set) { changed(latest(old, o).Kind, latest(old, o).Name) })
	control.EachTold(c, &e.DaemonSets, func(old, d *store.DaemonSet) { changed(daemonset.Kind, latest(old, d).Name) })
	control.EachTold(c, &e.Revisions, func(old, r *revision.ControllerRevision) {
		changed(latest(old, r).ControllerKind, latest(old, r).ControllerName)
	})
}

// latest returns an object as it is, or as it was last if it is gone.
func latest[T any](old, o *T) *T {
	if o == nil {
		return old
	}
	return o
}
