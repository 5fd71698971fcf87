// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"fmt"
	"slices"
	"time"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/revision"
)

// A DaemonSetCluster is a DaemonSet with all nodes and its pods and revisions at one
// instant.
type DaemonSetCluster struct {
	Now       time.Time
	DaemonSet daemonset.DaemonSet
	Nodes     []daemonset.Node
	Pods      []daemonset.Pod
	Revisions []revision.ControllerRevision
}

// DaemonSetConfig adjusts [RunDaemonSet].
type DaemonSetConfig struct {
	Kubelet   Kubelet       // the template of NeverReady has the hash of the pod as its ID
	TimeLimit time.Duration // virtual time after which the run gives up; 0 means a day
	Latency   time.Duration // as of [Config]
	Options   daemonset.Options
}

// A DaemonSetResult is how a run went.
type DaemonSetResult struct {
	Steps   []DaemonSetStep // at least one: the last is the end
	Done    bool            // whether every node that should run a pod, less the partition, has an available one of the template
	GaveUp  time.Duration   // as of [Result]
	Cluster DaemonSetCluster
}

// A DaemonSetStep is one pass that wrote something, or the end of the run. Its counts
// are those before its actions, and its holds are summed ([daemonset.Options.SumHolds]) but at the
// end of the run.
type DaemonSetStep struct {
	Time    time.Duration     `json:"-"`                 // since the start
	Actions daemonset.Actions `json:"actions,omitempty"` // none at the end
	Holds   []daemonset.Hold  `json:"holds,omitempty"`
	Status  daemonset.Status  `json:"status"` // as the pass wrote it
	Budget  daemonset.Budget  `json:"budget"`
	Pods    int32             `json:"pods"`    // that are not being deleted, new and old
	Updated int32             `json:"updated"` // of these, of the present template
}

// FinishedDaemonSet returns a cluster in which d has been rolled out on the nodes an
// hour ago.
func FinishedDaemonSet(d daemonset.DaemonSet, nodes []daemonset.Node, opts daemonset.Options) (DaemonSetCluster, error) {
	paused, partition := d.Paused, d.Partition
	d.Generation, d.Status = max(d.Generation, 1), daemonset.Status{}
	r, err := RunDaemonSet(DaemonSetCluster{Now: Epoch, DaemonSet: d, Nodes: nodes}, DaemonSetConfig{Options: opts})
	if err != nil {
		return DaemonSetCluster{}, err
	}
	if !r.Done {
		return DaemonSetCluster{}, fmt.Errorf("daemon set %s does not roll out", d.Name)
	}
	c := r.Cluster
	c.Now = c.Now.Add(time.Hour)
	c.DaemonSet.Paused, c.DaemonSet.Partition = paused, partition
	return c, nil
}

// Update makes d the wanted state, as applying a changed manifest does: identity and
// status stay, and the generation rises.
func (c *DaemonSetCluster) Update(d daemonset.DaemonSet) {
	d.Name, d.UID, d.Status, d.Generation = c.DaemonSet.Name, c.DaemonSet.UID, c.DaemonSet.Status, c.DaemonSet.Generation+1
	c.DaemonSet = d
}

// RunDaemonSet lets the planner of package daemonset act on a copy of c from c.Now on,
// until nothing will happen any more, or the time limit is reached. Nothing goes
// wrong but what the Kubelet says.
func RunDaemonSet(c DaemonSetCluster, cfg DaemonSetConfig) (DaemonSetResult, error) {
	w := calmWorld(c.Now, cfg.Kubelet)
	w.follow()
	changeInPlace(&w.store.daemonSets, func(_, _ *DaemonSet) bool { return true })
	user := by(User)
	ds := &DaemonSet{DaemonSet: c.DaemonSet}
	create(w, &w.store.daemonSets, user, ds)
	for _, n := range c.Nodes {
		create(w, &w.store.nodes, user, &Node{Node: n})
	}
	for _, r := range c.Revisions {
		create(w, &w.store.revisions, user, &r)
	}
	for _, p := range c.Pods {
		create(w, &w.store.daemons, user, &p)
	}
	summing := cfg.Options
	summing.SumHolds = true // there may be a plan for each pod, and to name each time what it waits for would be more than all else
	r := &daemonSetRecorder{world: w, controller: w.addDaemonSetController(summing), start: c.Now, recording: cfg.Kubelet.Recording, active: map[string]int32{}}
	for i := range c.Pods {
		r.count(nil, &c.Pods[i])
	}
	w.store.daemons.tell = append(w.store.daemons.tell, r.count)
	w.Observer.DaemonSet = r.planned
	w.makeFair()
	if err := w.runCalm(cfg.TimeLimit, cfg.Latency); err != nil {
		return DaemonSetResult{}, fmt.Errorf("after %v: %w", w.now.Sub(c.Now), err)
	}
	return r.result(cfg.Options), nil
}

// A daemonSetRecorder makes steps of plans.
type daemonSetRecorder struct {
	world      *World
	controller *daemonSetController
	start      time.Time
	steps      []DaemonSetStep
	last       DaemonSetStep

	recording *Recording       // or nil
	active    map[string]int32 // pods of the DaemonSet that are not being deleted, by hash
}

// count counts what becomes of a pod.
func (r *daemonSetRecorder) count(old, p *daemonset.Pod) {
	uid := r.world.store.daemonSets.all()[0].UID
	for n, pod := range [...]*daemonset.Pod{old, p} {
		if pod != nil && pod.ControllerUID == uid && pod.Active() {
			hash := pod.Labels[daemonset.LabelHash]
			r.active[hash] += int32(2*n - 1)
			if r.recording != nil {
				r.recording.daemons = append(r.recording.daemons, daemonCount{r.world.now, hash, r.active[hash]})
			}
		}
	}
}

func (r *daemonSetRecorder) planned(p Planned[daemonset.Snapshot, daemonset.Options, daemonset.Plan]) error {
	s := DaemonSetStep{
		Time: p.Now.Sub(r.start), Actions: p.Plan.Actions, Holds: p.Plan.Holds, Status: p.Plan.Status, Budget: p.Plan.Budget,
	}
	hash := ""
	for _, v := range r.world.store.revisions.all() {
		if v.ControllerUID == p.Snapshot.DaemonSet.UID && string(v.Data) == string(p.Snapshot.DaemonSet.Template.Data) {
			hash, _ = revision.RevisionHash(*v)
		}
	}
	if r.recording != nil {
		r.recording.updated = hash
	}
	for of, n := range r.active {
		if s.Pods += n; of != "" && of == hash {
			s.Updated = n
		}
	}
	r.last = s
	if len(s.Actions) > 0 {
		if len(r.steps) == cap(r.steps) { // which append would do little by little, and move them each time
			r.steps = slices.Grow(r.steps, len(r.steps)+1)
		}
		r.steps = append(r.steps, s)
	}
	return nil
}

// result returns how the run went. What is held back at the end is told of as the options say.
func (r *daemonSetRecorder) result(options daemonset.Options) DaemonSetResult {
	s := r.world.store
	r.last.Time, r.last.Actions = r.world.now.Sub(r.start), nil
	d := s.daemonSets.all()[0]
	if _, p, err := r.controller.planFor(d.Name, r.world.now, options); err == nil && len(r.last.Holds) > 0 {
		r.last.Holds = p.Holds
	}
	c := DaemonSetCluster{Now: r.world.now, DaemonSet: d.DaemonSet}
	c.Nodes = slices.Grow(c.Nodes, s.nodes.size())
	for _, n := range s.nodes.all() {
		c.Nodes = append(c.Nodes, n.Node)
	}
	c.Pods, c.Revisions = fill(c.Pods, s.daemons.all()), fill(c.Revisions, s.revisions.all())
	return DaemonSetResult{
		Steps: append(r.steps, r.last), Done: daemonSetDone(&d.DaemonSet), GaveUp: r.world.gaveUp(r.start), Cluster: c,
	}
}

// daemonSetDone reports whether an update is over, as kubectl rollout status tells,
// less the nodes that the partition keeps.
func daemonSetDone(d *daemonset.DaemonSet) bool {
	s := &d.Status
	kept := d.Partition.Of(s.DesiredNumberScheduled)
	return s.ObservedGeneration >= d.Generation && s.UpdatedNumberScheduled >= s.DesiredNumberScheduled-kept &&
		s.NumberAvailable >= s.DesiredNumberScheduled
}
