// SPDX-License-Identifier: Apache-2.0

package random

import (
	"fmt"
	"time"

	"github.com/kplan-go/kplan/podorder"
)

// AlikePods draws pods that are equal in most fields, so that every rule of an order decides at
// times, for an order from 100 hours after Now. Their UIDs are 000, 001 and so on, in any order.
func AlikePods(s Source, n int) []podorder.Pod {
	instant := func(name string) time.Time {
		return OneOf(s, name, time.Time{}, Now, Now, Now.Add(1), Now.Add(time.Second), Now.Add(50*time.Hour), Now.Add(200*time.Hour))
	}
	pods := make([]podorder.Pod, n)
	for i, uid := range Perm(s, n) {
		p := podorder.Pod{Name: fmt.Sprintf("p%03d", i), UID: fmt.Sprintf("%03d", uid), NodeName: "n1", Phase: podorder.Running}
		if !Often(s, "assigned", 7) {
			p.NodeName = OneOf(s, "node", "", "n2")
		}
		if !Often(s, "running", 7) {
			p.Phase = OneOf(s, "phase", "", podorder.Pending, podorder.Unknown)
		}
		if !Often(s, "free", 7) {
			p.Annotations = map[string]string{podorder.AnnotationDeletionCost: Cost(s)}
		}
		p.Ready = Often(s, "ready", 7)
		p.ReadySince, p.CreationTimestamp = instant("ready since"), instant("created")
		p.Restarts, p.SidecarRestarts = Between[int32](s, "restarts", 0, 2), Between[int32](s, "sidecars", 0, 1)
		pods[i] = p
	}
	return pods
}

// Shuffled returns a list in any order.
func Shuffled[E any](s Source, list []E) (shuffled []E) {
	for _, k := range Perm(s, len(list)) {
		shuffled = append(shuffled, list[k])
	}
	return shuffled
}
