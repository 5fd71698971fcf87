// SPDX-License-Identifier: Apache-2.0

package command

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kplan-go/kplan/kube"
)

// asFinished says that a release begins with available pods, if not all are.
func asFinished(pods []*corev1.Pod) []string {
	if slices.ContainsFunc(pods, func(p *corev1.Pod) bool { return !kube.Pod(p).Ready }) {
		return []string{"all pods become ready before the release begins"}
	}
	return nil
}

// ownerOf is the UID of what controls a pod, "" if nothing does.
func ownerOf(p *corev1.Pod) (uid string) {
	if owner := metav1.GetControllerOfNoCopy(p); owner != nil {
		uid = string(owner.UID)
	}
	return uid
}
