// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/examples/kplan/internal/world"
	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/rollout/sim"
)

// tooMany refuses more replicas than can be simulated.
func tooMany(n *int32) error {
	if n == nil || *n <= maxReplicas {
		return nil
	}
	return &kube.FieldError{Path: "spec.replicas", Value: *n, Detail: fmt.Sprintf("must be at most %d to be simulated", maxReplicas)}
}

// check refuses a Deployment that cannot be simulated.
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

// wantedUID is that of what is applied, while it is read beside what is there.
const wantedUID = "wanted"

// beginningOf returns the cluster in which the simulation of a Deployment begins: the Deployment, its objects,
// and the objects around it. A newer Deployment, if given, is applied. A zero time means the latest time in the
// objects.
func beginningOf(seen, wanted *manifest.Workload, now time.Time, around []kube.Object) (b world.Beginning, err error) {
	if now.IsZero() {
		now = latest(seen)
	}
	objects := append([]kube.Object{seen.Deployment}, around...)
	for _, rs := range seen.ReplicaSets {
		objects = append(objects, rs)
	}
	for _, p := range seen.Pods {
		objects = append(objects, p)
	}
	if err := check(seen, now); err != nil {
		return b, err
	}
	if wanted != nil {
		if err := check(wanted, now); err != nil {
			return b, err
		}
		next := wanted.Deployment.DeepCopy()
		next.Name, next.UID = wanted.Deployment.Name+"/"+wantedUID, wantedUID
		objects = append(objects, next)
	}
	if b.Snapshot, err = kube.WorldAt(now, objects); err != nil {
		return b, seen.Invalid(err)
	}
	b.Kind, b.Namespace, b.Name = sim.KindDeployment, seen.Deployment.Namespace, b.Deployments[0].Name
	if wanted != nil {
		next := b.Deployments[1]
		next.Name, next.UID = b.Name, b.Deployments[0].UID
		b.Deployments, b.Applied = b.Deployments[:1], []any{next}
	}
	b.Template = b.Wanted().Template.ID
	b.NodesOfPods = !slices.ContainsFunc(around, func(o kube.Object) bool { _, is := o.(*corev1.Node); return is })
	return b, nil
}

// podsIn are the pods of a Deployment, by UID.
func podsIn(w *manifest.Workload) map[types.UID]bool {
	own := map[types.UID]bool{}
	for _, p := range w.Pods {
		own[p.UID] = true
	}
	return own
}
