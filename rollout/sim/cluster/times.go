// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"math"
	"slices"
	"time"

	"github.com/kplan-go/kplan/rollout/argo"
)

// Times are the durations of the stages of a pod's life. Unset ones are 0.
type Times struct {
	Schedule Spread `json:"schedule,omitempty"` // from being created to the first try to place it
	Pull     Spread `json:"pull,omitempty"`     // of the images: once for each template and node
	Start    Spread `json:"start,omitempty"`    // from then to running
	Ready    Spread `json:"ready,omitempty"`    // from then to being ready
	End      Spread `json:"end,omitempty"`      // from being deleted to being gone
}

// A Spread is a distribution of durations: quantiles in ascending order, linear between two.
// Below the first share it is the first time, above the last the last one.
type Spread []Quantile

// A Quantile means that a share of all durations is at most Time.
type Quantile struct {
	Share float64       `json:"share"` // from 0 to 1
	Time  time.Duration `json:"time"`  // nanoseconds
}

// Exactly is a [Spread] of one duration.
func Exactly(d time.Duration) Spread { return Spread{{0, d}} }

// Between is an even [Spread] from one duration to another.
func Between(least, most time.Duration) Spread { return Spread{{0, least}, {1, most}} }

// An Analysis describes the analyses of Rollouts of Argo that steps and promotions wait for, and
// experiments and plugins, unless Status.Runs has their results. The zero Analysis succeeds
// at once.
type Analysis struct {
	Takes Spread // from when the Rollout waits for it; unset takes no time
	// Ends is the result: argo.RunSuccessful, which "" means, RunFailed, RunError or RunInconclusive,
	// or RunRunning for an analysis that never ends. Each Rollout gets one inconclusive analysis: the
	// next one, which a user has asked for, succeeds.
	Ends argo.RunPhase
}

// At returns the duration at a share of all: for 0.9, nine in ten durations are at most as long.
// It is not negative.
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
