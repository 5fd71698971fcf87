// SPDX-License-Identifier: Apache-2.0

package adopters

import (
	"encoding/json"
	"strings"

	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/partition"
)

// A Limit is one of OpenKruise as it is written: a number, or text with a percentage.
type Limit struct {
	rollout.IntOrPercent
	Text string
}

// UnmarshalJSON reads a limit. Text that is no percentage of whole numbers is 0, as it is
// upstream, where only a partition may have a fraction.
func (l *Limit) UnmarshalJSON(data []byte) error {
	*l = Limit{}
	if err := l.IntOrPercent.UnmarshalJSON(data); err != nil {
		l.IntOrPercent = rollout.Int(0)
		return json.Unmarshal(data, &l.Text)
	}
	return nil
}

// A CloneSet is one of OpenKruise, with what is known of its pods.
type CloneSet struct {
	Replicas                                                 int32
	MaxSurge, MaxUnavailable, Partition, ScaleMaxUnavailable Limit
	NoRollingUpdate, Paused                                  bool
	PartitionRollback, RevisionsEqual                        bool
	ExcludePreparingDelete                                   bool
	Pods                                                     []ClonePod
}

// A ClonePod is one of its pods. State is that of its life cycle.
type ClonePod struct {
	Available, SpecifiedDelete, Updated bool
	State                               string
}

// Diff returns by how much the CloneSet differs from what it is to be.
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
