// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/examples/kplan/internal/world"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
)

// seenOf returns the workload with the running pods.
func seenOf(w, old *manifest.Workload) *manifest.Workload {
	if old != nil {
		return old
	}
	return w
}

// environment applies the state of pods and nodes in the input to a beginning, where the world
// does not read it by itself. It returns notes about it for the user, and the resources that
// quotas leave too little of.
func (s *settings) environment(w, old *manifest.Workload, b *world.Beginning) ([]string, []manifest.Shortage) {
	seen, most := seenOf(w, old), b.Most()
	notes := nodeNotes(w)
	if s.heal {
		b.Heal()
		return append(notes, "all pods become ready, and nodes have room (--heal)"), nil
	}
	room := roomNote(w, seen)
	notes = append(notes, beliefsOf(b, room)...)
	notes = append(notes, refuse(b, w, seen, most)...)
	more, short := shortages(b, w, seen, most)
	return append(notes, more...), short
}

// beliefsOf returns notes about the assumptions on pods and nodes, and about the room of the
// nodes.
func beliefsOf(b *world.Beginning, room string) (notes []string) {
	for _, belief := range b.BelievedOf(b.Owns()) {
		notes = append(notes, belief.String())
		if belief.Then == cluster.FullNodes {
			room = ""
		}
	}
	if room != "" {
		notes = append(notes, room)
	}
	for _, what := range b.Unseen {
		notes = append(notes, "not looked at: "+what)
	}
	return notes
}

// believed applies the flags to a beginning. It returns the assumptions about pods, nodes and
// quotas.
func (s *settings) believed(nodes []*corev1.Node, b *world.Beginning) []string {
	if s.heal {
		some := len(b.Pods)+len(b.DaemonPods) > 0
		if b.Heal(); some {
			return []string{"all pods become ready, and nodes have room (--heal)"}
		}
		return nil
	}
	room := ""
	if hasRoom(nodes) {
		room = roomLeft
	}
	notes := beliefsOf(b, room)
	t := b.Templates[b.Template]
	if t.Refused != "" {
		notes = append(notes, "no new pod is made, as the API server says: "+t.Refused)
	}
	for _, q := range b.Quotas {
		for _, resource := range slices.Sorted(maps.Keys(q.Hard)) {
			if unset := t.Unset[resource]; len(unset) > 0 {
				notes = append(notes, fmt.Sprintf("ResourceQuota %s counts %s, which container %s does not set: creations fail", strings.TrimPrefix(q.Name, b.Namespace+"/"), resource, unset[0]))
			}
		}
	}
	return notes
}
