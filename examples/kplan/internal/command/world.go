// SPDX-License-Identifier: Apache-2.0

package command

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/examples/kplan/internal/world"
	"github.com/kplan-go/kplan/kube"
	kubeargo "github.com/kplan-go/kplan/kube/argo"
	kubekruise "github.com/kplan-go/kplan/kube/kruise"
	"github.com/kplan-go/kplan/rollout/sim"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
)

// tooMany rejects more replicas than a simulation supports.
func tooMany(n *int32) error {
	if n == nil || *n <= maxReplicas {
		return nil
	}
	return &kplan.FieldError{Path: "spec.replicas", Value: *n, Detail: fmt.Sprintf("must be at most %d to be simulated", maxReplicas)}
}

// check rejects a Deployment that cannot be simulated.
func check(w *manifest.Workload, now time.Time) error {
	if err := tooMany(w.Deployment.Spec.Replicas); err != nil {
		return w.Invalid(err)
	}
	snapshot, err := w.Snapshot()
	if err != nil {
		return err
	}
	if err := checkTemplates(w.File, snapshot.ReplicaSets); err != nil {
		return err
	}
	if _, err := deploy.Reconcile(snapshot, now, deploy.Options{}); err != nil {
		return w.Invalid(err)
	}
	return nil
}

// nextUID is the UID of an applied object while the world has the existing object as well.
const nextUID = "next"

// deploymentJob returns the simulation of an existing Deployment. The wanted Deployment, unless
// nil, is applied to it.
func deploymentJob(seen, wanted *manifest.Workload, now time.Time) (*job, error) {
	if now.IsZero() {
		now = latest(seen)
	}
	j := &job{of: seen, now: now, objects: []kube.Object{seen.Deployment}, around: seen.Around(seen.Deployment.Namespace), own: podsIn(seen)}
	for _, rs := range seen.ReplicaSets {
		j.objects = append(j.objects, rs)
	}
	for _, p := range seen.Pods {
		j.objects = append(j.objects, p)
	}
	if err := check(seen, now); err != nil {
		return nil, err
	}
	if wanted != nil {
		if err := check(wanted, now); err != nil {
			return nil, err
		}
		next := wanted.Deployment.DeepCopy()
		next.Namespace, next.Name, next.UID = seen.Deployment.Namespace, seen.Deployment.Name+world.Next, nextUID
		j.of, j.objects, j.around = wanted, append(j.objects, next), wanted.Around(seen.Deployment.Namespace)
	}
	j.begin = func(b *world.Beginning) error {
		b.BeginDeployment(seen.Deployment.Namespace, seen.Deployment.Name, wanted != nil)
		return nil
	}
	return j, nil
}

// podsIn returns the UIDs of the pods of a Deployment.
func podsIn(w *manifest.Workload) map[types.UID]bool { return uidsOf(w.Pods) }

// uidsOf returns the UIDs of pods.
func uidsOf(lists ...[]*corev1.Pod) map[types.UID]bool {
	uids := map[types.UID]bool{}
	for _, p := range slices.Concat(lists...) {
		uids[p.UID] = true
	}
	return uids
}

// argoJob returns the simulation of an existing Argo Rollout. The wanted Rollout, unless nil, is
// applied to it.
func argoJob(seen, wanted *manifest.ArgoRollout, now time.Time) *job {
	if now.IsZero() {
		now = later(latestOfArgo(seen), latestOfArgo(cmp.Or(wanted, seen)))
	}
	j := &job{of: seen, now: now, rollouts: []*kubeargo.RolloutObject{seen.Object}, around: seen.Workload.Around(seen.Object.Namespace)}
	last := seen
	if wanted != nil {
		next := *wanted.Object
		next.Namespace, next.Name, next.UID = seen.Object.Namespace, seen.Object.Name+world.Next, nextUID+" Rollout"
		last, j.of, j.rollouts, j.around = wanted, wanted, append(j.rollouts, &next), wanted.Workload.Around(seen.Object.Namespace)
	}
	for _, rs := range seen.ReplicaSets {
		j.objects = append(j.objects, rs)
	}
	for _, p := range seen.Pods {
		j.objects = append(j.objects, p)
	}
	for _, s := range slices.Concat(seen.Services, last.Services) {
		j.objects = append(j.objects, s)
	}
	j.begin = func(b *world.Beginning) error {
		b.BeginArgo(seen.Object.Namespace, seen.Object.Name, wanted != nil, func(old *cluster.ArgoRollout) string {
			if kubeargo.TemplateHash(&seen.Object.Spec.Template, nil) == kubeargo.TemplateHash(&wanted.Object.Spec.Template, nil) {
				return old.TemplateHash // another release of Argo Rollouts may have hashed it
			}
			return ""
		})
		b.Earlier = wanted != nil && len(seen.ReplicaSets) == 0
		return nil
	}
	return j
}

// latestOfArgo returns the latest time in the objects of a Rollout.
func latestOfArgo(r *manifest.ArgoRollout) time.Time {
	last := latestOf(time.Time{}, r.Pods)
	for _, c := range r.Object.Status.Conditions {
		last = later(later(last, c.LastUpdateTime.Time), c.LastTransitionTime.Time)
	}
	for _, c := range r.Object.Status.PauseConditions {
		last = later(last, c.StartTime.Time)
	}
	last = later(last, r.Snapshot.Rollout.RestartAt)
	for _, rs := range r.ReplicaSets {
		last = later(last, rs.CreationTimestamp.Time)
	}
	return last.UTC()
}

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
