// SPDX-License-Identifier: Apache-2.0

package daemonset

// kinds counts nodes by kind. A plan mentions only a few nodes of some kinds.
type kinds struct {
	desired int32 // nodes that should run a pod
	empty   int   // of these, without a pod
	old     int   // with an old pod, all of them
	young   int   // with one pod, a new one that is not available
	ending  int   // with one pod, which is being deleted
}

// says returns how many nodes of each kind the plan may mention: the first ones by name, if
// not all. Nodes with an old pod that is not available are not counted here, since the plan
// mentions all of them.
func (in *input) says(k *kinds) (say kinds) {
	if in.opts.Freeze || in.unseen {
		return say
	}
	// Without surge a node with a pod that is being deleted is only counted.
	sum := in.opts.SumHolds && !SurgeAllowed(in.strategy, in.surge)
	if !sum {
		say.ending = k.ending
	}
	st := in.total(k.desired)
	burst := st.burst()
	if burst > 0 && k.empty > 0 { // the plan creates pods, and updates none
		say.empty = min(burst, k.empty)
		return say
	}
	say.empty = k.empty
	if k.old == 0 || in.strategy != RollingUpdate || in.ds.Paused {
		return say
	}
	budget := Resolve(in.strategy, in.surge, in.maxUnavailable, k.desired)
	if budget.Surge > 0 {
		say.old = min(int(budget.Surge), burst)
		return say
	}
	// Each new pod that is not available uses up one, and so does each pod being deleted.
	say.old = min(int(budget.Unavailable)-k.young-k.ending, st.inOrder())
	if !sum {
		say.young = k.young
	}
	return say
}

// total returns a state that contains only the number of nodes.
func (in *input) total(desired int32) *state { return &state{input: in, desired: desired} }
