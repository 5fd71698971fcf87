package rollout_test

import (
	"fmt"
	"strings"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/rollout"
)

// An argoWorld is an ideal cluster with one Rollout of Argo: every pod becomes
// available between passes.
type argoWorld struct {
	t     require.TestingT
	clock time.Time
	s     rollout.ArgoSnapshot
	plan  rollout.ArgoPlan // the last one
	check func()
}

func newArgoWorld(t require.TestingT, replicas int32, steps ...rollout.ArgoStep) *argoWorld {
	w := &argoWorld{t: t, clock: now}
	w.s.Rollout = rollout.ArgoObject{Name: "web", Generation: 1, TemplateHash: "v1", Replicas: &replicas, Steps: steps}
	return w
}

// green makes the update blue-green.
func (w *argoWorld) green(b rollout.ArgoPreview) *argoWorld {
	w.s.Rollout.BlueGreen = &b
	w.s.Active, w.s.Preview = &rollout.ArgoService{Name: "active"}, &rollout.ArgoService{Name: "preview"}
	return w
}

// pass executes one plan and lets its pods become available. It reports whether anything
// changed.
func (w *argoWorld) pass() bool {
	p, err := planArgo(w.s, w.clock)
	require.NoError(w.t, err)
	before := w.s.Rollout.Status
	for _, a := range p.Actions {
		w.execute(a)
		if w.check != nil {
			w.check()
		}
	}
	w.s.Rollout.Status, w.plan = p.Status, p
	for i := range w.s.Sets {
		set := &w.s.Sets[i]
		set.AvailableReplicas, set.StatusReplicas, set.ReadyReplicas = set.Replicas, set.Replicas, set.Replicas
	}
	return len(p.Actions) > 0 || !cmp.Equal(before, p.Status)
}

func (w *argoWorld) set(hash string) *rollout.ArgoReplicaSet {
	for i := range w.s.Sets {
		if w.s.Sets[i].Hash == hash {
			return &w.s.Sets[i]
		}
	}
	require.Fail(w.t, "no such set", hash)
	return nil
}

func (w *argoWorld) execute(a rollout.ArgoAction) {
	switch a := a.(type) {
	case rollout.CreateReplicaSet:
		w.s.Sets = append(w.s.Sets, rollout.ArgoReplicaSet{
			Name: a.Name, Hash: a.Hash, Revision: a.Revision, DesiredReplicas: &a.Desired, CreationTimestamp: w.clock, ArgoSet: rollout.ArgoSet{Replicas: a.Replicas},
		})
	case rollout.ScaleReplicaSet:
		set := w.set(a.Hash)
		require.Equal(w.t, a.From, set.Replicas)
		set.Replicas, set.DesiredReplicas = a.To, &a.Desired
	case rollout.DelayReplicaSet:
		w.set(a.Hash).ScaleDownAt = a.Until
	case rollout.ArgoSelectPods:
		for _, s := range []**rollout.ArgoService{&w.s.Active, &w.s.Preview} {
			if (*s).Name == a.Service {
				*s = &rollout.ArgoService{Name: a.Service, Selector: map[string]string{a.Key: a.Value}}
			}
		}
	default:
		require.Fail(w.t, "not executed", "%v", a)
	}
}

// run goes on until nothing changes any more, and time will change nothing. It resumes
// what waits for a person if asked to.
func (w *argoWorld) run(approve bool) {
	for range 400 {
		changed := w.pass()
		switch {
		case changed:
		case w.plan.RecheckAt.After(w.clock):
			w.clock = w.plan.RecheckAt.Add(1)
		case approve && len(w.s.Rollout.Status.PauseConditions) > 0:
			w.s.Rollout.Status.PauseConditions = nil // a person resumes
		default:
			return
		}
	}
}

func (w *argoWorld) sizes() string {
	var parts []string
	for _, set := range w.s.Sets {
		if set.Replicas > 0 {
			parts = append(parts, fmt.Sprintf("%s=%d", set.Hash, set.Replicas))
		}
	}
	return strings.Join(parts, " ")
}

func weight(n int32) rollout.ArgoStep { return rollout.ArgoStep{SetWeight: &n} }

func argoPause(seconds int32) rollout.ArgoStep {
	p := &rollout.ArgoPause{}
	if seconds >= 0 {
		p.Duration = &seconds
	}
	return rollout.ArgoStep{Pause: p}
}
