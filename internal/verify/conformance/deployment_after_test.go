// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"encoding/json"
	"errors"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/strategicpatch"

	"github.com/kplan-go/kplan/internal/verify/conformance/gen"
	"github.com/kplan-go/kplan/internal/verify/conformance/upstream"
)

// afterPass returns the case as the controller leaves it. The statuses of the
// ReplicaSets stay as they are.
func afterPass(dc *upstream.Deployments, c *gen.DeploymentCase) *gen.DeploymentCase {
	d := readable(c.Deployment.DeepCopy())
	dc.Fill(d, c.ReplicaSets, c.Pods)
	next := &gen.DeploymentCase{Deployment: d, ReplicaSets: slices.Clone(c.ReplicaSets), Pods: c.Pods}
	named := func(name string) int {
		return slices.IndexFunc(next.ReplicaSets, func(rs *appsv1.ReplicaSet) bool { return rs.Name == name })
	}
	for _, w := range dc.Sync(d).Writes {
		switch w := w.(type) {
		case upstream.CreateReplicaSet:
			if w.Err == nil {
				w.Object.UID, w.Object.CreationTimestamp = "created", metav1.Now()
				next.ReplicaSets = append(next.ReplicaSets, w.Object)
			}
		case upstream.UpdateReplicaSet:
			if w.Err != nil {
				continue
			}
			w.Object.UID = next.ReplicaSets[named(w.Object.Name)].UID
			next.ReplicaSets[named(w.Object.Name)] = w.Object
		case upstream.DeleteReplicaSet:
			i := named(w.Name)
			next.ReplicaSets = slices.Delete(next.ReplicaSets, i, i+1)
		case upstream.UpdateDeploymentStatus:
			d.Status, d.Annotations = w.Status, w.Annotations
		case upstream.UpdateDeployment:
			d.Spec, d.Annotations = w.Object.Spec, w.Object.Annotations
			d.Generation++
		case upstream.Patch:
			i := named(w.Name)
			next.ReplicaSets[i] = patched(next.ReplicaSets[i], w.Body)
		}
	}
	return next
}

// patched returns the ReplicaSet as the API server stores it after a patch.
func patched(rs *appsv1.ReplicaSet, body string) *appsv1.ReplicaSet {
	before, err := json.Marshal(rs)
	after, err2 := strategicpatch.StrategicMergePatch(before, []byte(body), rs)
	next := &appsv1.ReplicaSet{}
	if err := errors.Join(err, err2, json.Unmarshal(after, next)); err != nil {
		panic(err)
	}
	return next
}
