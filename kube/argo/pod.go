// SPDX-License-Identifier: Apache-2.0

package argo

import (
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/kube/internal/convert"
	"github.com/kplan-go/kplan/rollout/argo"
)

// Pods returns the pods that the ReplicaSets of o control, for [argo.Snapshot.Pods]. A
// pod is available if it is available at now.
func Pods(o *RolloutObject, sets []*appsv1.ReplicaSet, pods []*corev1.Pod, now time.Time) []argo.Pod {
	o = convert.Or(o)
	own := map[types.UID]bool{}
	for _, rs := range sets {
		if rs != nil && rs.Namespace == o.Namespace && metav1.IsControlledBy(rs, o) {
			own[rs.UID] = true
		}
	}
	var list []argo.Pod
	for _, p := range pods {
		if p == nil || p.Namespace != o.Namespace {
			continue
		}
		if owner := metav1.GetControllerOfNoCopy(p); owner == nil || !own[owner.UID] {
			continue
		}
		pod := kube.Pod(p)
		list = append(list, argo.Pod{
			Name: pod.Name, CreationTimestamp: pod.CreationTimestamp, Deleting: !pod.DeletionTimestamp.IsZero(),
			Available: pod.Available(o.Spec.MinReadySeconds, now),
		})
	}
	return list
}
