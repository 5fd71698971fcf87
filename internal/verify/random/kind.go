// SPDX-License-Identifier: Apache-2.0

package random

import (
	"time"

	"github.com/kplan-go/kplan/rollout"
)

// Now is when every snapshot is taken.
var Now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// A Kind says how far a snapshot is from what a cluster shows.
type Kind uint8

const (
	// CaughtUp is before a pass, when all that was written has been carried out: each
	// controller has acted, statuses are true, nothing was scaled or paused since, and
	// nothing but what a workload controls is there.
	CaughtUp Kind = iota
	// Truthful is what a cluster can show at any time: statuses lag behind or run ahead,
	// people pause, scale, roll back and delete, objects are orphans or another's.
	Truthful
	// Midway is some passes after CaughtUp: the planner's plans were carried out, and pods
	// live, or those of the new template never do.
	Midway
	// Anything has values, too, that no cluster shows, and that planners accept: sizes up
	// to the largest, tampered annotations, statuses and times of any kind.
	Anything
	// Wrong is Anything with values that planners may refuse.
	Wrong
)

// Kinds are those that planners accept.
func Kinds(s Source) Kind { return OneOf(s, "kind", CaughtUp, Truthful, Midway, Anything) }

// size is small, so that limits are hit, or now and then any [Size].
func size(s Source, name string, wild bool) int32 {
	if wild && OneIn(s, name+" is wild", 3) {
		return Size(s, name)
	}
	return Between[int32](s, name, 0, 12)
}

// limit is that of a Deployment.
func limit(s Source, name string) rollout.IntOrPercent {
	switch s.Below(name+" is", 3) {
	case 0:
		return rollout.IntOrPercent{}
	case 1:
		return rollout.Int(Between[int32](s, name, 0, 6))
	}
	return rollout.Percent(Between[int32](s, name, 0, 130))
}

// DaemonLimit is one for few nodes.
func DaemonLimit(s Source, name string) rollout.IntOrPercent {
	return OneOf(s, name, rollout.IntOrPercent{}, rollout.Int(0), rollout.Int(1), rollout.Int(2), rollout.Percent(0), rollout.Percent(34), rollout.Percent(100))
}

// Instant is around those that pods of 10 s and 1 h turn available at.
func Instant(s Source, name string) time.Time {
	return OneOf(s, name, time.Time{}, Now, Now.Add(-time.Second), Now.Add(-9*time.Second), Now.Add(-10*time.Second), Now.Add(-time.Hour), Now.Add(-time.Hour-1), Now.Add(time.Minute))
}

// quirks draws none of some quirks, all of them, or any.
func quirks[Q ~uint64](s Source, all Q) Q {
	switch s.Below("repair is", 3) {
	case 0:
		return 0
	case 1:
		return all
	}
	return Q(Between(s, "repair", 0, uint64(all)))
}
