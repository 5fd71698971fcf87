// SPDX-License-Identifier: Apache-2.0

package rollout

// A Set holds the counts of the pods of one template, such as the pods of a ReplicaSet.
type Set struct {
	Wanted    int32 `json:"wanted"`    // the pods that the set wants, its spec.replicas
	Available int32 `json:"available"` // available pods; may exceed Wanted while pods are being deleted
	// Before is how many pods all sets could want together when this set was last scaled; 0 if
	// unknown. It is read when sets are scaled in proportion.
	Before int32 `json:"before,omitzero"`
	// There is the number of pods that exist, terminating pods included if they take up room.
	// Only some policies read it.
	There int32 `json:"there,omitzero"`
	// Least is a lower bound set by a user: no step shrinks the set below it.
	Least int32 `json:"least,omitzero"`
	// Protected is the number of pods that are in use and stay until they end by themselves,
	// such as game servers with players: see [Counting].ProtectedApart.
	Protected int32 `json:"protected,omitzero"`
	// Moves means that the pods of an old set move to the new set, updated in place, instead
	// of being replaced. Busy means that pods are moving to this set or are being updated in
	// place. See [Step].
	Moves bool `json:"moves,omitzero"`
	Busy  bool `json:"busy,omitzero"`
	// Age orders sets by age: an older set has a lower number.
	Age int `json:"age,omitzero"`
}

// Counting holds how counts of pods are summed up and compared. The zero Counting is Kubernetes: sums
// wrap around beyond the range of int32, and all available pods of a set count. Each function
// that takes a Counting reads all its members, unless its comment says otherwise.
type Counting struct {
	ExactSums     bool `json:"exactSums,omitzero"`     // sums and limits do not wrap around beyond the range of int32
	ExactProducts bool `json:"exactProducts,omitzero"` // products of a scaling in proportion do not wrap around
	CapAvailable  bool `json:"capAvailable,omitzero"`  // a set has no more available pods than it wants when they are summed up
	CapOld        bool `json:"capOld,omitzero"`        // an old set never has more available pods than it wants
	// ProtectedApart means that Wanted does not include protected pods: a set may want no pods
	// and still have protected pods. By default Wanted includes them, and no step shrinks a
	// set below its protected pods.
	ProtectedApart bool `json:"protectedApart,omitzero"`
}

// Sum returns n as decisions use it: by default it wraps around to an int32, as in Kubernetes.
//
//	Sum(n) = n, if sums are exact
//	Sum(n) = n modulo 2^32, from -2^31 to 2^31-1, otherwise
func (p Counting) Sum(n int64) int64 {
	if p.ExactSums {
		return n
	}
	return int64(int32(n))
}

// Size returns n as it is written to a set: by default it wraps around to an int32; with
// ExactSums it is limited to the range of int32.
//
//	Size(n) = max(-2^31, min(n, 2^31-1)), if sums are exact
//	Size(n) = n modulo 2^32, from -2^31 to 2^31-1, otherwise
func (p Counting) Size(n int64) int32 {
	if p.ExactSums {
		return saturate(n)
	}
	return int32(n)
}

// MaxTotal returns how many pods all sets may want together: replicas + surge.
func (p Counting) MaxTotal(b Budget) int64 { return p.Sum(int64(b.Replicas) + int64(b.Surge)) }

// MinAvailable returns how many pods must stay available: replicas - unavailable.
func (p Counting) MinAvailable(b Budget) int64 {
	return p.Sum(int64(b.Replicas) - int64(b.Unavailable))
}

// capped returns the available pods of a set, at most the wanted ones:
//
//	max(0, min(available, wanted))
func (s Set) capped() int64 { return int64(max(0, min(s.Available, s.Wanted))) }

// of returns the available pods of a set, by the policies CapAvailable and CapOld. old means that
// it is an old set.
func (p Counting) of(s Set, old bool) int64 {
	if p.CapAvailable || old && p.CapOld {
		return s.capped()
	}
	return int64(s.Available)
}
