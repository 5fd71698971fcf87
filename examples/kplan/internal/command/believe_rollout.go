// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/internal/sim"
	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/revision"
)

// healed says that --heal makes all pods fine, if there are any.
func healed(pods []*corev1.Pod) []string {
	if len(pods) == 0 {
		return nil
	}
	return []string{"all pods become ready, and nodes have room (--heal)"}
}

// asFinished says that a release begins with available pods, if not all are.
func asFinished(pods []*corev1.Pod) []string {
	if slices.ContainsFunc(pods, func(p *corev1.Pod) bool { return !kube.Pod(p).Ready }) {
		return []string{"all pods become ready before the release begins"}
	}
	return nil
}

// withoutRoom makes pods that found no room stay so: releases in steps are simulated without
// the room of nodes.
func (b *belief) withoutRoom() {
	for _, uid := range b.crowded {
		b.gated[uid] = true
	}
	if n := len(b.crowded); n > 0 {
		b.notes = append(b.notes, fmt.Sprintf("%s for which nodes have no room %s so; nodes have room for others", podsText(n), verb(n, "stays", "stay")))
	}
}

// believeRelease does the same for a release of OpenKruise that is under way.
func (s *simulation) believeRelease(r *manifest.Rollout, c *sim.RolloutCluster, k *sim.Kubelet) []string {
	pods := slices.Clip(r.Deployment.Pods)
	for i := range r.Canaries {
		pods = append(pods, r.Canaries[i].Pods...)
	}
	if s.heal {
		return healed(pods)
	}
	hashes := map[string]string{} // by the UID of the ReplicaSet
	for i := range c.ReplicaSets {
		hashes[c.ReplicaSets[i].UID] = c.ReplicaSets[i].Template.Hash
	}
	b := believe(pods, func(p *corev1.Pod) string { return hashes[ownerOf(p)] }, c.Now)
	b.withoutRoom()
	b.apply(k, func(t revision.Template) string { return t.ID })
	return b.notes
}
