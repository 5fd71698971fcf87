// SPDX-License-Identifier: Apache-2.0

package kruise

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/apply"
	"github.com/kplan-go/kplan/internal/base/quirkset"
	"github.com/kplan-go/kplan/internal/base/union"
	"github.com/kplan-go/kplan/internal/base/zero"
	"github.com/kplan-go/kplan/rollout/kruise/reason"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/workload"
	"github.com/kplan-go/kplan/rollout/workload/quirk"
)

// An AdmitSnapshot is the input of [Admit]: an update of a workload, and the objects around it.
type AdmitSnapshot struct {
	Old workload.Workload `json:"old"`
	New workload.Workload `json:"new"`
	// Rollouts are the Rollouts of the namespace, in the order of the list: the first that
	// matches counts.
	Rollouts []Rollout `json:"rollouts,omitempty"`
	// Sets are the ReplicaSets that a Deployment controls, in any order.
	Sets []workload.Set `json:"sets,omitempty"`
}

// An Admission is the answer to an update of a workload.
type Admission struct {
	// Changed means that the API server must store Object in place of the object that was sent.
	Changed bool              `json:"changed,omitzero"`
	Object  workload.Workload `json:"object"`
	Reason  kplan.Reason      `json:"reason"`
}

// EffectiveChange reports whether an update of a workload begins a release. If not, it also returns
// the reason.
func EffectiveChange(old, updated workload.Workload, repair quirk.Set) (bool, kplan.Reason) {
	id := func(w workload.Workload) string { // by default an annotation with the key of the label: RolloutIDReadDifferently
		if id := w.Annotations[workload.LabelRolloutID]; id != "" || !repair.Has(quirk.RolloutIDReadDifferently) {
			return id
		}
		return w.Labels[workload.LabelRolloutID]
	}
	if now := id(updated); now != "" {
		if now == id(old) {
			return false, reason.SameRolloutID
		}
		return true, ""
	}
	if old.Template.Same(updated.Template) {
		return false, reason.TemplateUnchanged
	}
	return true, ""
}

// Admit decides whether an update of a workload enters a rollout, and how the workload
// changes in that case. The error, if any, wraps [kplan.ErrInvalid].
func Admit(s AdmitSnapshot, opts Options) (Admission, error) {
	var es kplan.FieldErrors
	quirkset.Check(&es, uint64(opts.Repair), uint64(quirk.All))
	if !s.New.Ref.Known() {
		es.Add("New.WorkloadRef", s.New.Ref.GroupKind(), workload.KnownKinds)
	}
	es.NotNegative("New.Replicas", s.New.DesiredReplicas())
	if err := es.Join(); err != nil {
		return Admission{}, err
	}
	a := &admission{s: &s, opts: opts, w: s.New}
	a.w.Annotations, a.w.Labels = apply.With(s.New.Annotations, nil), apply.With(s.New.Labels, nil)
	var why kplan.Reason
	if s.New.Traits().Paused {
		why = a.deployment()
	} else {
		why = a.other()
	}
	out := Admission{Object: s.New, Reason: why}
	out.Object.Annotations, out.Object.Labels = apply.With(s.New.Annotations, nil), apply.With(s.New.Labels, nil)
	if why == reason.ReleaseBegins || why == reason.ReleaseContinues {
		out.Changed, out.Object = true, a.w
	}
	if ru := out.Object.RollingUpdate; ru != nil {
		limits := *ru
		out.Object.RollingUpdate = &limits
	}
	out.Object.Replicas = zero.Copy(out.Object.Replicas)
	out.Object.ProgressDeadlineSeconds = zero.Copy(out.Object.ProgressDeadlineSeconds)
	return out, nil
}

type admission struct {
	s    *AdmitSnapshot
	opts Options
	w    workload.Workload // with the changes
}

func (a *admission) set(key, value string) {
	if a.w.Annotations == nil {
		a.w.Annotations = map[string]string{}
	}
	a.w.Annotations[key] = value
}

// enter marks the workload as being in a rollout.
func (a *admission) enter(r *Rollout) kplan.Reason {
	a.set(workload.AnnotationInProgress, union.Text(struct {
		RolloutName string `json:"rolloutName"`
	}{r.Name}))
	return reason.ReleaseBegins
}

// rollout returns the Rollout of the workload, or nil and the reason.
func (a *admission) rollout() (*Rollout, kplan.Reason) {
	for i := range a.s.Rollouts {
		r := &a.s.Rollouts[i]
		if r.DeletionTimestamp.IsZero() && r.Status.Phase != PhaseDisabled && r.WorkloadRef.Same(a.s.New.Ref) {
			if r.Strategy() == nil {
				return nil, reason.NoStrategy
			}
			return r, ""
		}
	}
	return nil, reason.NoRollout
}

func (a *admission) effective() (bool, kplan.Reason) {
	return EffectiveChange(a.s.Old, a.s.New, a.opts.Repair)
}

// deployment admits a Deployment.
func (a *admission) deployment() kplan.Reason {
	if a.w.UID == "" {
		a.w.UID = a.s.Old.UID
	}
	r, why := a.rollout()
	if r == nil {
		return why
	}
	if a.s.New.Annotations[workload.AnnotationInProgress] != "" {
		return a.continues()
	}
	if a.s.New.DesiredReplicas() == 0 {
		return reason.NoReplicas
	}
	if effective, why := a.effective(); !effective {
		return why
	}
	usable := a.usable()
	strategy, _ := partition.ParseStrategy(a.s.New.Annotations[partition.AnnotationStrategy])
	driven := a.opts.Repair.Has(quirk.NextReleaseUnmarked) && strings.EqualFold(strategy.RollingStyle, partition.Style)
	switch {
	case len(usable) == 0:
		return reason.NoPods
	case len(usable) > 1 && len(r.Strategy().TrafficRoutings) > 0 && !driven: // the last step of the previous release may leave old pods
		return reason.TwoVersions
	}
	a.labelStable(usable)
	a.w.Paused = true
	if driven { // the BatchRelease of the previous release still controls the Deployment
		a.continuesPartition(strategy, true)
	}
	return a.enter(r)
}

// usable returns the ReplicaSets that may have pods, see [workload.Set.MayHavePods].
func (a *admission) usable() (list []*workload.Set) {
	for i := range a.s.Sets {
		if a.s.Sets[i].MayHavePods() {
			list = append(list, &a.s.Sets[i])
		}
	}
	return list
}

// labelStable sets the label of the stable revision to the hash of the first ReplicaSet with another
// template than the new one, by revision, then by age. A ReplicaSet whose revision is no number
// compares by age alone, so that the order can be cyclic: the ReplicaSets are sorted by age first,
// and the result does not depend on the order of the list.
func (a *admission) labelStable(usable []*workload.Set) {
	byAge := func(s, t *workload.Set) int {
		return cmp.Or(s.CreationTimestamp.Compare(t.CreationTimestamp), cmp.Compare(s.Name, t.Name))
	}
	slices.SortFunc(usable, byAge)
	slices.SortStableFunc(usable, func(s, t *workload.Set) int {
		return cmp.Or(compareRevision(s.Revision, t.Revision), byAge(s, t))
	})
	stable := slices.IndexFunc(usable, func(s *workload.Set) bool { return !s.Template.Same(a.s.New.Template) })
	if stable < 0 && a.opts.Repair.Has(quirk.ReleaseOfWhatIsThere) && !a.s.Old.Template.Same(a.s.New.Template) {
		stable = 0 // all have the new template: the first is stable
	}
	if stable < 0 {
		return
	}
	if a.w.Labels == nil {
		a.w.Labels = map[string]string{}
	}
	a.w.Labels[workload.LabelStableRevision] = usable[stable].Template.Hash
}

// compareRevision compares annotated revisions as numbers; without two numbers it returns 0.
func compareRevision(a, b string) int {
	m, err1 := strconv.ParseInt(a, 10, 64)
	n, err2 := strconv.ParseInt(b, 10, 64)
	if err1 != nil || err2 != nil {
		return 0
	}
	return cmp.Compare(m, n)
}

// continues keeps control of a Deployment that is already in a rollout: by partition (it stays paused
// with strategy Recreate), blue-green (it keeps its strategy, and pauses for a new template), or
// canary (it stays paused and does not become Recreate).
func (a *admission) continues() kplan.Reason {
	effective, _ := a.effective()
	strategy, _ := partition.ParseStrategy(a.s.New.Annotations[partition.AnnotationStrategy])
	switch {
	case strings.EqualFold(strategy.RollingStyle, partition.Style):
		return a.continuesPartition(strategy, effective)
	case a.s.New.Annotations[workload.AnnotationOriginalStrategy] != "":
		changed := false
		if effective {
			a.w.Paused, changed = true, true
		}
		if a.w.StrategyType != "RollingUpdate" {
			a.w.StrategyType, changed = a.s.Old.StrategyType, true
		}
		return continued(changed)
	}
	changed := !a.w.Paused
	a.w.Paused = true
	if a.w.StrategyType == "Recreate" {
		a.w.StrategyType, a.w.RollingUpdate = a.s.Old.StrategyType, a.s.Old.RollingUpdate
		changed = true
	}
	return continued(changed)
}

func continued(changed bool) kplan.Reason {
	if changed {
		return reason.ReleaseContinues
	}
	return reason.NothingToChange
}

func (a *admission) continuesPartition(strategy partition.Strategy, effective bool) kplan.Reason {
	changed := !a.w.Paused
	a.w.Paused = true
	if a.w.StrategyType == "RollingUpdate" {
		a.w.StrategyType, changed = "Recreate", true
	}
	if a.w.RollingUpdate != nil {
		strategy.RollingUpdate, a.w.RollingUpdate, changed = a.w.RollingUpdate, nil, true
	}
	if effective {
		strategy.Paused, changed = true, true
		a.relabelStable()
	}
	a.set(partition.AnnotationStrategy, strategy.Default(a.opts.Repair.Has(quirk.UnsetLimitDefaultsBoth)).Text())
	return continued(changed)
}

// relabelStable sets the label of the stable revision again for a release that starts again after all
// pods of the last stable ReplicaSet are gone, since a stable Service pinned to it would select no
// pod. It does so only with [quirk.StableServicePinnedForEver] repaired.
func (a *admission) relabelStable() {
	usable := a.usable()
	gone := len(usable) > 0 && !slices.ContainsFunc(usable, func(s *workload.Set) bool { return s.Template.Hash == a.w.Labels[workload.LabelStableRevision] })
	if gone && a.opts.Repair.Has(quirk.StableServicePinnedForEver) {
		a.labelStable(usable)
	}
}

// other admits a workload of a kind that is not paused.
func (a *admission) other() kplan.Reason {
	kind := a.s.New.Traits()
	if !kind.SizedByNodes && a.s.New.DesiredReplicas() == 0 {
		return reason.NoReplicas
	}
	if !kind.AnyStrategy && a.w.StrategyType != "" && a.w.StrategyType != "RollingUpdate" {
		return reason.OtherStrategy
	}
	if effective, why := a.effective(); !effective {
		return why
	}
	if a.w.UID == "" {
		a.w.UID = a.s.Old.UID
	}
	r, why := a.rollout()
	if r == nil {
		return why
	}
	if kind.OneVersion && len(r.Strategy().TrafficRoutings) > 0 && a.s.New.Status.Replicas != a.s.New.Status.UpdatedReplicas {
		return reason.TwoVersions
	}
	a.w.HoldBack(a.opts.Repair)
	return a.enter(r)
}
