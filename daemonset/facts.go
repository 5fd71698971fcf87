// SPDX-License-Identifier: Apache-2.0

package daemonset

// facts are the answers about a pod that a plan needs again and again. Large clusters are
// planned in one pass over the pods and several over their facts.
type facts uint8

const (
	isTerminating facts = 1 << iota // it is being deleted
	isFinished                      // it has ended
	isPreparing                     // it is about to be deleted
	isCurrent                       // it is new, after what the plan relabels
	isReady
	isAvailable // has been ready for minReadySeconds
	isServing   // available for the status
	isTouched   // there may be an update in place to refresh
)

// factsOf returns the facts of a pod; hash is its hash after the plan has relabelled it.
func factsOf(p *Pod, hash string, v *Version, a *Availability, kruise bool) facts {
	f := when(p.terminating(), isTerminating) | when(p.Finished(), isFinished) | when(v.matches(hash, p), isCurrent) |
		when(p.Ready, isReady) | when(a.Available(p), isAvailable) | when(p.touched(), isTouched)
	if kruise {
		return f | when(p.preparing(), isPreparing) | when(a.StatusAvailable(p), isServing)
	}
	return f | when(f.has(isAvailable), isServing)
}

// place returns the node that counts a pod of the DaemonSet, "" if no node does.
func (p *Pod) place(f facts, kruise bool) string {
	if !kruise && f.has(isFinished) && f.has(isTerminating) {
		return ""
	}
	return p.target()
}

// settled reports whether a pod that is alone on its node, and may stay there, certainly
// stays.
func (f facts) settled() bool { return !f.has(isTerminating | isFinished | isPreparing) }

// upToDate reports whether a pod that is alone on its node certainly leaves nothing to update.
func (f facts) upToDate() bool {
	return f&(isTerminating|isPreparing|isCurrent|isAvailable) == isCurrent|isAvailable
}

// isOld reports whether an update replaces the pod.
func (f facts) isOld() bool { return !f.has(isTerminating | isCurrent) }

// has reports whether any of the facts holds.
func (f facts) has(any facts) bool { return f&any != 0 }

func when(holds bool, f facts) facts {
	if holds {
		return f
	}
	return 0
}

// A podFacts is a pod with its facts, or the zero podFacts for none.
type podFacts struct {
	number int32 // from 1
	facts
}

func (p podFacts) exists() bool { return p.number > 0 }

// preparing reports whether there is a pod that is about to be deleted.
func (p podFacts) preparing() bool { return p.exists() && p.has(isPreparing) }

// unavailable returns why a pod is not available.
func (p podFacts) unavailable() Reason {
	if p.has(isReady) {
		return ReasonNotAvailable
	}
	return ReasonNotReady
}

// uses returns why a node uses up the budget of an update without surge if its only pod has
// these facts, "" if it does not.
func (f facts) uses() Reason {
	switch {
	case f.has(isTerminating):
		return ReasonTerminating
	case f.has(isCurrent) && !f.has(isAvailable):
		return podFacts{facts: f}.unavailable()
	}
	return ""
}

// ends returns why a node waits for the end of its only pod, "" if it does not.
func (f facts) ends() Reason {
	if f.has(isTerminating) {
		return ReasonTerminating
	}
	return ""
}
