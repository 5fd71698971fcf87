package daemonset

import (
	"slices"
	"strings"

	"github.com/kplan-go/kplan/daemonset/inplace"
	"github.com/kplan-go/kplan/internal/zero"
)

// inPlace takes from wanted deletions the pods that can be updated in place. Those
// beyond the burst are neither updated nor deleted.
func (st *state) inPlace(p *Plan, remove []Deletion) []Deletion {
	if st.ds.RollingType != InPlaceIfPossible {
		return remove
	}
	specs := map[string]*inplace.Spec{}
	rest, updates, waiting := remove[:0:0], 0, 0
	for _, d := range remove {
		spec := st.inPlaceSpec(d.Pod, specs)
		switch {
		case spec == nil:
			rest = append(rest, d)
		case updates >= st.burst():
			waiting++
		default:
			updates++
			st.updateInPlace(p, d, spec)
		}
	}
	if waiting > 0 {
		p.hold(Hold{Reason: ReasonBurst, Have: int64(updates + waiting), Limit: int64(st.burst())})
	}
	return rest
}

func (st *state) updateInPlace(p *Plan, d Deletion, spec *inplace.Spec) {
	put := inplace.FirstBatch(d.Pod.Containers, spec, st.now)
	p.do(UpdatePod{
		Object: d.Pod.object(), Node: d.Pod.target(), From: d.Pod.Labels[LabelHash], To: st.version.Hash,
		CloseGate: spec.ClosesGate(), Patch: put, Reason: d.Reason,
	})
}

// inPlaceOptions are the options of the planner as far as updates in place read them.
func (st *state) inPlaceOptions() inplace.Options {
	return inplace.Options{VerticalScaling: st.opts.VerticalScaling, KeepMetadata: st.opts.Repair.Has(InPlaceRemovesAllMetadata)}
}

// inPlaceSpec returns how to update a pod in place, nil if it cannot be. Specs holds
// the answers for revisions so far.
func (st *state) inPlaceSpec(pod *Pod, specs map[string]*inplace.Spec) *inplace.Spec {
	hash, labelled := pod.Labels[LabelHash]
	if !labelled || !pod.hasGate(inplace.Gate) {
		return nil
	}
	if spec, known := specs[hash]; known {
		return spec
	}
	specs[hash] = nil
	for _, n := range st.old {
		if r := &st.revisions[n]; r.Labels[LabelHash] == hash {
			if spec, ok := inplace.CalculateSpec(r.Data, st.ds.Template.Data, st.version.Hash, st.inPlaceOptions()); ok {
				specs[hash] = &spec
			}
			break
		}
	}
	return specs[hash]
}

// refresh takes updates in place further. Kubernetes knows of none, and leaves those
// that another type has begun, unless [InPlaceLeftUnfinished] is repaired.
func (st *state) refresh(p *Plan) {
	if !st.opts.kruise() && !st.opts.Repair.Has(InPlaceLeftUnfinished) && st.ds.RollingType != InPlaceIfPossible {
		return
	}
	order := slices.Clone(st.owned)
	order = slices.DeleteFunc(order, func(i int32) bool { return !st.pods[i].touched() })
	slices.SortFunc(order, func(i, j int32) int { return strings.Compare(st.pods[i].Name, st.pods[j].Name) })
	for _, i := range order {
		st.refreshPod(p, &st.pods[i])
	}
}

// InPlacePod is what updates in place read of the pod.
func (p *Pod) InPlacePod() inplace.Pod {
	p = zero.Or(p)
	return inplace.Pod{Annotations: p.Annotations, Containers: p.Containers, RuntimePlain: p.RuntimePlain, RuntimeEnv: p.RuntimeEnv}
}

// touched reports whether there may be something to refresh.
func (p *Pod) touched() bool {
	return p.hasGate(inplace.Gate) || inplace.UnderWay(p.Annotations)
}

func (st *state) refreshPod(p *Plan, pod *Pod) {
	a := RefreshPod{Object: pod.object(), Node: pod.target()}
	step := inplace.Continue(pod.InPlacePod(), pod.Labels[LabelHash], st.now)
	switch {
	case step.Wait:
		if !step.RecheckAt.IsZero() {
			p.recheck(step.RecheckAt)
		}
		p.hold(Hold{Node: pod.target(), Name: pod.Name, Reason: ReasonInPlace})
	case step.DropGrace:
		a.Patch, a.DropGrace, a.Reason = step.Put, true, ReasonGraceOver
		p.do(a)
	case step.Put != nil:
		a.Patch, a.Reason = step.Put, ReasonNextBatch
		p.do(a)
	case pod.hasGate(inplace.Gate) && (pod.InPlace == nil || *pod.InPlace != inplace.ReadyCondition{True: true}):
		a.OpenGate, a.Reason = true, ReasonInPlaceCompleted
		p.do(a)
	}
}
