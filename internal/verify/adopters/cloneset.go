// SPDX-License-Identifier: Apache-2.0

package adopters

import (
	"encoding/json"
	"strings"

	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/partition"
)

// A Limit is a limit of OpenKruise as written in an object: a number, or text with a
// percentage.
type Limit struct {
	rollout.IntOrPercent
	Text string
}

// UnmarshalJSON reads a limit. Text that is no whole percentage is 0, as upstream, where only
// a partition may have a fraction.
func (l *Limit) UnmarshalJSON(data []byte) error {
	*l = Limit{}
	if err := l.IntOrPercent.UnmarshalJSON(data); err != nil {
		l.IntOrPercent = rollout.Int(0)
		return json.Unmarshal(data, &l.Text)
	}
	return nil
}

// A CloneSet is a CloneSet of OpenKruise, with facts about its pods.
type CloneSet struct {
	Replicas                                                 int32
	MaxSurge, MaxUnavailable, Partition, ScaleMaxUnavailable Limit
	NoRollingUpdate, Paused                                  bool
	PartitionRollback, RevisionsEqual                        bool
	ExcludePreparingDelete                                   bool
	Pods                                                     []ClonePod
}

// A ClonePod is a pod of a CloneSet. State is its lifecycle state.
type ClonePod struct {
	Available, SpecifiedDelete, Updated bool
	State                               string
}

// Diff returns the difference between the CloneSet and its desired state.
func (s CloneSet) Diff() partition.CloneSetDiff {
	limits := &partition.RollingUpdate{MaxSurge: s.MaxSurge.IntOrPercent, MaxUnavailable: s.MaxUnavailable.IntOrPercent}
	if s.NoRollingUpdate {
		limits = nil
	}
	c := partition.CloneSet{
		Budget: partition.CloneSetBudget(s.Replicas, limits, s.Paused), ScaleUnavailable: s.ScaleMaxUnavailable.IntOrPercent,
		KeptOld: s.keptOld(), Back: s.PartitionRollback && !s.RevisionsEqual, ReplaceLeaving: s.ExcludePreparingDelete,
	}
	for _, p := range s.Pods {
		of := &c.Old
		if p.Updated {
			of = &c.New
		}
		of.Count++
		switch {
		case p.State == "PreparingDelete":
			of.Leaving++
		case p.SpecifiedDelete:
			of.Marked++
		case !p.Available || strings.HasPrefix(p.State, "Preparing") || p.State == "Updating":
			of.Unavailable++
		}
	}
	return c.Diff()
}

func (s CloneSet) keptOld() int32 {
	if kept, err := partition.LimitOfShare(s.Partition.Text, s.Replicas); err == nil {
		return kept
	}
	return partition.Limit(s.Partition.IntOrPercent, s.Replicas)
}
