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
	room := roomNote(w, seen)
	notes = append(notes, beliefsOf(b, room)...)
	notes = append(notes, refuse(b, w, seen, most)...)
	more, short := shortages(b, w, seen, most)
	return append(notes, more...), short
}

// beliefsOf returns what is taken for granted of pods and nodes, with what is known about the room of these.
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

// believed applies the flags of the user to a beginning, and returns the assumptions about pods, nodes and
// quotas.
func (s *simulation) believed(nodes []*corev1.Node, b *world.Beginning) []string {
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
