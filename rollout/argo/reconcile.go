package argo

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"github.com/kplan-go/kplan/internal/field"
)

// A pass is one pass of an Argo Rollout.
type pass struct {
	s    *Snapshot
	r    *Rollout
	read *Status // as it was read
	now  time.Time
	p    Plan
	sets []*set // by age
	// newRS has the template of the Rollout, stableRS that of the last promotion; either may
	// be nil, and they may be the same.
	newRS, stableRS  *set
	active, preview  *Service // as they are after the actions
	stable, canaries *Service // likewise, of a canary
	weights          *TrafficWeights
	runs             Runs

	addPauses             []string // the reasons of pauses that begin
	removePause           string   // that of the pause that ends
	abortMessage          string
	clearPauses           bool
	addAbort, removeAbort bool
	restarted             bool // the steps have changed
}

// A set is a ReplicaSet and what becomes of it.
type set struct {
	ReplicaSet
	to      int32
	visited bool // its annotation is brought up to date
	reason  Reason
}

// Reconcile returns the next step of the Argo Rollout in s as of now: a whole pass of a
// canary or of a blue-green update. It performs nothing. The error, if any, wraps [ErrInvalid] and one [FieldError] for each
// field that cannot be used.
//
// It mirrors the reconciliation of Argo Rollouts. What analyses and experiments found is
// given ([Runs]), and so is whether weights are verified.
func Reconcile(s Snapshot, now time.Time, _ Options) (Plan, error) {
	if err := admitArgo(&s, now); err != nil {
		return Plan{}, err
	}
	st := &pass{s: &s, r: &s.Rollout, read: &s.Rollout.Status, now: now.Round(0).UTC(), active: s.Active, preview: s.Preview}
	st.stable, st.canaries, st.weights, st.runs = s.StableService, s.CanaryService, st.read.Weights, st.read.Runs
	st.removeAbort = st.read.StableRS == st.read.CurrentPodHash // there is nothing left to give up
	st.find()
	switch {
	case st.notesPause():
	case st.resized():
		st.scaleOnly()
	case s.Rollout.BlueGreen != nil:
		st.blueGreen()
	default:
		st.canary()
	}
	st.write()
	return st.p, nil
}

func admitArgo(s *Snapshot, now time.Time) error {
	var es field.Errors
	if now.IsZero() {
		es.Add("now", now, "must be set")
	}
	if s.Rollout.TemplateHash == "" {
		es.Add("Rollout.TemplateHash", "", "must be set")
	}
	if s.Rollout.Replicas != nil {
		es.NotNegative("Rollout.Replicas", *s.Rollout.Replicas)
	}
	if s.Rollout.BlueGreen != nil && s.Active == nil {
		es.Add("Active", nil, "must be set for a blue-green update")
	}
	seen := map[string]bool{}
	for i := range s.Sets {
		set := &s.Sets[i]
		path := "Sets[" + strconv.Itoa(i) + "]"
		es.NotNegative(path+".Replicas", set.Replicas)
		if seen[set.Hash] {
			es.Add(path+".Hash", set.Hash, "must be unique")
		}
		seen[set.Hash] = true
	}
	return es.Join()
}

// find tells the ReplicaSets apart.
func (st *pass) find() {
	for i := range st.s.Sets {
		set := &set{ReplicaSet: st.s.Sets[i], to: st.s.Sets[i].Replicas}
		st.sets = append(st.sets, set)
		if set.Hash == st.r.TemplateHash {
			st.newRS = set
		}
		if set.Hash == st.read.StableRS {
			st.stableRS = set
		}
	}
	slices.SortFunc(st.sets, func(a, b *set) int {
		return cmp.Or(a.CreationTimestamp.Compare(b.CreationTimestamp), cmp.Compare(a.Hash, b.Hash))
	})
}

// others returns the ReplicaSets that are neither new nor stable and want pods, the
// newest revision first.
func (st *pass) others() []*set {
	var list []*set
	for _, set := range st.sets {
		if set != st.newRS && set != st.stableRS && set.to > 0 {
			list = append(list, set)
		}
	}
	slices.SortStableFunc(list, func(a, b *set) int { return cmp.Compare(b.Revision, a.Revision) })
	return list
}

func (st *pass) replicas() int32 {
	if st.r.Replicas == nil {
		return 1
	}
	return *st.r.Replicas
}

// pauseFor begins a pause.
func (st *pass) pauseFor(reason string) { st.addPauses = append(st.addPauses, reason) }

// judge takes a run into account.
func (st *pass) judge(run *Run, what string) {
	resumed := st.read.ControllerPause && st.paused(PauseStep) == nil && st.paused(PauseBlueGreen) == nil
	v := run.verdict(what, resumed)
	if v.again {
		*run = Run{}
	}
	if v.pause {
		st.pauseFor(PauseInconclusive)
	}
	if v.abort != "" {
		st.addAbort, st.abortMessage = true, v.abort
	}
}

// unjudged reports whether no analysis is looked at.
func (st *pass) unjudged() bool {
	return st.read.promoted() || st.aborted() || st.read.PromoteFull || st.withinWindow() || st.read.StableRS == ""
}

func (st *pass) hold(reason Reason, have, limit int64) {
	st.p.Holds = append(st.p.Holds, Hold{Reason: reason, Have: have, Limit: limit})
}

// recheck asks for another pass at an instant, if none is asked for earlier.
func (st *pass) recheck(at time.Time) {
	if st.p.RecheckAt.IsZero() || at.Before(st.p.RecheckAt) {
		st.p.RecheckAt = at
	}
}

// resized reports whether the size of the Rollout has changed since a ReplicaSet was
// scaled.
func (st *pass) resized() bool {
	for _, set := range st.sets {
		if set.Replicas > 0 && set.DesiredReplicas != nil && *set.DesiredReplicas != st.replicas() {
			return true
		}
	}
	return false
}

// scaleOnly follows a new size, and takes no step.
func (st *pass) scaleOnly() {
	status := *st.read
	if st.r.BlueGreen != nil {
		st.blueGreenSets()
		status.AvailableReplicas = st.available()
		if active := st.named(status.ActiveSelector); active != nil {
			status.AvailableReplicas = active.AvailableReplicas
		}
	} else {
		st.canarySets()
		status.AvailableReplicas = st.available()
	}
	st.persist(st.conditions(status))
}

// named returns the ReplicaSet of a hash, nil if there is none.
func (st *pass) named(hash string) *set {
	for _, set := range st.sets {
		if hash != "" && set.Hash == hash {
			return set
		}
	}
	return nil
}

// changed reports whether the template is not that of the status.
func (st *pass) changed() bool {
	return st.read.CurrentPodHash != "" && st.read.CurrentPodHash != st.r.TemplateHash
}

// halted reports whether nothing may progress, because a person or an analysis without
// a result says so.
func (st *pass) halted() bool {
	return st.r.Paused || st.paused(PauseInconclusive) != nil
}

// scale sets the size of a ReplicaSet, and reports whether it changes.
func (st *pass) scale(set *set, to int32, reason Reason) bool {
	set.visited, set.reason = true, reason
	changes := set.to != to
	set.to = to
	if to == 0 && changes && !st.delaysAbort() {
		set.ScaleDownAt = time.Time{}
	}
	return changes
}

// create adds the new ReplicaSet if it is missing.
func (st *pass) create() {
	if st.newRS != nil {
		return
	}
	st.newRS = &set{ReplicaSet: ReplicaSet{Hash: st.r.TemplateHash, Name: st.r.Name + "-" + st.r.TemplateHash}}
	st.newRS.Revision = st.revision()
	st.sets = append(st.sets, st.newRS)
	st.newRS.Replicas = st.newSize()
	st.newRS.to = st.newRS.Replicas
	desired := st.replicas()
	st.newRS.DesiredReplicas = &desired
	st.p.Actions = append(st.p.Actions, CreateReplicaSet{
		Name: st.newRS.Name, Hash: st.newRS.Hash, Revision: st.newRS.Revision, Replicas: st.newRS.Replicas, Desired: desired, Reason: ReasonNewTemplate,
	})
}

// newSize returns the size that the new ReplicaSet is to have.
func (st *pass) newSize() int32 {
	if b := st.r.BlueGreen; b != nil {
		return Preview{
			Replicas: st.replicas(), PreviewReplicaCount: b.PreviewReplicaCount, HasPauseConditions: len(st.read.PauseConditions) > 0,
			PromoteFull: st.read.PromoteFull, ScaleUpPreviewCheckPoint: st.read.ScaleUpPreviewCheckPoint, ActiveSelector: st.read.ActiveSelector,
			CurrentPodHash: st.read.CurrentPodHash, NewHash: st.newRS.Hash, ActiveExists: st.named(st.read.ActiveSelector) != nil,
		}.PreviewSize()
	}
	return st.counts(st.weights).Counts().Canary
}

// write appends what changed about ReplicaSets: the stable one, the new one, the others.
func (st *pass) write() {
	order := []*set{st.stableRS}
	if st.newRS != st.stableRS {
		order = append(order, st.newRS)
	}
	for _, set := range st.sets {
		if set != st.newRS && set != st.stableRS {
			order = append(order, set)
		}
	}
	for _, set := range order {
		if set == nil {
			continue
		}
		before := st.asRead(set.Hash)
		if set.visited && (set.to != set.Replicas || set.DesiredReplicas == nil || *set.DesiredReplicas != st.replicas()) {
			st.p.Actions = append(st.p.Actions, ScaleReplicaSet{
				Name: set.Name, Hash: set.Hash, From: set.Replicas, To: set.to, Desired: st.replicas(), Reason: set.reason,
			})
		}
		if !before.Equal(set.ScaleDownAt) {
			st.p.Actions = append(st.p.Actions, DelayReplicaSet{Name: set.Name, Hash: set.Hash, Until: set.ScaleDownAt, Reason: ReasonScaleDownDelay})
		}
	}
}

// asRead returns the deadline of a ReplicaSet as it was read.
func (st *pass) asRead(hash string) time.Time {
	for i := range st.s.Sets {
		if st.s.Sets[i].Hash == hash {
			return st.s.Sets[i].ScaleDownAt
		}
	}
	return time.Time{}
}
