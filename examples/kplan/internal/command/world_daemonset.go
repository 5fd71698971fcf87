// SPDX-License-Identifier: Apache-2.0

package command

import (
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/examples/kplan/internal/world"
	"github.com/kplan-go/kplan/kube"
	kubekruise "github.com/kplan-go/kplan/kube/kruise"
	"github.com/kplan-go/kplan/rollout/sim"
)

// beginningOfDaemonSet returns the cluster in which the simulation of a DaemonSet begins: the DaemonSet, its
// objects, and the objects around it. Another DaemonSet, if given, is applied; then a first one without pods
// counts as rolled out. A zero time means the latest time in the objects.
func beginningOfDaemonSet(seen, wanted *manifest.DaemonSet, now time.Time) (b world.Beginning, err error) {
	if now.IsZero() {
		now = latestOf(seen.Object.CreationTimestamp.Time, seen.Pods)
	}
	objects, orphans := ownOf(seen)
	last := seen
	if wanted != nil {
		last = versionBeside(seen, wanted)
		objects = append(objects, last.Object)
	}
	own := map[types.UID]bool{}
	for _, o := range objects {
		own[o.GetUID()] = true
	}
	if b.Snapshot, err = kube.WorldAt(now, append(objects, last.Around(own)...)); err != nil {
		return b, seen.Invalid(err)
	}
	disown(&b, orphans)
	if seen.Advanced != nil {
		err = kubekruise.Advance(&b.Snapshot, seen.Object, *seen.Advanced)
		if err == nil && wanted != nil {
			err = kubekruise.Advance(&b.Snapshot, last.Object, *last.Advanced)
		}
	}
	if err != nil {
		return b, seen.Invalid(err)
	}
	b.Kind, b.Namespace = sim.KindDaemonSet, seen.Object.Namespace
	b.Name, b.Template = b.DaemonSet().Name, b.DaemonSet().Template.Hash
	if wanted == nil {
		return b, nil
	}
	if len(seen.Controlled()) == 0 {
		if b, err = b.Finished(); err != nil {
			return b, seen.Invalid(err)
		}
	}
	b.ApplyLast(func(old, next *daemonset.DaemonSet) { next.Annotations = served(old, next, seen.Dialect()) })
	return b, nil
}

// versionBeside returns another version of a DaemonSet beside that. It has the UID and the status, from which
// its revision and the hash of its template are known.
func versionBeside(seen, wanted *manifest.DaemonSet) *manifest.DaemonSet {
	next := *wanted
	next.Object = wanted.Object.DeepCopy()
	next.Object.Name, next.Object.UID, next.Object.Status = wanted.Object.Name+"/"+wantedUID, seen.Object.UID, seen.Object.Status
	return &next
}

// ownOf returns a DaemonSet with its pods and revisions. Those that it is yet to adopt, by UID, are there as
// if it had done so: as its own they are believed as they are seen.
func ownOf(d *manifest.DaemonSet) (objects []kube.Object, orphans map[types.UID]bool) {
	objects, orphans = []kube.Object{d.Object}, map[types.UID]bool{}
	adopted := func(o metav1.Object) bool {
		if metav1.GetControllerOfNoCopy(o) != nil {
			return false
		}
		orphans[o.GetUID()] = true
		o.SetOwnerReferences([]metav1.OwnerReference{*metav1.NewControllerRef(d.Object, appsv1.SchemeGroupVersion.WithKind(daemonset.Kind))})
		return true
	}
	pods, revisions := d.Own()
	for _, p := range pods {
		if copied := p.DeepCopy(); adopted(copied) {
			p = copied
		}
		objects = append(objects, p)
	}
	for _, r := range revisions {
		if copied := r.DeepCopy(); adopted(copied) {
			r = copied
		}
		objects = append(objects, r)
	}
	return objects, orphans
}

// disown takes the owners from pods and revisions that are yet to be adopted.
func disown(b *world.Beginning, orphans map[types.UID]bool) {
	for i := range b.DaemonPods {
		if p := &b.DaemonPods[i]; orphans[types.UID(p.UID)] {
			p.ControllerKind, p.ControllerName, p.ControllerUID = "", "", ""
		}
	}
	for i := range b.Revisions {
		if r := &b.Revisions[i]; orphans[types.UID(r.UID)] {
			r.ControllerKind, r.ControllerName, r.ControllerUID = "", "", ""
		}
	}
}
