// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/examples/kplan/internal/world"
	"github.com/kplan-go/kplan/internal/sim"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
)

// seenOf returns the one whose pods run.
func seenOf(w, old *manifest.Workload) *manifest.Workload {
	if old != nil {
		return old
	}
	return w
}

// environment lets a beginning be as the input tells of pods and nodes, as far as the world does not
// read that by itself, and returns what that is, for the user to know, and of what quotas leave too
// little. Without pods and nodes in the input it tells nothing.
func (s *simulation) environment(w, old *manifest.Workload, b *world.Beginning) ([]string, []manifest.Shortage) {
	seen, most := seenOf(w, old), b.Most()
	notes := nodeNotes(w)
	if s.heal {
		b.Heal()
		return append(notes, "all pods become ready, and nodes have room (--heal)"), nil
	}
	full := false
	for _, belief := range b.Believed {
		notes = append(notes, belief.String())
		full = full || belief.Then == cluster.FullNodes
	}
	if note := roomNote(w, seen); note != "" && !full {
		notes = append(notes, note)
	}
	for _, what := range b.Unseen {
		notes = append(notes, "not looked at: "+what)
	}
	notes = append(notes, refuse(b, w, seen, most)...)
	more, short := shortages(b, w, seen, most)
	return append(notes, more...), short
}

// daemonEnvironment does the same for the pods of a DaemonSet, each of which has its node.
func (s *simulation) daemonEnvironment(d, old *manifest.DaemonSet, now time.Time, k *sim.Kubelet) []string {
	if old == nil {
		old = d
	}
	pods := old.Controlled()
	if s.heal {
		return []string{"all pods become ready, and nodes have room (--heal)"}
	}
	b := believe(pods, func(p *corev1.Pod) string { return p.Labels[daemonset.LabelHash] }, now)
	for _, uid := range b.crowded {
		b.gated[uid] = true
	}
	if n := len(b.crowded); n > 0 {
		b.notes = append(b.notes, fmt.Sprintf("%s for which %s node has no room %s so; other nodes have room", podsText(n), verb(n, "its", "their"), verb(n, "stays", "stay")))
	}
	b.apply(k, func(t revision.Template) string { return t.Hash })
	return b.notes
}
