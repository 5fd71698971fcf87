// SPDX-License-Identifier: Apache-2.0

package subject

import (
	"cmp"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/examples/kplan/internal/view"
	"github.com/kplan-go/kplan/kube"
)

// idlePod describes a pod if it does not serve.
func idlePod(p *corev1.Pod, owner string, now time.Time) (view.Pod, bool) {
	pod := kube.Pod(p)
	if pod.Ready && pod.Active() {
		return view.Pod{}, false
	}
	problem := manifest.ProblemOf(p)
	idle := view.Pod{
		Name: p.Name, ReplicaSet: owner, Node: p.Spec.NodeName, Phase: string(p.Status.Phase),
		Reason: problem.Reason, Message: problem.Message,
	}
	if at := p.DeletionTimestamp; at != nil {
		idle.Ending = &view.Ending{Since: at.Time, Until: at.Time, Gone: pod.Finished()}
		if grace := p.DeletionGracePeriodSeconds; grace != nil {
			idle.Ending.Since = at.Add(-time.Duration(*grace) * time.Second)
		}
		idle.Message = idle.Ending.Words(now)
		if len(p.Finalizers) > 0 {
			idle.Message += "; finalizers: " + strings.Join(p.Finalizers, ", ")
		}
	}
	if !p.CreationTimestamp.IsZero() {
		idle.Age = new(now.Sub(p.CreationTimestamp.Time).Round(time.Second))
	}
	return idle, true
}

func refused(f manifest.Failure, now time.Time) view.Refused {
	return view.Refused{Object: f.Object, Age: max(0, now.Sub(f.Last)).Round(time.Second), Count: f.Count, Message: f.Message}
}

// idlePods returns the pods that do not serve, by name. The map has the names of owners by UID;
// it is nil if pods are not grouped by owner.
func idlePods(pods []*corev1.Pod, owners map[string]string, now time.Time) (list []view.Pod) {
	for _, p := range pods {
		if idle, ok := idlePod(p, owners[ownerOf(p)], now); ok {
			list = append(list, idle)
		}
	}
	slices.SortFunc(list, func(a, b view.Pod) int { return cmp.Compare(a.Name, b.Name) })
	return list
}

// ownerOf returns the UID of the controller of a pod, "" if it has none.
func ownerOf(p *corev1.Pod) (uid string) {
	if owner := metav1.GetControllerOfNoCopy(p); owner != nil {
		uid = string(owner.UID)
	}
	return uid
}
