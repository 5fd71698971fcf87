// SPDX-License-Identifier: Apache-2.0

package argo

import (
	"slices"
	"time"

	"github.com/kplan-go/kplan"
)

// A decision holds the changes of a pass, in no order.
type decision struct {
	evict    []string // the names of pods that are restarted
	services services
	routes   []Route
	sizes    sizes
	waiting  waiting
	status   Status // the next one, with the weights by which requests are led
}

// services are the Services with the hashes that they select at the end of the pass.
type services struct {
	active, preview, stable, canary target
	turn, turned                    target // of two that take turns: the next one, and the stable one
}

// A target is a Service, nil if the Rollout names none, and the hash that it selects at the
// end of the pass.
type target struct {
	*Service
	hash string
}

// asRead returns a Service with the hash that it selects now.
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

// sizes are the next sizes of ReplicaSets. A ReplicaSet that is not listed keeps its size.
// A ReplicaSet that is new and stable is listed as new.
type sizes struct {
	stable, fresh size
	others        []size
}

// A size is the next size of one ReplicaSet, which is nil if it does not exist.
type size struct {
	set    *ReplicaSet // as it was read
	to     int32
	until  time.Time // when it is to lose its pods
	scaled bool      // its annotation is brought up to date
	reason kplan.Reason
}

// kept returns the current size of a ReplicaSet.
func kept(set *ReplicaSet) size {
	return size{set: set, to: set.Replicas, until: set.ScaleDownAt}
}

// resized returns the size with another number of pods. A ReplicaSet that loses all of them
// loses its deadline too, unless the update is aborted with a delay.
func (z size) resized(to int32, reason kplan.Reason, delaysAbort bool) size {
	if to == 0 && z.to != to && !delaysAbort {
		z.until = time.Time{}
	}
	z.to, z.reason, z.scaled = to, reason, true
	return z
}

// moves reports whether pods come or go.
func (z size) moves() bool { return z.set != nil && z.to != z.set.Replicas }

// A waiting is a list of holds and the time of another look, zero if none is needed.
type waiting struct {
	holds []kplan.Hold
	at    time.Time
}

// held returns a waiting with one hold of the Rollout.
func held(reason kplan.Reason, have, limit int64) waiting {
	return waiting{holds: []kplan.Hold{{Reason: reason, Have: have, Limit: limit}}}
}

// heldBy returns a waiting with one hold of a ReplicaSet.
func heldBy(set *ReplicaSet, reason kplan.Reason, have, limit int32) waiting {
	return waiting{holds: []kplan.Hold{{Name: set.Name, Reason: reason, Have: int64(have), Limit: int64(limit)}}}
}

// until returns a waiting that looks again at a time.
func until(at time.Time) waiting { return waiting{at: at} }

// and returns the holds of both, in this order, and the earlier time. A hold is dropped if an
// earlier one of the same name has the same reason or, for a ReplicaSet, the same numbers.
func (w waiting) and(x waiting) waiting {
	for _, h := range x.holds {
		if !slices.ContainsFunc(w.holds, func(o kplan.Hold) bool {
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

// A turn lists the changes of a pass to the pauses and to an abort.
type turn struct {
	begin  []string // the reasons of pauses that begin
	end    string   // the reason of the pause that ends
	clear  bool     // all pauses end
	abort  bool     // the update is aborted
	why    string   // the message of the analysis that aborts it
	resume bool     // an abort is taken back
}

// turn returns the turn of any pass: an abort of the stable template is taken back.
func (in *input) turn() turn { return turn{resume: in.read.StableRS == in.read.CurrentPodHash} }

// aborted reports whether the update is aborted after this pass.
func (in *input) aborted(t *turn) bool { return !t.resume && (t.abort || in.read.Abort) }

// A restart is the part of a pass that serves [Rollout.RestartAt].
type restart struct {
	evict   []string  // the names of pods
	done    time.Time // up to when all pods are restarted
	waiting waiting
}
