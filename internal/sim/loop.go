package sim

import (
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/rollout"
)

// Config adjusts [Run].
type Config struct {
	Kubelet   Kubelet
	TimeLimit time.Duration // virtual time after which Run gives up; 0 means a day
	// Latency is how long after an event the planners notice it, together with all that
	// has happened until then. It makes large clusters bearable; 0 means at once.
	Latency time.Duration

	Options           deploy.Options
	ReplicaSetOptions replicaset.Options

	// The planners; nil means those of the packages deploy and replicaset.
	PlanDeployment func(deploy.Snapshot, time.Time, deploy.Options) (deploy.Plan, error)
	PlanReplicaSet func(replicaset.Snapshot, time.Time, replicaset.Options) (replicaset.Plan, error)
}

// A Result is how a run went.
type Result struct {
	Steps   []Step         // at least one: the last is the end
	Bounds  rollout.Budget // within which the Deployment was changed, as of the last pass
	Done    bool           // whether the rollout is complete
	Cluster Cluster        // at the end; another run can start from it
}

const (
	defaultTimeLimit = 24 * time.Hour

	// maxPasses is how often a planner may act at one instant, that is, without
	// any pod having changed by itself. A rollout takes a handful, and a ReplicaSet
	// one for each burst of pods.
	maxPasses = 1000

	// maxStill is how often pods may change without time passing, which takes a
	// Kubelet without delays.
	maxStill = 100_000
)

// Run lets the planners act on a copy of c from c.Now on, until the rollout is
// complete, or nothing will happen any more, or the time limit is reached. The
// error is that of a planner, or tells that a plan does not fit the cluster or
// that the planners do not come to rest.
func Run(c Cluster, cfg Config) (Result, error) { return newLoop(c, cfg).run() }

func (l *loop) run() (Result, error) {
	for {
		wake, err := l.settle()
		more := false
		if err == nil {
			more, err = l.advance(wake)
		}
		if err != nil {
			return Result{}, fmt.Errorf("after %v: %w", l.elapsed(), err)
		}
		if !more {
			return l.result(), nil
		}
	}
}

// A loop is a run in progress.
type loop struct {
	Config
	cluster Cluster
	queue   queue
	kubelet *kubelet
	start   time.Time
	still   int // advances since time has passed

	steps []Step
	pods  PodActions  // since the last step
	last  deploy.Plan // of the last pass

	// Rested are the ReplicaSets that had nothing to do, by UID, and when they will;
	// whatever concerns them wakes them.
	rested map[string]time.Time
}

func newLoop(c Cluster, cfg Config) *loop {
	l := &loop{Config: cfg, cluster: c.Clone(), start: c.Now}
	if l.TimeLimit == 0 {
		l.TimeLimit = defaultTimeLimit
	}
	if l.PlanDeployment == nil {
		l.PlanDeployment = deploy.Reconcile
	}
	if l.PlanReplicaSet == nil {
		l.PlanReplicaSet = replicaset.Reconcile
	}
	l.rested = map[string]time.Time{}
	l.kubelet = newKubelet(cfg.Kubelet, &l.cluster, &l.queue)
	l.kubelet.changed = l.wake
	for i := range l.cluster.Pods {
		l.kubelet.adopt(int32(i))
	}
	return l
}

// wake tells that something that concerns a ReplicaSet has changed: one of its pods, or
// itself. A pod without a controller concerns all.
func (l *loop) wake(replicaSetUID string) {
	if replicaSetUID == "" {
		clear(l.rested)
		return
	}
	delete(l.rested, replicaSetUID)
}

// concerned returns the UID of the only ReplicaSet that an action concerns, or "".
func concerned(a deploy.Action) string {
	switch a := a.(type) {
	case deploy.ScaleReplicaSet:
		return a.UID
	case deploy.AnnotateReplicaSet:
		return a.UID
	}
	return ""
}

func (l *loop) elapsed() time.Duration { return l.cluster.Now.Sub(l.start) }

// settle lets the planners act until nothing changes at this instant. It returns
// when they want to be called again, or the zero time.
func (l *loop) settle() (wake time.Time, err error) {
	wake, err = l.settleReplicaSets()
	for range maxPasses {
		if err != nil {
			return time.Time{}, err
		}
		changed, err := l.pass()
		if err != nil {
			return time.Time{}, err
		}
		if !changed {
			return earliest(wake, l.last.RecheckAt), nil
		}
		if wake, err = l.settleReplicaSets(); err != nil {
			return time.Time{}, err
		}
		if len(l.last.Actions) > 0 {
			l.record(l.last)
		}
	}
	return time.Time{}, fmt.Errorf("deployment %s: still changing after %d passes", l.cluster.Deployment.Name, maxPasses)
}

// pass plans for the Deployment once and performs the plan. It reports whether
// anything has changed.
func (l *loop) pass() (changed bool, err error) {
	c := &l.cluster
	if l.last, err = l.PlanDeployment(c.snapshot(), c.Now, l.Options); err != nil {
		return false, fmt.Errorf("deployment %s: %w", c.Deployment.Name, err)
	}
	for _, a := range l.last.Actions {
		l.wake(concerned(a))
		if err := c.Apply(a); err != nil {
			return false, err
		}
	}
	changed = len(l.last.Actions) > 0 || !reflect.DeepEqual(l.last.Status, c.Deployment.Status)
	c.Deployment.Status = l.last.Status
	return changed, nil
}

// settleReplicaSets lets the ReplicaSets follow their sizes and report. It returns
// when they want to be called again, or the zero time.
func (l *loop) settleReplicaSets() (wake time.Time, err error) {
	for range maxPasses {
		wake = time.Time{}
		changed := false
		for i := range l.cluster.ReplicaSets {
			acted, again, err := l.passReplicaSet(i)
			if err != nil {
				return time.Time{}, err
			}
			changed = changed || acted
			wake = earliest(wake, again)
		}
		if !changed {
			return wake, nil
		}
	}
	return time.Time{}, fmt.Errorf("replica sets still changing after %d passes", maxPasses)
}

// passReplicaSet plans for one ReplicaSet once and performs the plan.
func (l *loop) passReplicaSet(i int) (changed bool, again time.Time, err error) {
	c := &l.cluster
	rs := &c.ReplicaSets[i]
	if at, ok := l.rested[rs.UID]; ok && (at.IsZero() || at.After(c.Now)) {
		return false, at, nil
	}
	plan, err := l.PlanReplicaSet(replicaset.Snapshot{
		ReplicaSet: *rs, Pods: c.Pods, Siblings: slices.Delete(slices.Clone(c.ReplicaSets), i, i+1),
	}, c.Now, l.ReplicaSetOptions)
	if err != nil {
		return false, time.Time{}, fmt.Errorf("replica set %s: %w", rs.Name, err)
	}
	for _, a := range plan.Actions {
		if err := l.applyPods(rs, a); err != nil {
			return false, time.Time{}, fmt.Errorf("replica set %s: %w", rs.Name, err)
		}
	}
	changed = len(plan.Actions) > 0 || !reflect.DeepEqual(plan.Status, rs.Status)
	rs.Status = plan.Status
	if len(plan.Actions) == 0 {
		l.rested[rs.UID] = plan.RecheckAt
	}
	return changed, plan.RecheckAt, nil
}

// applyPods performs one write of a ReplicaSet's plan.
func (l *loop) applyPods(rs *replicaset.ReplicaSet, a replicaset.Action) error {
	switch a := a.(type) {
	case replicaset.CreatePods:
		l.kubelet.create(rs, a.Count)
		l.pods.Created += a.Count
		return nil
	case replicaset.DeletePod:
		number := l.cluster.index.number(a.UID)
		p := l.cluster.pod(number)
		if p == nil || p.Name != a.Name || !p.DeletionTimestamp.IsZero() {
			return fmt.Errorf("delete pod %s: there is no such pod with UID %q", a.Name, a.UID)
		}
		l.kubelet.delete(number)
		l.pods.Deleted++
		return nil
	case replicaset.AdoptPod:
		return l.cluster.claimPod(a.Name, a.UID, a.Reference.Kind, a.Reference.Name, a.Reference.UID)
	case replicaset.ReleasePod:
		l.wake("") // another one may select it
		return l.cluster.claimPod(a.Name, a.UID, "", "", "")
	}
	return fmt.Errorf("unknown action %T", a)
}

// advance moves the clock to the next event or to wake, whichever is earlier, and
// performs what is due. It reports false if the run is over: the rollout is complete
// and all that is left is that deleted pods end, or nothing will ever happen, or
// only after the time limit.
func (l *loop) advance(wake time.Time) (bool, error) {
	if l.cluster.complete() && l.queue.pending == 0 {
		return false, nil
	}
	if !wake.After(l.cluster.Now) {
		wake = time.Time{} // or the clock would stop
	}
	next := earliest(l.queue.next(), wake)
	if next.IsZero() || next.Sub(l.start) > l.TimeLimit {
		return false, nil
	}
	l.still++
	if next.After(l.cluster.Now) {
		l.still = 0
	}
	if l.still > maxStill {
		return false, fmt.Errorf("deployment %s: pods still changing after %d passes", l.cluster.Deployment.Name, maxStill)
	}
	until := next.Add(l.Latency)
	for at := l.queue.next(); !at.IsZero() && !at.After(until); at = l.queue.next() {
		l.cluster.Now = at
		l.kubelet.handle(l.queue.take())
	}
	l.cluster.removeGone()
	l.cluster.Now = until
	return true, nil
}

// record adds a step for a plan that has been performed.
func (l *loop) record(p deploy.Plan) {
	s := l.cluster.step()
	s.Time, s.Actions, s.Holds, s.Status, s.Pods = l.elapsed(), p.Actions, p.Holds, p.Status, l.pods
	s.Zones = l.cluster.spread(l.Config.Kubelet.Zones)
	l.pods = PodActions{}
	l.steps = append(l.steps, s)
}

func (l *loop) result() Result {
	l.record(l.last) // the last pass of an instant never acts
	return Result{
		Steps: l.steps, Bounds: l.last.Budget,
		Done: l.cluster.complete(), Cluster: l.cluster,
	}
}

// earliest returns the earlier instant. The zero time is none.
func earliest(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}
