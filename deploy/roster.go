// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"github.com/kplan-go/kplan/internal/base/paged"
	"github.com/kplan-go/kplan/internal/base/tracked"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
)

// A roster holds the ReplicaSets and pods of a Tracker. A pass reads it in place of lists.
type roster struct {
	sets    tracked.Table[replicaset.ReplicaSet, ofSets]
	places  paged.List[int32] // of each set in near, from 1; 0 if plans do not read it
	near    paged.List[int32] // the sets that a plan reads
	pods    tracked.Table[podorder.Pod, tracked.Pods]
	running tracked.Counter // of the pods that have not ended, by the UID of their controller
}

// ofSets is the kind of ReplicaSets.
type ofSets struct{}

func (ofSets) Word() string                             { return "ReplicaSet" }
func (ofSets) Path() string                             { return "ReplicaSet" }
func (ofSets) Name(rs *replicaset.ReplicaSet) string    { return rs.Name }
func (ofSets) UID(rs *replicaset.ReplicaSet) string     { return rs.UID }
func (ofSets) Version(rs *replicaset.ReplicaSet) string { return rs.ResourceVersion }

func (r *roster) clone() roster {
	return roster{r.sets.Clone(), r.places.Clone(), r.near.Clone(), r.pods.Clone(), r.running.Clone()}
}

// nearAt returns one of the sets that a plan reads.
func (r *roster) nearAt(k int) *replicaset.ReplicaSet { return r.sets.At(int(r.near.At(k))) }

// named returns the set with a name, or nil.
func (r *roster) named(name string) *replicaset.ReplicaSet {
	if i := r.sets.Find(name); i >= 0 {
		return r.sets.At(i)
	}
	return nil
}
