// SPDX-License-Identifier: Apache-2.0

package random

import (
	"time"

	"github.com/kplan-go/kplan/rollout"
)

// Now is the time of every snapshot.
var Now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// A Kind says how realistic a snapshot is.
type Kind uint8

const (
	// CaughtUp is a snapshot before a pass, with all earlier writes carried out: every controller
	// has acted, statuses are true, nothing has been scaled or paused since, and there are only
	// objects that the workload controls.
	CaughtUp Kind = iota
	// Truthful is any snapshot of a real cluster: statuses are too old or ahead of the spec, users
	// pause, scale, roll back and delete, objects are orphans or have other owners.
	Truthful
	// Midway is some passes after CaughtUp: the plans were carried out; pods become available, or
	// pods of the new template never do.
	Midway
	// Anything also has values that no cluster shows but planners accept: sizes up to the largest,
	// tampered annotations, any statuses and times.
	Anything
	// Wrong is Anything with values that planners may refuse.
	Wrong
)

// Kinds draws one of the kinds that planners accept.
func Kinds(s Source) Kind { return OneOf(s, "kind", CaughtUp, Truthful, Midway, Anything) }

// size draws a small size, so that limits are reached, or if wild is set sometimes any [Size].
func size(s Source, name string, wild bool) int32 {
	if wild && OneIn(s, name+" is wild", 3) {
		return Size(s, name)
	}
	return Between[int32](s, name, 0, 12)
}

// limit draws maxSurge or maxUnavailable of a Deployment.
func limit(s Source, name string) rollout.IntOrPercent {
	switch s.Below(name+" is", 3) {
	case 0:
		return rollout.IntOrPercent{}
	case 1:
		return rollout.Int(Between[int32](s, name, 0, 6))
	}
	return rollout.Percent(Between[int32](s, name, 0, 130))
}

// DaemonLimit draws maxSurge or maxUnavailable for a few nodes.
func DaemonLimit(s Source, name string) rollout.IntOrPercent {
	return OneOf(s, name, rollout.IntOrPercent{}, rollout.Int(0), rollout.Int(1), rollout.Int(2), rollout.Percent(0), rollout.Percent(34), rollout.Percent(100))
}

// Instant draws an instant around the times at which pods with 10 s and 1 h become available.
func Instant(s Source, name string) time.Time {
	return OneOf(s, name, time.Time{}, Now, Now.Add(-time.Second), Now.Add(-9*time.Second), Now.Add(-10*time.Second), Now.Add(-time.Hour), Now.Add(-time.Hour-1), Now.Add(time.Minute))
}

// quirks draws none, all, or any of some quirks.
func quirks[Q ~uint64](s Source, all Q) Q {
	switch s.Below("repair is", 3) {
	case 0:
		return 0
	case 1:
		return all
	}
	return Q(Between(s, "repair", 0, uint64(all)))
}
