// SPDX-License-Identifier: Apache-2.0

package rollout

// A Set is the pods of one template, in counts.
type Set struct {
	Wanted    int32 `json:"wanted"`    // pods that it wants
	Available int32 `json:"available"` // pods that are available; more than Wanted if some are about to go
	// Before is how many pods all sets could want together when this one was last scaled;
	// 0 if that is not known. It is read where sets are scaled in proportion.
	Before int32 `json:"before,omitzero"`
	// There is how many pods exist. It is read where a policy says so.
	There int32 `json:"there,omitzero"`
	// Least is how many pods the set keeps, whatever else is decided: a lower bound that a
	// user gives it.
	Least int32 `json:"least,omitzero"`
	// Protected is how many of its pods are in use and stay until they end by themselves, such
	// as game servers with players: see [Policy].ProtectedApart.
	Protected int32 `json:"protected,omitzero"`
	// Moves says that its pods move to the new set instead of being replaced, and Busy that
	// pods are on the move to it, or are being changed where they are: see [Step].
	Moves bool `json:"moves,omitzero"`
	Busy  bool `json:"busy,omitzero"`
	// Age orders sets: the older of two has the lower one.
	Age int `json:"age,omitzero"`
}

// A Policy says how counts are reckoned. The zero Policy reckons as Kubernetes does. The first
// four take out what wraps around, or counts what is not wanted. Of the others each has an
// equation, something that holds whatever is decided, and projects that need it:
//
//	Together         Roll grows and shrinks from one snapshot: both bounds hold      Cluster API, Agones
//	CountLarger      room(set) = max(wanted, there): pods there within the surge     Cluster API
//	CountThere       room(set) = there: pods there within the surge, if WaitForNew     machine-controller-manager, Agones
//	WorstCase        ShrinkWorstCase: the minimum whichever pods go                  Cluster API
//	BreakDeadlock    old(Deadlock) - 1: at most one pod below the minimum            Cluster API
//	ScaleNewest      new + what is added: old sets do not grow                       machine-controller-manager
//	ProtectedApart   replicas - protected(old) are the new set's: see Places         Agones
//	WaitForNew       new = wanted while there != wanted: one step after the other    Agones
//	FreezeOvershoot  new <= wanted while there > replicas + surge: no growth         machine-controller-manager
//	OnDelete         see OnDelete: no pod goes but those beyond the replicas         Cluster API, and all who let people choose
//	OfReady          see ResolveReady: no more than the share of ready pods goes      Agones
//
// What a single set keeps, or that its pods move, is said by the set: Least, Protected, Moves.
type Policy struct {
	ExactSums     bool `json:"exactSums,omitzero"`     // sums and limits do not wrap around beyond the range of int32
	ExactProducts bool `json:"exactProducts,omitzero"` // products of a scaling in proportion do not wrap around
	CapAvailable  bool `json:"capAvailable,omitzero"`  // a set has no more available pods than it wants when they are summed up
	CapOld        bool `json:"capOld,omitzero"`        // an old set never has more available pods than it wants
	Together      bool `json:"together,omitzero"`      // one step of a rolling update grows the new set and shrinks old ones
	CountLarger   bool `json:"countLarger,omitzero"`   // the larger of what a set wants and what is there takes up room: see [Policy.Existing]
	CountThere    bool `json:"countThere,omitzero"`    // what is there takes up room, whatever a set wants
	WorstCase     bool `json:"worstCase,omitzero"`     // whoever removes pods may take available ones first: see [ShrinkWorstCase]
	ScaleNewest   bool `json:"scaleNewest,omitzero"`   // pods that are added when replicas change are all of the new set: see [Scale]
	// ProtectedApart says that the wanted pods of a set are those beside the protected ones, so
	// that it may want none while they stay. By default they are among them, and it wants
	// no fewer.
	ProtectedApart  bool `json:"protectedApart,omitzero"`
	WaitForNew      bool `json:"waitForNew,omitzero"`      // the new set keeps its size until all that it wants are there
	FreezeOvershoot bool `json:"freezeOvershoot,omitzero"` // nothing is added while more pods are there than may be wanted
	BreakDeadlock   bool `json:"breakDeadlock,omitzero"`   // a step that would change nothing may take one pod more: see [Deadlock]
	OnDelete        bool `json:"onDelete,omitzero"`        // old pods stay until somebody deletes them: see [Step] and [OnDelete]
	OfReady         bool `json:"ofReady,omitzero"`         // who resolves a [Budget] takes the share that may be unavailable of ready pods: see [ResolveReady]
}

// Sum is a sum as decisions see it: by default it wraps around.
//
//	Sum(n) = n, if sums are exact
//	Sum(n) = n modulo 2^32, from -2^31 to 2^31-1, otherwise
func (p Policy) Sum(n int64) int64 {
	if p.ExactSums {
		return n
	}
	return int64(int32(n))
}

// Size is a sum as it is written: by default it wraps around, and exact it ends at the
// bounds of int32.
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

// capped returns the available pods of a set, as far as it wants them:
//
//	max(0, min(available, wanted))
func (s Set) capped() int64 { return int64(max(0, min(s.Available, s.Wanted))) }

// of returns the available pods of a set as they are summed up.
func (p Policy) of(s Set, old bool) int64 {
	if p.CapAvailable || old && p.CapOld {
		return s.capped()
	}
	return int64(s.Available)
}
