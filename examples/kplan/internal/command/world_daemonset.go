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

// daemonSetJob returns the simulation of an existing DaemonSet. The wanted version, unless nil,
// is applied to it, and the existing DaemonSet then counts as rolled out if it has no pods.
func daemonSetJob(seen, wanted *manifest.DaemonSet, now time.Time) *job {
	if now.IsZero() {
		now = latestOf(seen.Object.CreationTimestamp.Time, seen.Pods)
	}
	objects, orphans := ownOf(seen)
	j := &job{of: seen, now: now, objects: objects, around: seen.Around(seen.Object.Namespace)}
	last := seen
	if wanted != nil {
		last = versionBeside(seen, wanted)
		j.of, j.objects, j.around = wanted, append(j.objects, last.Object), wanted.Around(seen.Object.Namespace)
	}
	j.begin = func(b *world.Beginning) error {
		disown(b, orphans)
		if err := advance(b, seen, last); err != nil {
			return j.of.Invalid(err)
		}
		b.BeginDaemonSet(seen.Object.Namespace, seen.Object.Name, wanted != nil)
		b.Earlier = wanted != nil && len(seen.Controlled()) == 0
		return nil
	}
	j.prepare = func(b *world.Beginning, _ *sim.Config) error {
		if wanted != nil {
			b.Annotate(served(b.DaemonSet(), b.WantedDaemonSet(), seen.Dialect()))
		}
		return nil
	}
	return j
}

// advance turns versions of a DaemonSet into Advanced DaemonSets of OpenKruise where they are
// such.
func advance(b *world.Beginning, versions ...*manifest.DaemonSet) error {
	for i, d := range versions {
		if d.Advanced == nil || i > 0 && d == versions[0] {
			continue
		}
		if err := kubekruise.Advance(&b.Snapshot, d.Object, *d.Advanced); err != nil {
			return err
		}
	}
	return nil
}

// versionBeside returns the wanted version of a DaemonSet as an additional object. It has the UID
// and the status of the existing one, which give its revision and the hash of its template.
func versionBeside(seen, wanted *manifest.DaemonSet) *manifest.DaemonSet {
	next := *wanted
	next.Object = wanted.Object.DeepCopy()
	next.Object.Namespace, next.Object.Name = seen.Object.Namespace, seen.Object.Name+world.Next
	next.Object.UID, next.Object.Status = seen.Object.UID, seen.Object.Status
	return &next
}

// ownOf returns a DaemonSet with its pods and revisions, and the UIDs of the orphans that it is
// about to adopt. The orphans appear as adopted, so that their state counts like the state of its
// own pods.
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

// disown removes the controller of pods and revisions that are not adopted yet.
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
