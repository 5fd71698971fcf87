// SPDX-License-Identifier: Apache-2.0

package daemonset_test

import (
	"slices"
	"time"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/daemonset/inplace"
	"github.com/kplan-go/kplan/podorder"
)

// execute carries out a plan on a snapshot.
func execute(s *daemonset.Snapshot, p daemonset.Plan, now time.Time) {
	next, err := p.Apply(*s, now)
	if err != nil {
		panic(err)
	}
	*s = next
}

// settle is the scheduler and the kubelet: pods are bound to the nodes that they are
// pinned to, pods that go are gone, containers run their images, and all
// pods become ready that are not broken.
func settle(s *daemonset.Snapshot, now time.Time, broken func(p *daemonset.Pod) bool) {
	s.Pods = slices.DeleteFunc(s.Pods, func(p daemonset.Pod) bool { return !p.DeletionTimestamp.IsZero() })
	for i := range s.Pods {
		p := &s.Pods[i]
		for c := range p.Containers {
			p.Containers[c].Status = &inplace.ContainerStatus{Image: p.Containers[c].Image, ImageID: "id-" + p.Containers[c].Image, Ready: true}
		}
		if p.NodeName == "" {
			p.NodeName = p.PinnedNode
		}
		closed := p.InPlace != nil && !p.InPlace.True
		if !p.Ready && !closed && !p.Finished() && p.NodeName != "" && (broken == nil || !broken(p)) {
			p.Ready, p.ReadySince, p.Phase = true, now, podorder.Running
		}
	}
}
