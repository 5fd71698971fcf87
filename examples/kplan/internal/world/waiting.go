// SPDX-License-Identifier: Apache-2.0

package world

import (
	"fmt"
	"strings"

	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/sim/scheduler"
)

// Waiting says, in a sentence for each ReplicaSet, how many of its pods wait for a node at the end, and why
// none takes them, near the words of the scheduler.
func (r *Run) Waiting(namespace string) (texts []string) {
	if r.Report().Waiting == 0 {
		return nil
	}
	s := r.Snapshot()
	nodes, templates := scheduler.New(s.Nodes, len(s.Resources)), map[string]cluster.Template{}
	for i := range s.ReplicaSets {
		t, known := s.Templates[s.ReplicaSets[i].Template.ID]
		if !known {
			t = s.Templates[s.ReplicaSets[i].Template.Hash]
		}
		templates[s.ReplicaSets[i].UID] = t
	}
	waiting := map[string][]*podorder.Pod{}
	for i := range s.Pods {
		switch p := &s.Pods[i]; {
		case p.Finished():
		case p.NodeName != "":
			nodes.Take(scheduler.Pod{Pod: p, Template: templates[p.ControllerUID]}, p.NodeName)
		case p.ControllerKind == replicaset.Kind && !s.Held[p.Name].Unplaced:
			waiting[p.ControllerUID] = append(waiting[p.ControllerUID], p)
		}
	}
	for i := range s.ReplicaSets {
		rs := &s.ReplicaSets[i]
		pods := waiting[rs.UID]
		if len(pods) == 0 || templates[rs.UID].Unplaceable {
			continue
		}
		head := fmt.Sprintf("%d pods of %s wait", len(pods), strings.TrimPrefix(rs.Name, namespace+"/"))
		if len(pods) == 1 {
			head = fmt.Sprintf("1 pod of %s waits", strings.TrimPrefix(rs.Name, namespace+"/"))
		}
		if why := nodes.Explain(scheduler.Pod{Pod: pods[0], Template: templates[rs.UID]}); why.Fit == 0 && why.Nodes > 0 {
			texts = append(texts, fmt.Sprintf("%s for a node: %s", head, why.Text(s.Resources)))
		}
	}
	return texts
}
