package daemonset

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/kplan-go/kplan/internal/zero"
)

// inPlace takes from wanted deletions the pods that can be updated in place. Those
// beyond the burst are neither updated nor deleted.
func (st *state) inPlace(p *Plan, remove []Deletion) []Deletion {
	if st.ds.RollingType != InPlaceIfPossible {
		return remove
	}
	specs := map[string]*InPlaceSpec{}
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

func (st *state) updateInPlace(p *Plan, d Deletion, spec *InPlaceSpec) {
	put := FirstBatch(d.Pod.Containers, spec, st.now)
	p.do(UpdatePod{
		Object: d.Pod.object(), Node: d.Pod.target(), From: d.Pod.Labels[LabelHash], To: st.version.Hash,
		CloseGate: spec.closesGate(), Patch: put, Reason: d.Reason,
	})
}

// closesGate reports whether a pod stops being ready to be updated: not if only
// resources change, and no container restarts for them.
func (s *InPlaceSpec) closesGate() bool {
	return len(s.Images)+len(s.Refs) > 0 || len(s.Resources) == 0 || s.Restart
}

// inPlaceSpec returns how to update a pod in place, nil if it cannot be. Specs holds
// the answers for revisions so far.
func (st *state) inPlaceSpec(pod *Pod, specs map[string]*InPlaceSpec) *InPlaceSpec {
	hash, labelled := pod.Labels[LabelHash]
	if !labelled || !pod.hasGate(GateInPlace) {
		return nil
	}
	if spec, known := specs[hash]; known {
		return spec
	}
	specs[hash] = nil
	for _, n := range st.old {
		if r := &st.revisions[n]; r.Labels[LabelHash] == hash {
			if spec, ok := InPlace(r.Data, st.ds.Template.Data, st.version.Hash, st.opts); ok {
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

// touched reports whether there may be something to refresh.
func (p *Pod) touched() bool {
	return p.hasGate(GateInPlace) || p.annotation(AnnotationInPlaceState) != "" || p.annotation(AnnotationInPlaceGrace) != ""
}

// annotation returns the annotation of a name, or of its old name.
func (p *Pod) annotation(name string) string {
	if text, ok := p.Annotations[name]; ok {
		return text
	}
	return p.Annotations[strings.TrimPrefix(name, "apps.kruise.io/")]
}

func (st *state) refreshPod(p *Plan, pod *Pod) {
	a := RefreshPod{Object: pod.object(), Node: pod.target()}
	if pod.annotation(AnnotationInPlaceGrace) != "" {
		st.refreshGrace(p, pod, a)
		return
	}
	if text := pod.annotation(AnnotationInPlaceState); text != "" {
		var state InPlaceState
		if json.Unmarshal([]byte(text), &state) != nil || !pod.updated(&state) {
			st.waits(p, pod)
			return
		}
		if state.pending() {
			if !pod.ready(state.PreCheck) {
				st.waits(p, pod)
				return
			}
			put := NextBatch(pod.Containers, &state, st.now)
			a.Patch, a.Reason = &put, ReasonNextBatch
			p.do(a)
			return
		}
	}
	if open := (InPlaceCondition{True: true}); pod.hasGate(GateInPlace) && (pod.InPlace == nil || *pod.InPlace != open) {
		a.OpenGate, a.Reason = true, ReasonInPlaceCompleted
		p.do(a)
	}
}

func (st *state) waits(p *Plan, pod *Pod) {
	p.hold(Hold{Node: pod.target(), Name: pod.Name, Reason: ReasonInPlace})
}

// A grace is what the annotation [AnnotationInPlaceGrace] carries.
type grace struct {
	Revision string                 `json:"revision"`
	Images   map[string]string      `json:"containerImages"`
	Refs     map[string]RefMetadata `json:"containerRefMetadata"`
	FromEnv  bool                   `json:"updateEnvFromMetadata"`
	Seconds  int64                  `json:"graceSeconds"`
}

// refreshGrace ends a grace period that another writer has put on a pod.
func (st *state) refreshGrace(p *Plan, pod *Pod, a RefreshPod) {
	var g grace
	var state InPlaceState
	if json.Unmarshal([]byte(pod.annotation(AnnotationInPlaceGrace)), &g) != nil {
		st.waits(p, pod)
		return
	}
	a.DropGrace, a.Reason = true, ReasonGraceOver
	if pod.Labels[LabelHash] != g.Revision {
		p.do(a)
		return
	}
	if json.Unmarshal([]byte(pod.annotation(AnnotationInPlaceState)), &state) != nil {
		st.waits(p, pod)
		return
	}
	seconds := min(max(g.Seconds, 0), 1<<31)
	if end := state.Timestamp.Add(time.Duration(seconds) * time.Second); st.now.Before(end) {
		p.recheck(end)
		st.waits(p, pod)
		return
	}
	put := FirstBatch(pod.Containers, &InPlaceSpec{Revision: g.Revision, Images: g.Images, Refs: g.Refs, FromEnv: g.FromEnv}, st.now)
	a.Patch = &put
	p.do(a)
}

// pending reports whether another batch is to come.
func (s *InPlaceState) pending() bool {
	return len(s.NextImages)+len(s.NextRefs)+len(s.NextScales) > 0
}

// InPlaceCompleted reports whether the update in place of a pod is over, as far as its
// annotations tell. A pod without one is not being updated, and has completed.
func InPlaceCompleted(p *Pod) bool {
	p = zero.Or(p)
	if p.annotation(AnnotationInPlaceGrace) != "" {
		return false
	}
	text := p.annotation(AnnotationInPlaceState)
	if text == "" {
		return true
	}
	var state InPlaceState
	return json.Unmarshal([]byte(text), &state) == nil && !state.pending() && p.updated(&state)
}

// updated reports whether the containers run what the last batch wrote.
func (p *Pod) updated(s *InPlaceState) bool {
	switch {
	case s.FromEnv && !p.RuntimeEnv:
		return false
	case p.RuntimePlain:
		return true
	}
	for name, was := range s.Last {
		i := slices.IndexFunc(p.Containers, func(c Container) bool { return c.Name == name })
		if i < 0 || !p.Containers[i].changed(was.ImageID) {
			return false
		}
	}
	return true
}

// changed reports whether the container no longer runs the image with the ID, or runs
// the image that it should, which may be the same.
func (c *Container) changed(imageID string) bool {
	if c.Status == nil {
		return false
	}
	want := c.Image
	if !strings.Contains(want, ":") {
		want += ":latest"
	}
	return c.Status.ImageID != imageID || c.Status.Image == want
}

// ready reports whether the containers that the next batch waits for are ready.
func (p *Pod) ready(check *InPlacePreCheck) bool {
	if check == nil {
		return true
	}
	for _, name := range check.Ready {
		if !slices.ContainsFunc(p.Containers, func(c Container) bool { return c.Name == name && c.Status != nil && c.Status.Ready }) {
			return false
		}
	}
	return true
}
