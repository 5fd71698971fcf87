// SPDX-License-Identifier: Apache-2.0

package podorder

import (
	"cmp"
	"math"
	"time"
)

// A key holds the fields of one pod that the order compares. Annotations are parsed and age
// buckets computed: comparing two keys reads no map. A key has no pointers, which makes it fast
// to move.
type key struct {
	place
	readySince   int64  // see instant; lowest if the pod is not ready
	created      int64  // see instant
	prefix       uint64 // the first bytes of the UID, which nearly always decide a tie
	leaderPrefix uint64 // prefix of the leader; scratch space of a selection
	leader       int32  // scratch space of a merge or a selection
	restarts     int32
	sidecars     int32
	createdAge   int8
	annotated    bool // the order has PriorityFirst and the pod a valid priority
	marked       bool // scratch space of a selection
}

// noAge is the age bucket of an unset time. It comes before all other buckets.
const noAge = math.MinInt8

// key returns the key of a pod whose place is complete, without prefix.
func (r *ranking) key(p *Pod, at place) key {
	k := key{place: at, restarts: p.Restarts, readySince: math.MinInt64}
	if r.order.Chain == Items {
		k.restarts, k.created = 0, math.MinInt64
	} else {
		k.created, k.createdAge = r.age(&p.CreationTimestamp)
		if p.Ready {
			k.readySince = instant(p.ReadySince)
		}
		if r.order.Chain != Legacy15 {
			k.sidecars = p.SidecarRestarts
		}
	}
	if r.order.Priority == PriorityFirst {
		_, k.annotated = priorityOf(p)
	}
	return k
}

// age returns a time as a number, see instant, and its age bucket. The bucket is 0 if the order
// compares exact times.
func (r *ranking) age(t *time.Time) (nanoseconds int64, bucket int8) {
	if t.IsZero() {
		return math.MinInt64, noAge
	}
	nanoseconds = instant(*t)
	switch {
	case r.exact:
		return nanoseconds, 0
	case fits(nanoseconds) && fits(r.now):
		return nanoseconds, bucketOf(r.now - nanoseconds)
	}
	return nanoseconds, AgeBucket(*t, r.order.Now)
}

// fits reports whether a time is so near to 1970 that the difference of two such times fits an
// int64.
func fits(t int64) bool { return t > -1<<62 && t < 1<<62 }

// instant returns a time in nanoseconds since 1970. An unset time is the lowest number. Times more
// than 292 years from 1970 are the lowest number plus 1 or the highest number.
func instant(t time.Time) int64 {
	if s := t.Unix(); s > -9e9 && s < 9e9 {
		return s*1e9 + int64(t.Nanosecond())
	}
	switch {
	case t.IsZero():
		return math.MinInt64
	case t.Before(time.Unix(0, math.MinInt64+2)):
		return math.MinInt64 + 1
	case t.After(time.Unix(0, math.MaxInt64-1)):
		return math.MaxInt64
	}
	return t.UnixNano()
}

// newerFirst compares two results of instant: an unset time comes first, then the later time.
func newerFirst(a, b int64) int {
	switch {
	case a == b:
		return 0
	case a == math.MinInt64:
		return -1
	case b == math.MinInt64:
		return 1
	}
	return cmp.Compare(b, a)
}
