// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"strconv"

	"github.com/kplan-go/kplan/deploy/quirk"
	"github.com/kplan-go/kplan/rollout"
)

// scalingEvent reports whether the Deployment's replicas differ from the replicas in the
// annotations of some active set, which are written when the set is scaled. Sets without a valid
// annotation do not count.
//
// It mirrors isScalingEvent of the deployment controller of Kubernetes.
func (in *input) scalingEvent() bool {
	for i := range in.sets {
		if _, changed := in.desiredBefore(&in.sets[i]); changed {
			return true
		}
	}
	return false
}

// desiredBefore returns the Deployment's replicas at the time when a set was last scaled, and
// whether they have changed since. For an inactive set changed is false.
func (in *input) desiredBefore(s *set) (desired int32, changed bool) {
	if s.size == 0 {
		return 0, false
	}
	desired, ok := in.readSize(s.rs.Annotations, in.opts.Keys.Desired)
	return desired, ok && desired != in.replicas
}

// scalesFirst reports whether the pass adapts the sizes to changed replicas, instead of making a
// step of the rollout.
func (in *input) scalesFirst() bool {
	switch {
	case !in.scalingEvent() || in.rollsFirst():
		return false
	case in.d.Strategy == Recreate && in.severalActive() && !in.saturated():
		return !in.opts.Repair.Has(quirk.RecreateStuckAfterScaling)
	}
	return true
}

// rollsFirst reports whether Options.RolloutFirst applies: no ReplicaSet has the present template.
func (in *input) rollsFirst() bool {
	return in.opts.RolloutFirst && in.newAt < 0
}

func (in *input) severalActive() bool {
	active := 0
	for i := range in.sets {
		if in.sets[i].size > 0 {
			active++
		}
	}
	return active > 1
}

// saturated reports whether the new set alone has all replicas available, so that the old sets are
// not needed: see [rollout.Saturated]. Like upstream it accepts, by default, annotations that are
// invalid elsewhere: see [quirk.LenientSizeAnnotations].
func (in *input) saturated() bool {
	s := in.newSet()
	if s == nil {
		return false
	}
	if in.opts.Repair.Has(quirk.LenientSizeAnnotations) {
		desired, ok := parseSize(s.rs.Annotations, in.opts.Keys.Desired)
		return ok && rollout.Saturated(s.rolloutSet(), desired, in.replicas)
	}
	desired, err := strconv.ParseInt(s.rs.Annotations[in.opts.Keys.Desired], 10, 64)
	return err == nil && rollout.Saturated(s.rolloutSet(), int32(desired), in.replicas)
}

// readSize reads a size from an annotation. It returns false if the annotation is missing or
// invalid. For a partitioned Deployment upstream accepts any int64, and truncates it to 32 bits.
func (in *input) readSize(annotations map[string]string, key string) (int32, bool) {
	if in.partitioned() && !in.opts.Repair.Has(quirk.LenientSizeAnnotations) {
		n, err := strconv.ParseInt(annotations[key], 10, 64)
		return int32(n), err == nil
	}
	return parseSize(annotations, key)
}

// parseSize reads a size from an annotation: decimal digits that fit into 31 bits.
func parseSize(annotations map[string]string, key string) (int32, bool) {
	text := annotations[key]
	switch n := len(text); {
	case n == 0:
		return 0, false // without allocating an error
	case n > 9: // which may be beyond 31 bits
		n, err := strconv.ParseUint(text, 10, 31)
		return int32(n), err == nil
	}
	n := int32(0)
	for i := range len(text) {
		digit := text[i] - '0'
		if digit > 9 {
			return 0, false
		}
		n = 10*n + int32(digit)
	}
	return n, true
}

// writtenMaxTotal returns replicas + surge as annotations hold it.
func (in *input) writtenMaxTotal() int32 { return in.policy.Size(in.policy.MaxTotal(in.budget)) }

// sizeAnnotations returns the annotations to write to a ReplicaSet that is scaled.
func (in *input) sizeAnnotations() map[string]string {
	return map[string]string{
		in.opts.Keys.Desired: strconv.Itoa(int(in.replicas)),
		in.opts.Keys.Max:     strconv.Itoa(int(in.writtenMaxTotal())),
	}
}

// annotationsStale reports whether the annotations of a ReplicaSet differ from
// [input.sizeAnnotations].
func (in *input) annotationsStale(annotations map[string]string) bool {
	return annotations[in.opts.Keys.Desired] != strconv.Itoa(int(in.replicas)) ||
		annotations[in.opts.Keys.Max] != strconv.Itoa(int(in.writtenMaxTotal()))
}
