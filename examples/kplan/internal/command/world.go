// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/examples/kplan/internal/world"
	"github.com/kplan-go/kplan/kube"
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
