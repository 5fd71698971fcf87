// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"math"
	"slices"
	"time"

	"github.com/kplan-go/kplan/rollout/argo"
)

// Times are how long the stages of a pod's life take. Unset ones take no time.
type Times struct {
	Schedule Spread `json:"schedule,omitempty"` // from being created to the first try to place it
	Pull     Spread `json:"pull,omitempty"`     // of the images: once for each template and node
	Start    Spread `json:"start,omitempty"`    // from then to running
	Ready    Spread `json:"ready,omitempty"`    // from then to being ready
	End      Spread `json:"end,omitempty"`      // from being deleted to being gone
}

// A Spread is how durations are distributed: quantiles in ascending order, between which it is
// even. Below the first share it is the first time, beyond the last the last one.
type Spread []Quantile

// A Quantile says that a share of all durations is at most so long.
type Quantile struct {
	Share float64       `json:"share"` // from 0 to 1
	Time  time.Duration `json:"time"`  // nanoseconds
}

// Exactly is a [Spread] of one duration.
func Exactly(d time.Duration) Spread { return Spread{{0, d}} }

// Between is an even [Spread] from one duration to another.
func Between(least, most time.Duration) Spread { return Spread{{0, least}, {1, most}} }

// An Analysis is how the analyses of Rollouts of Argo go that steps and promotions wait for, and
// experiments and plugins, as far as Status.Runs does not say how they have ended. The zero Analysis
// succeeds at once.
type Analysis struct {
	Takes Spread // from when the Rollout waits for it; unset takes no time
	// Ends is how it ends: argo.RunSuccessful, which "" means, RunFailed, RunError or RunInconclusive, or
	// never, for RunRunning. One that is inconclusive is so once for each Rollout: the next one, which a
	// person has asked for, succeeds.
	Ends argo.RunPhase
}

// At returns the duration at a share of all, such as 0.9 for the one that nine in ten do not
// exceed. It is not negative.
func (s Spread) At(share float64) time.Duration {
	i := slices.IndexFunc(s, func(q Quantile) bool { return share <= q.Share })
	switch {
	case len(s) == 0:
		return 0
	case i < 0:
		return max(0, s[len(s)-1].Time)
	case i == 0 || math.IsNaN(share):
		return max(0, s[0].Time)
	}
	a, b := s[i-1], s[i]
	if b.Share <= a.Share {
		return max(0, b.Time)
	}
	return max(0, a.Time+time.Duration(math.Round((share-a.Share)/(b.Share-a.Share)*float64(b.Time-a.Time))))
}
