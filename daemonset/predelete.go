package daemonset

// Holds reports whether the hook holds back the deletion of a pod: it carries any of
// the finalizers or any of the labels.
func (h *PreDelete) Holds(p *Pod) bool {
	if h == nil || p == nil {
		return false
	}
	for _, f := range h.Finalizers {
		for _, has := range p.Finalizers {
			if f == has {
				return true
			}
		}
	}
	for key, want := range h.Labels {
		if got, ok := p.Labels[key]; ok && got == want {
			return true
		}
	}
	return false
}

// splitPreDelete returns which of the wanted deletions may happen, and marks the pods
// that the hook holds. A mark is written once; it is not limited by the burst and never
// taken back.
func (st *state) splitPreDelete(p *Plan, remove []Deletion) (free []Deletion) {
	hook := st.ds.PreDelete
	if hook == nil {
		return remove
	}
	for _, d := range remove {
		if !hook.Holds(d.Pod) {
			free = append(free, d)
			continue
		}
		if st.hooked[d.Pod.Name] { // by an earlier step of this plan
			continue
		}
		if st.hooked == nil {
			st.hooked = map[string]bool{}
		}
		st.hooked[d.Pod.Name] = true
		if d.Pod.preparing() {
			p.hold(Hold{Node: d.Pod.target(), Name: d.Pod.Name, Reason: ReasonPreDelete})
		} else {
			p.do(PreparePod{
				Object: d.Pod.object(), Node: d.Pod.target(), State: StatePreparingDelete, Since: st.now,
				NotReady: hook.MarkNotReady && d.Pod.hasGate(GateKruiseReady), Reason: d.Reason,
			})
		}
	}
	return free
}
