// SPDX-License-Identifier: Apache-2.0

package argo

import (
	"slices"
	"time"

	"github.com/kplan-go/kplan"
)

// A decision is what a pass does, in no order.
type decision struct {
	evict    []string // the names of pods that are restarted
	services services
	routes   []Route
	sizes    sizes
	waiting  waiting
	status   Status // the next one, with the weights by which requests are led
}

// services are what the Services select when the pass is over.
type services struct {
	active, preview, stable, canary target
	turn, turned                    target // of two that take turns: the next one, and the stable one
}

// A target is a Service, nil if there is none, and the hash that it selects when the
// pass is over.
type target struct {
	*Service
	hash string
}

// asRead returns what a Service selects.
func asRead(s *Service) target {
	if s == nil {
		return target{}
	}
	return target{s, s.Selector[HashLabel]}
}

// to returns the Service with another hash.
func (t target) to(hash string) target { return target{t.Service, hash} }

// selects reports whether a Service selects the pods of a hash.
func (s *services) selects(hash string) bool {
	for _, t := range []target{s.active, s.preview, s.stable, s.canary} {
		if t.Service != nil && t.hash == hash {
			return true
		}
	}
	return false
}

// sizes are what becomes of ReplicaSets. Those that are not named stay as they are. A
// ReplicaSet that is new and stable is named as new.
type sizes struct {
	stable, fresh size
	others        []size
}

// A size is what becomes of one ReplicaSet, which is nil if there is none.
type size struct {
	set    *ReplicaSet // as it was read
	to     int32
	until  time.Time // when it is to lose its pods
	scaled bool      // its annotation is brought up to date
	reason Reason
}

// kept returns the size that a ReplicaSet has.
func kept(set *ReplicaSet) size {
	return size{set: set, to: set.Replicas, until: set.ScaleDownAt}
}

// resized returns the size with so many pods. Who loses all of them waits no more, unless
// the update is aborted with a delay.
func (z size) resized(to int32, reason Reason, delaysAbort bool) size {
	if to == 0 && z.to != to && !delaysAbort {
		z.until = time.Time{}
	}
	z.to, z.reason, z.scaled = to, reason, true
	return z
}

// moves reports whether pods come or go.
func (z size) moves() bool { return z.set != nil && z.to != z.set.Replicas }

// waiting is what a pass waits for: what it holds back, and the instant of another look,
// zero if none is needed.
type waiting struct {
	holds []kplan.Hold[Reason]
	at    time.Time
}

// held returns what the Rollout waits for, for one reason.
func held(reason Reason, have, limit int64) waiting {
	return waiting{holds: []kplan.Hold[Reason]{{Reason: reason, Have: have, Limit: limit}}}
}

// heldBy returns what it waits for a ReplicaSet for.
func heldBy(set *ReplicaSet, reason Reason, have, limit int32) waiting {
	return waiting{holds: []kplan.Hold[Reason]{{Name: set.Name, Reason: reason, Have: int64(have), Limit: int64(limit)}}}
}

// until returns a look at an instant.
func until(at time.Time) waiting { return waiting{at: at} }

// and returns what both wait for, in this order, and the earlier instant. Of the holds of a
// ReplicaSet with the same numbers the first is left, and of those with the same reason.
func (w waiting) and(x waiting) waiting {
	for _, h := range x.holds {
		if !slices.ContainsFunc(w.holds, func(o kplan.Hold[Reason]) bool {
			return o.Name == h.Name && (o.Reason == h.Reason || h.Name != "" && o.Have == h.Have && o.Limit == h.Limit)
		}) {
			w.holds = append(slices.Clip(w.holds), h)
		}
	}
	if w.at.IsZero() || !x.at.IsZero() && x.at.Before(w.at) {
		w.at = x.at
	}
	return w
}

// A turn is what a pass does to the pauses and to an abort.
type turn struct {
	begin  []string // the reasons of pauses that begin
	end    string   // the reason of the pause that ends
	clear  bool     // all pauses end
	abort  bool     // the update is given up
	why    string   // what an analysis gives it up for
	resume bool     // an abort is taken back
}

// turn returns what there is to do in any pass: what is stable has nothing to give up.
func (in *input) turn() turn { return turn{resume: in.read.StableRS == in.read.CurrentPodHash} }

// aborted reports whether the update is given up.
func (in *input) aborted(t *turn) bool { return !t.resume && (t.abort || in.read.Abort) }

// A restart is what a pass does about [Rollout.RestartAt].
type restart struct {
	evict   []string  // the names of pods
	done    time.Time // up to when all pods are restarted
	waiting waiting
}
