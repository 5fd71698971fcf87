// SPDX-License-Identifier: Apache-2.0

package view

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
	"github.com/kplan-go/kplan/replicaset"
)

// A Run is a range of places in the order of deletion. The order of the pods within a run is
// uncertain: it is the order in which the cache of Kubernetes lists them.
type Run struct{ Begin, End int }

// place returns the places counted from 1, such as 2 or 2-5.
func (r Run) place() string {
	if r.End-r.Begin < 2 {
		return fmt.Sprint(r.Begin + 1)
	}
	return fmt.Sprintf("%d-%d", r.Begin+1, r.End)
}

// A Tie is a list of pods of which Count are deleted, and it is uncertain which.
type Tie struct {
	Count int      `json:"count"`
	Pods  []string `json:"pods"`
}

// text returns the tie in words.
func (t *Tie) text() string {
	names := t.Pods
	if len(names) > maxPods {
		names = append(names[:maxPods:maxPods], fmt.Sprintf("and %d more", len(t.Pods)-maxPods))
	}
	return fmt.Sprintf("any %d of these %d: %s", t.Count, len(t.Pods), strings.Join(names, ", "))
}

func (t *Tie) has(name string) bool { return t != nil && slices.Contains(t.Pods, name) }

// actions encodes actions, and marks the deletions of pods of the tie: the planner has chosen these
// pods, but Kubernetes may delete others.
func (t *Tie) actions(list replicaset.Actions) (json.RawMessage, error) {
	parts := make([]json.RawMessage, len(list))
	for i, a := range list {
		text, err := marshal(replicaset.Actions{a})
		if err != nil {
			return nil, err
		}
		text = bytes.TrimSuffix(bytes.TrimPrefix(bytes.TrimSpace(text), []byte("[")), []byte("]"))
		if d, ok := a.(replicaset.DeletePod); ok && t.has(d.Name) {
			text = append(bytes.TrimSuffix(text, []byte("}}")), `,"perhaps":true}}`...)
		}
		parts[i] = text
	}
	return marshal(parts)
}

// writeTies writes the ties between pods of ReplicaSets.
func writeTies(w *terminal.Writer, plans []PodPlan) {
	for i := range plans {
		if p := &plans[i]; p.Tie != nil {
			w.Printf("\nPods of replica set %s that go: %s.\n  It is %s.\n", p.Name, p.Tie.text(), tieWhy)
		}
	}
}

// A tieOfSet is the tie between pods of a ReplicaSet.
type tieOfSet struct {
	ReplicaSet string `json:"replicaSet"`
	*Tie
}

func tiesOf(plans []PodPlan) []tieOfSet {
	var ties []tieOfSet
	for i := range plans {
		if p := &plans[i]; p.Tie != nil {
			ties = append(ties, tieOfSet{p.Name, p.Tie})
		}
	}
	return ties
}
