// SPDX-License-Identifier: Apache-2.0

package rollout

// A Set holds the pods of one template, as counts.
type Set struct {
	Wanted    int32 `json:"wanted"`    // pods that it wants
	Available int32 `json:"available"` // pods that are available; more than Wanted if some are being removed
	// Before is how many pods all sets could want together when this one was last scaled; 0
	// if not known. It is read when sets are scaled in proportion.
	Before int32 `json:"before,omitzero"`
	// There is how many pods exist. Some policies read it.
	There int32 `json:"there,omitzero"`
	// Least is the lower bound that a user sets: the set never shrinks below it.
	Least int32 `json:"least,omitzero"`
	// Protected is how many of its pods are in use and stay until they end by themselves,
	// such as game servers with players: see [Policy].ProtectedApart.
	Protected int32 `json:"protected,omitzero"`
	// Moves means that its pods move to the new set instead of being replaced, and Busy
	// that pods are moving to it, or are being changed in place: see [Step].
	Moves bool `json:"moves,omitzero"`
	Busy  bool `json:"busy,omitzero"`
	// Age orders sets: the older one has the lower number.
	Age int `json:"age,omitzero"`
}

// A Policy determines how pods are counted. The zero Policy counts as Kubernetes does. The first
// four avoid overflow, or ignore pods that are not wanted. Each of the others has an
// equation, an invariant, and projects that need it:
//
//	Together         Roll grows and shrinks from one snapshot: both bounds hold      Cluster API, Agones
//	CountLarger      room(set) = max(wanted, there): pods there within the surge     Cluster API
//	CountThere       room(set) = there: pods there within the surge, if WaitForNew     machine-controller-manager, Agones
//	WorstCase        ShrinkWorstCase: the minimum whichever pods go                  Cluster API
//	BreakDeadlock    old(Deadlock) - 1: at most one pod below the minimum            Cluster API
//	ScaleNewest      new + the added pods: old sets do not grow                      machine-controller-manager
//	ProtectedApart   replicas - protected(old) are the new set's: see Places         Agones
//	WaitForNew       new = wanted while there != wanted: one step after the other    Agones
//	FreezeOvershoot  new <= wanted while there > replicas + surge: no growth         machine-controller-manager
//	OnDelete         see OnDelete: only pods beyond the replicas go                  Cluster API, and all with deletion by users
//	OfReady          see ResolveReady: no more than the share of ready pods goes      Agones
//
// The policies of a single set are members of [Set]: Least, Protected, Moves.
type Policy struct {
	ExactSums     bool `json:"exactSums,omitzero"`     // sums and limits do not wrap around beyond the range of int32
	ExactProducts bool `json:"exactProducts,omitzero"` // products of a scaling in proportion do not wrap around
	CapAvailable  bool `json:"capAvailable,omitzero"`  // a set has no more available pods than it wants when they are summed up
	CapOld        bool `json:"capOld,omitzero"`        // an old set never has more available pods than it wants
	Together      bool `json:"together,omitzero"`      // one step of a rolling update grows the new set and shrinks old ones
	CountLarger   bool `json:"countLarger,omitzero"`   // the larger of the pods that a set wants and has takes up room: see [Policy.Existing]
	CountThere    bool `json:"countThere,omitzero"`    // the pods that a set has take up room, not the ones it wants
	WorstCase     bool `json:"worstCase,omitzero"`     // available pods may be removed first: see [ShrinkWorstCase]
	ScaleNewest   bool `json:"scaleNewest,omitzero"`   // pods added when replicas change all go to the new set: see [Scale]
	// ProtectedApart means that the wanted pods of a set do not include the protected ones,
	// so that it may want no pods while these stay. By default they are included, and the
	// set wants no fewer.
	ProtectedApart  bool `json:"protectedApart,omitzero"`
	WaitForNew      bool `json:"waitForNew,omitzero"`      // the new set keeps its size until all pods that it wants exist
	FreezeOvershoot bool `json:"freezeOvershoot,omitzero"` // nothing is added while more pods exist than may be wanted
	BreakDeadlock   bool `json:"breakDeadlock,omitzero"`   // a step that would change nothing may remove one pod more: see [Deadlock]
	OnDelete        bool `json:"onDelete,omitzero"`        // old pods stay until a user deletes them: see [Step] and [OnDelete]
	OfReady         bool `json:"ofReady,omitzero"`         // the unavailable share of a [Budget] is taken of ready pods: see [ResolveReady]
}

// Sum returns a sum as it is used in decisions: by default it wraps around.
//
//	Sum(n) = n, if sums are exact
//	Sum(n) = n modulo 2^32, from -2^31 to 2^31-1, otherwise
func (p Policy) Sum(n int64) int64 {
	if p.ExactSums {
		return n
	}
	return int64(int32(n))
}

// Size returns a sum as it is written to a set: by default it wraps around; exact sums end
// at the bounds of int32.
//
//	Size(n) = max(-2^31, min(n, 2^31-1)), if sums are exact
//	Size(n) = n modulo 2^32, from -2^31 to 2^31-1, otherwise
func (p Policy) Size(n int64) int32 {
	if p.ExactSums {
		return saturate(n)
	}
	return int32(n)
}

// MaxTotal returns how many pods all sets may want together: replicas + surge.
func (p Policy) MaxTotal(b Budget) int64 { return p.Sum(int64(b.Replicas) + int64(b.Surge)) }

// MinAvailable returns how many pods must stay available: replicas - unavailable.
func (p Policy) MinAvailable(b Budget) int64 { return p.Sum(int64(b.Replicas) - int64(b.Unavailable)) }

// capped returns the available pods of a set, at most the wanted ones:
//
//	max(0, min(available, wanted))
func (s Set) capped() int64 { return int64(max(0, min(s.Available, s.Wanted))) }

// of returns the available pods of a set as a sum counts them.
func (p Policy) of(s Set, old bool) int64 {
	if p.CapAvailable || old && p.CapOld {
		return s.capped()
	}
	return int64(s.Available)
}
