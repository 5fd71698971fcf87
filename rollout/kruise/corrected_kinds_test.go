// SPDX-License-Identifier: Apache-2.0

package kruise_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/workload"
	"github.com/kplan-go/kplan/rollout/workload/quirk"
)

// A fleet is an ideal cluster with one workload of another kind than a Deployment, whose
// pods are all in one list. What its controller reports lags behind no write.
type fleet struct {
	*world
	stable    string   // the template that all pods had last
	revisions []string // of a native DaemonSet, the newest last
}

func newFleet(t *testing.T, ref workload.Ref, corrected quirk.Set) *fleet {
	c := &fleet{world: newWorld(t, 6, step(rollout.Percent(50), -1), step(rollout.Percent(100), -1)), stable: "v1", revisions: []string{"v1"}}
	c.opts.Repair = corrected
	c.r.WorkloadRef, c.w.Ref = ref, ref
	for i := range 6 {
		c.pods[""] = append(c.pods[""], workload.Pod{Name: fmt.Sprintf("demo-%d", i), Ready: true, Labels: map[string]string{workload.LabelControllerRevision: "v1"}})
	}
	c.controllerPass()
	c.until(func() bool { return c.r.Status.Sub != nil })
	return c
}

// revisionName is how the status of a kind names the revision of a template.
func (c *fleet) revisionName(template string) string {
	if c.w.Kind == "DaemonSet" {
		return template
	}
	return "demo-" + template
}

func (c *fleet) count(template string) (n int32) {
	for _, p := range c.pods[""] {
		if p.Labels[workload.LabelControllerRevision] == template {
			n++
		}
	}
	return n
}

// controllerPass updates as many pods as the partition lets it, and writes the status.
func (c *fleet) controllerPass() {
	fresh, pods := c.w.Template.ID, c.pods[""]
	rest := 6 - c.w.Partition.OfUp(6) - c.count(fresh)
	if c.w.Ref == daemonSet {
		rest = 0
		if control := c.w.Annotations[workload.AnnotationDaemonSetControl]; control != "" {
			rest = c.deleted(control)
		}
	}
	first := 0
	if c.w.Kind == "StatefulSet" { // which goes by ordinals: those from the partition on
		first, rest = int(c.w.Partition.OfUp(6)), 6
	}
	for i := len(pods) - 1; i >= first && rest > 0; i-- {
		if pods[i].Labels[workload.LabelControllerRevision] != fresh {
			pods[i].Labels = map[string]string{workload.LabelControllerRevision: fresh}
			rest--
		}
	}
	if c.count(fresh) == 6 {
		c.stable = fresh
	}
	c.w.StableRevision, c.w.UpdateRevision = c.revisionName(c.stable), c.revisionName(fresh)
	if c.w.Kind == "DaemonSet" {
		c.w.StableRevision = ""
	}
	n := c.count(fresh)
	c.w.Status = workload.Status{ObservedGeneration: c.w.Generation, Replicas: 6, ReadyReplicas: 6, AvailableReplicas: 6, UpdatedReplicas: n, UpdatedReadyReplicas: n}
}

// deleted is how many pods of a native DaemonSet are deleted for a batch, to become new.
func (c *fleet) deleted(control string) int32 {
	for n := range int32(7) {
		for _, revision := range c.revisions {
			if control == fmt.Sprintf(`{"partition":"%d","batch-revision":"%s"}`, n, revision) {
				return 6 - n - c.count(revision)
			}
		}
	}
	return 0
}

// update is what a person and the admission do; the rollout id is "" if there is none.
func (c *fleet) update(template, id string) {
	updated := c.w
	updated.Template.ID, updated.Template.Hash = template, template
	updated.Labels = c.w.Patched(workload.Patch{Labels: map[string]*string{workload.LabelRolloutID: nil}}).Labels
	if id != "" {
		updated.Labels[workload.LabelRolloutID] = id
	}
	a, err := planAdmission(kruise.AdmitSnapshot{Old: c.w, New: updated, Rollouts: []kruise.Rollout{c.r}}, c.opts)
	require.NoError(c.t, err)
	c.w = a.Object
	c.w.Generation++
	c.revisions = append(slices.DeleteFunc(c.revisions, func(s string) bool { return s == template }), template)
	c.controllerPass()
}

func (c *fleet) rolloutPass() {
	s := workload.InspectSnapshot{Workload: c.w}
	for i, hash := range c.revisions {
		s.Revisions = append(s.Revisions, workload.DaemonSetRevision{Revision: int64(i), Hash: hash})
	}
	facts := workload.Inspect(s)
	p, err := planRollout(kruise.Snapshot{Rollout: c.r, BatchRelease: c.br, Workload: &facts}, c.clock, c.opts)
	require.NoError(c.t, err)
	for _, a := range p.Actions {
		c.execute(a)
	}
	if p.Failure == "" {
		c.r.Status = p.Status
	}
	c.holds = p.Holds
}

func (c *fleet) batchPass() {
	if c.br != nil {
		p, err := planBatch(batchrelease.Snapshot{Release: *c.br, Workload: &c.w, Pods: slices.Clone(c.pods[""])}, c.clock, batchOptions(c.opts))
		require.NoError(c.t, err)
		c.br.Status, c.br.Status.ObservedGeneration = p.Status, c.br.Generation
		for _, a := range p.Actions {
			c.execute(a)
		}
	}
	c.controllerPass()
}

// pass lets everybody act once.
func (c *fleet) pass() {
	c.clock = c.clock.Add(time.Second)
	c.controllerPass()
	c.rolloutPass()
	c.controllerPass()
	c.batchPass()
}

// until goes on, at most for a while, and approves the pauses. It returns the sizes that
// it has passed.
func (c *fleet) until(done func() bool) (sizes []string) {
	for range 300 {
		if done() {
			return sizes
		}
		c.pass()
		if s := c.r.Status.Sub; s != nil && s.CurrentStepState == kruise.StatePaused {
			s.CurrentStepState = kruise.StateReady
		}
		sizes = append(sizes, fmt.Sprint(c.count("v1"), c.count("v2"), c.count("v3")))
	}
	return sizes
}

func (c *fleet) rolling() bool {
	return c.r.Status.Phase == kruise.PhaseProgressing && conditionOf(c.r.Status, workload.ConditionProgressing).Reason == kruise.ProgressInRolling
}

// otherKinds are those that are updated by partition, beside the Deployment.
func otherKinds() []workload.Ref {
	return []workload.Ref{
		cloneSet, statefulSet, {APIVersion: "apps.kruise.io/v1beta1", Kind: "StatefulSet", Name: "demo"}, kruiseSet, daemonSet,
	}
}

func kindOf(ref workload.Ref) string { return ref.APIVersion + " " + ref.Kind }

// butOtherTemplate are all quirks but one.
const butOtherTemplate = quirk.All &^ quirk.OtherTemplateReleased

// OtherTemplateReleased of the other kinds: wherever in the release of v2 the template changes again, its
// batches release no pod of v3 before the Rollout has seen that; then it releases v3, or
// what comes next.
func TestOtherTemplateOfTheOtherKinds(t *testing.T) {
	for _, ref := range otherKinds() {
		for _, next := range []string{"v3", "v2"} {
			t.Run(kindOf(ref)+", "+next, func(t *testing.T) {
				leaked, moments := 0, 0
				for _, repair := range []quirk.Set{butOtherTemplate, quirk.All} {
					for moment := range 40 {
						c := newFleet(t, ref, repair)
						c.update("v2", "")
						passes := 0
						c.until(func() bool { passes++; return passes > moment })
						if !c.rolling() {
							continue
						}
						c.update("v3", "")
						for range 5 {
							c.batchPass()
						}
						leaked += int(c.count("v3"))
						if !repair.Has(quirk.OtherTemplateReleased) {
							continue // a native DaemonSet never ends then
						}
						require.Zero(t, c.count("v3"), "moment %d", moment)
						if next == "v2" {
							c.update("v2", "")
						}
						c.until(c.phase(kruise.PhaseHealthy))
						require.EqualValues(t, 6, c.count(next), "moment %d", moment)
						require.Nil(t, c.br)
						moments++
					}
				}
				require.Positive(t, leaked, "it shows without the correction")
				require.Greater(t, moments, 10)
			})
		}
	}
}

// OtherTemplateReleased holds no batch that belongs to the release: with it and without it releases of the
// other kinds take the same passes, with an id of a person's or not, and back in batches.
func TestBatchesOfTheOtherKindsGoOn(t *testing.T) {
	for _, ref := range otherKinds() {
		for _, c := range []struct {
			why, begun, back, want string
			rest                   []string // rollout ids that are given in the middle
		}{
			{"a release", "", "", "v2", nil},
			{"back in batches", "", "v1", "v1", nil},
			{"with an id", "2026-08-01", "", "v2", nil},
			{"with an id, back in batches", "one", "v1", "v1", []string{"two"}},
			{"another id in the middle", "one", "", "v2", []string{"two", "three"}},
			{"no id any more", "one", "", "v2", []string{""}},
		} {
			t.Run(kindOf(ref)+", "+c.why, func(t *testing.T) {
				run := func(repair quirk.Set) []string {
					f := newFleet(t, ref, repair)
					f.r.Annotations = map[string]string{workload.AnnotationRollbackInBatch: "true"}
					f.update("v2", c.begun)
					sizes := f.until(func() bool { return f.rolling() && f.count("v2") == 3 })
					to := "v2"
					if c.back != "" {
						to = c.back
					}
					if c.back != "" && len(c.rest) == 0 {
						f.update(to, c.begun)
					}
					for _, id := range c.rest {
						f.update(to, id)
						for range 3 {
							f.pass()
						}
					}
					sizes = append(sizes, f.until(f.phase(kruise.PhaseHealthy))...)
					require.EqualValues(t, 6, f.count(c.want), "%v", sizes)
					require.Nil(t, f.br)
					return sizes
				}
				require.Equal(t, run(butOtherTemplate), run(quirk.All))
			})
		}
	}
}

// OtherTemplateReleased of the other kinds, its edges: whose template it is is told by the rollout id, where
// it can be told.
func TestHeldBatches(t *testing.T) {
	hash := func(s string) func(string) string { return func(template string) string { return s + template } }
	for _, kind := range []struct {
		ref      workload.Ref
		style    workload.Style
		revision func(template string) string
	}{
		{cloneSet, workload.Partition, hash("demo-")}, {statefulSet, workload.Partition, hash("demo-web-")}, {kruiseSet, workload.Partition, hash("")},
		{kruiseSet, workload.Partition, hash("demo-")}, {daemonSet, workload.Partition, hash("")}, {cloneSet, workload.Canary, hash("demo-")},
	} {
		for _, c := range []struct {
			why, begun, template, label string
			change                      func(br *batchrelease.Release, w *workload.Workload)
			held                        bool
		}{
			{"the template of the release", "", "v2", "", nil, false},
			{"another one", "", "v3", "", nil, true},
			{"one whose hash ends like it", "", "xv2", "", nil, true},
			{"the same id, whatever the template", "2026-08-01", "v3", "2026-08-01", nil, false},
			{"another id", "2026-08-01", "v2", "2026-09-01", nil, true},
			{"an id that only looks like that of a rollback", "rollback-one", "v2", "one", nil, true},
			{"no id any more", "2026-08-01", "v2", "", nil, true},
			{"a revision that is not known", "", "v3", "", func(_ *batchrelease.Release, w *workload.Workload) { w.UpdateRevision = "" }, false},
			{"no Rollout has let it in", "", "v3", "", func(_ *batchrelease.Release, w *workload.Workload) {
				delete(w.Annotations, workload.AnnotationInProgress)
			}, false},
			{"a plan without an id", "", "v3", "", func(br *batchrelease.Release, _ *workload.Workload) { br.ReleasePlan.RolloutID = "" }, false},
			{"a release that goes back", "", "v2", "", func(br *batchrelease.Release, _ *workload.Workload) {
				br.ReleasePlan.RolloutID = "rollback-" + br.ReleasePlan.RolloutID
			}, false},
			{"one that goes back to another one", "", "v3", "", func(br *batchrelease.Release, _ *workload.Workload) {
				br.ReleasePlan.RolloutID = "rollback-" + br.ReleasePlan.RolloutID
			}, true},
			{"what is not taken over yet", "", "v3", "", func(br *batchrelease.Release, _ *workload.Workload) { br.Status.Phase = batchrelease.PhasePreparing }, false},
		} {
			w := workload.Workload{Ref: kind.ref, Replicas: ptr.To(int32(6)), Partition: rollout.Int(6), StableRevision: kind.revision("v1"), UpdateRevision: kind.revision("v2")}
			w.Labels, w.Annotations = map[string]string{workload.LabelRolloutID: c.begun}, map[string]string{workload.AnnotationInProgress: "{}"}
			facts := workload.Inspect(workload.InspectSnapshot{Workload: w, Revisions: []workload.DaemonSetRevision{{Revision: 1, Hash: "v1"}, {Revision: 2, Hash: "v2"}}})
			br := kruise.ReleaseOf(kruise.Rollout{Name: "web", WorkloadRef: kind.ref, Canary: &kruise.Strategy{Steps: []kruise.Step{step(rollout.Percent(50), -1)}}}, facts, 1, 0)
			br.ReleasePlan.RollingStyle = kind.style
			br.Finalizers = []string{workload.FinalizerBatchRelease}
			br.Status = batchrelease.Status{Phase: batchrelease.PhaseProgressing, ObservedWorkloadReplicas: 6, StableRevision: "other", Current: batchrelease.CurrentBatch{BatchState: batchrelease.StateUpgrading}}
			w.UpdateRevision, w.Labels[workload.LabelRolloutID] = kind.revision(c.template), c.label
			if c.change != nil {
				c.change(&br, &w)
			}
			br.Status.UpdateRevision, br.Status.ObservedRolloutID, br.Status.ObservedReleasePlanHash = w.UpdateRevision, br.ReleasePlan.RolloutID, br.ReleasePlan.Hash()
			w.Status = workload.Status{Replicas: 6}
			for _, repair := range []quirk.Set{0, quirk.OtherTemplateReleased} {
				text := kindOf(kind.ref) + ": " + c.why
				p, err := planBatch(batchrelease.Snapshot{Release: br, Workload: &w}, now, batchrelease.Options{Repair: repair})
				require.NoError(t, err)
				if c.held && repair != 0 {
					require.Equal(t, "demo held back: ReleaseOutdated", p.String(), text)
					require.Equal(t, batchrelease.StateUpgrading, p.Status.Current.BatchState, text)
					continue
				}
				require.NotEmpty(t, p.Actions, text)
				require.Empty(t, p.Holds, text)
			}
		}
	}
}

// OtherTemplateReleased of a Deployment that is driven already: admission has stopped its controller, and a
// canary keeps its template, so that the batch of another template may go on.
func TestDrivenDeploymentsAreNotHeld(t *testing.T) {
	for _, style := range []workload.Style{workload.Partition, workload.Canary} {
		s := surged(deployment, "v3")
		s.Workload.Annotations[workload.AnnotationInProgress] = "{}"
		s.Release.ReleasePlan.RollingStyle = style
		s.Release.Status.ObservedReleasePlanHash = s.Release.ReleasePlan.Hash()
		s.Canary = &workload.Workload{Ref: deployment, Replicas: ptr.To(int32(0))}
		p, err := planBatch(s, now, batchrelease.Options{Repair: quirk.All})
		require.NoError(t, err)
		require.Empty(t, p.Holds)
		require.Equal(t, batchrelease.StateVerifying, p.Status.Current.BatchState)
	}
}

// OtherTemplateReleased of a native DaemonSet: its helper is told the revision of the batch, although the
// partition is the same.
func TestRevisionOfNativeBatches(t *testing.T) {
	for _, c := range []struct {
		why, told, revision string
		write               bool
	}{
		{"that of the template before", "v2", "v3", true},
		{"its own", "v3", "v3", false},
		{"it is not known", "v2", "", false},
	} {
		w := workload.Workload{Ref: daemonSet, Replicas: ptr.To(int32(6)), UpdateRevision: c.revision}
		w.Annotations = map[string]string{workload.AnnotationDaemonSetControl: `{"partition":"3","batch-revision":"` + c.told + `"}`}
		br := release(workload.Partition, rollout.Percent(50))
		br.WorkloadRef = daemonSet
		for _, repair := range []quirk.Set{0, quirk.OtherTemplateReleased} {
			p, write, _ := batchrelease.NewContext(br, w, nil, repair).UpgradePatch(w, nil, repair)
			require.Equal(t, c.write && repair != 0, write, c.why)
			if write {
				require.JSONEq(t, `{"partition":"3","batch-revision":"v3"}`, *p.Annotations[workload.AnnotationDaemonSetControl])
			}
		}
	}
}
