// SPDX-License-Identifier: Apache-2.0

package life

import (
	"cmp"
	"fmt"
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/sim/internal/agenda"
	"github.com/kplan-go/kplan/rollout/sim/internal/apiserver"
	"github.com/kplan-go/kplan/rollout/sim/internal/store"
	"github.com/kplan-go/kplan/rollout/sim/internal/trouble"
	"github.com/kplan-go/kplan/rollout/sim/scheduler"
)

// Config has the times of pods.
type Config struct {
	Resources int           // how many there are
	Times     cluster.Times // of pods without times in their template
	Templates map[string]cluster.Template
	// Place chooses a node that a pod fits, "" for none. Nil means scheduler.BinPack.
	Place func(scheduler.Pod, *scheduler.Nodes) string
}

// Pods are the pods of a cluster, and their nodes.
type Pods struct {
	*apiserver.Server
	Nodes     *scheduler.Nodes
	cfg       Config
	templates map[string]cluster.Template
	slow      time.Duration // least delay of a stage by faults

	waiting []*pod // for a node, in the order in which they found none
	round   bool   // whether these will be looked at
	images  map[image]bool
	held    map[string]bool      // UIDs of pods that do not end
	silent  map[string]bool      // nodes that do not answer
	since   map[string]time.Time // when they stopped to
	stalled map[string][]func()  // events that wait for a node to answer, by node
}

type pod = store.Entry[store.Pod]

type image struct{ node, template string }

// AnyNode is where pods are in a cluster without nodes.
const AnyNode = "node"

// New returns the pods of a server, which has none yet.
func New(s *apiserver.Server, cfg Config) *Pods {
	l := &Pods{
		Server: s, Nodes: scheduler.New(nil, cfg.Resources), cfg: cfg, templates: map[string]cluster.Template{},
		slow: 20 * time.Second, images: map[image]bool{}, stalled: map[string][]func(){}, held: map[string]bool{}, silent: map[string]bool{}, since: map[string]time.Time{},
	}
	for id, t := range cfg.Templates {
		l.templates[id] = t
	}
	s.Grace = func(p *store.Pod) time.Duration { return l.takes(p, store.Gone) }
	s.Quotas.TemplateOf, s.Quotas.Agenda = l.template, s.Agenda
	s.Nodes.Watch(l.nodeChanged)
	s.Pods.Watch(l.podChanged)
	return l
}

// SetTemplate sets the times of the pods of a template from now on.
func (l *Pods) SetTemplate(id string, t cluster.Template) { l.templates[id] = t }

// Templates are all templates that have been set.
func (l *Pods) Templates() map[string]cluster.Template { return l.templates }

// Key is the key of a template: its ID, or its hash if only that is known here.
func (l *Pods) Key(t revision.Template) string {
	if _, known := l.templates[t.ID]; t.ID != "" && known {
		return t.ID
	}
	if _, known := l.templates[t.Hash]; t.Hash != "" && known {
		return t.Hash
	}
	return cmp.Or(t.ID, t.Hash)
}

// template returns the template of a pod.
func (l *Pods) template(p *store.Pod) cluster.Template { return l.templates[p.Template] }

func (l *Pods) wanting(p *store.Pod) scheduler.Pod {
	return scheduler.Pod{Pod: p.Plain(), Template: l.template(p)}
}

// podChanged lets the life of a pod begin, go on, or end.
func (l *Pods) podChanged(old, p *store.Pod) {
	switch {
	case p == nil:
		l.gone(old)
	case old == nil:
		l.begins(l.Server.Pods.Entry(p.Name))
	default:
		if old.NodeName == "" && p.NodeName != "" {
			l.Nodes.Take(l.wanting(p), p.NodeName)
		}
		if !old.Finished() && p.Finished() {
			l.gone(p)
		}
		if old.DeletionTimestamp.IsZero() && !p.DeletionTimestamp.IsZero() {
			if p.NodeName != "" {
				l.Nodes.Take(l.wanting(p), p.NodeName) // topology spread does not count it any more
			}
			l.ends(l.Server.Pods.Entry(p.Name))
		}
		if !sameLabels(old.Labels, p.Labels) {
			l.Nodes.Relabel(p.UID, p.Labels)
		}
	}
}

// begins lets a pod live that was created, or was there at first.
func (l *Pods) begins(e *pod) {
	p := e.Now
	if p.NodeName != "" && !p.Finished() {
		l.Nodes.Take(l.wanting(p), p.NodeName)
	}
	switch {
	case !p.DeletionTimestamp.IsZero():
		l.ends(e)
	case p.Finished() || p.Ready || unplaced(p):
	case p.NodeName == "":
		l.Agenda.After(l.takes(p, store.Scheduled), agenda.Life, func() { l.bind(e) })
	default:
		l.starts(e)
	}
}

// alive reports whether a pod is there and is to live on.
func alive(e *pod) bool { return e.Now != nil && e.Now.Active() }

// unplaced reports whether a pod stays without a node.
func unplaced(p *store.Pod) bool { return p.NodeName == "" && p.Hold.Unplaced }

// bind assigns a pod to a node, if it fits one.
func (l *Pods) bind(e *pod) {
	if !alive(e) || e.Now.NodeName != "" || unplaced(e.Now) {
		return
	}
	if l.Trouble.Strikes(trouble.Scheduling, 0.1) {
		l.Trouble.Count([]trouble.Trouble{trouble.PodGated, trouble.PodUnschedulable}[l.Trouble.IntN(2)])
		l.Agenda.After(l.late(), agenda.Life, func() { l.bind(e) })
		return
	}
	node := l.choose(e.Now)
	if node == "" {
		l.waiting = append(l.waiting, e)
		return
	}
	bound := *e.Now
	bound.NodeName = node
	l.Server.Pods.Replace(store.Cause{By: store.Scheduler, Verb: store.Update, Stage: store.Scheduled}, e, &bound)
	l.starts(e)
}

// choose returns the node for a pod, or "".
func (l *Pods) choose(p *store.Pod) string {
	want, pinned := l.wanting(p), p.PinnedNode
	switch {
	case want.Template.Unplaceable:
		return ""
	case l.Nodes.Len() == 0:
		return cmp.Or(pinned, AnyNode)
	case pinned != "":
		if i, ok := l.Nodes.Index(pinned); !ok || !l.Nodes.FitsPinned(i, want) {
			return ""
		}
		return pinned
	}
	place := l.cfg.Place
	if place == nil {
		place = scheduler.BinPack
	}
	name := place(want, l.Nodes)
	if name == "" {
		return ""
	}
	if i, ok := l.Nodes.Index(name); !ok || !l.Nodes.Fits(i, want) {
		l.Fail(fmt.Errorf("pod %s was placed on %q, which it does not fit: %w", p.Name, name, kplan.ErrInvalid))
		return ""
	}
	return name
}

// Room lets pods that wait for a node look again, once per second at most.
func (l *Pods) Room() {
	if l.round || len(l.waiting) == 0 {
		return
	}
	l.round = true
	l.Agenda.After(time.Second, agenda.Room, l.lookAgain)
}

// lookAgain lets the pods that wait look for a node, in order. If one of an owner finds none, the
// others of that owner and template do not look.
func (l *Pods) lookAgain() {
	type group struct{ owner, template string }
	waiting, failed := l.waiting, map[group]bool{}
	l.round, l.waiting = false, nil
	for _, e := range waiting {
		if !alive(e) || e.Now.NodeName != "" {
			continue
		}
		of, before := group{e.Now.ControllerUID, e.Now.Template}, len(l.waiting)
		if failed[of] && !e.Now.OfDaemonSet && of.owner != "" {
			l.waiting = append(l.waiting, e)
			continue
		}
		l.bind(e)
		failed[of] = len(l.waiting) > before
	}
}

// Waiting is how many pods wait for a node.
func (l *Pods) Waiting() int {
	n := len(l.waiting)
	for _, p := range l.Server.Pods.All() {
		if unplaced(p) && p.Active() {
			n++
		}
	}
	return n
}

// takes is how long a pod takes until a stage.
func (l *Pods) takes(p *store.Pod, s store.Stage) time.Duration {
	t, times := l.template(p), &l.cfg.Times
	if t.Times != nil {
		times = t.Times
	}
	draw := l.Trouble.Float64()
	switch s {
	case store.Scheduled:
		return times.Schedule.At(draw)
	case store.Pulled:
		return times.Pull.At(draw)
	case store.Started:
		return times.Start.At(draw)
	case store.Ready:
		return max(times.Ready.At(draw), t.ReadyAfter)
	}
	d := max(times.End.At(draw), t.EndAfter)
	if t.EndWithin > 0 {
		d = min(d, t.EndWithin)
	}
	return d
}

// late is how long faults delay a stage.
func (l *Pods) late() time.Duration { return l.Trouble.Between(l.slow, l.slow+70*time.Second) }

// sameLabels reports whether labels are equal; most are one map.
func sameLabels(a, b map[string]string) bool {
	if len(a) != len(b) {
		return false
	}
	for key, value := range a {
		if of, ok := b[key]; !ok || of != value {
			return false
		}
	}
	return true
}

// Failed lets a pod fail that runs. It reports whether it did.
func (l *Pods) Failed(name string, phase podorder.Phase) bool {
	e := l.Server.Pods.Entry(name)
	if e == nil || e.Now.Finished() || e.Now.NodeName == "" {
		return false
	}
	l.change(e, store.Failed, func(p *store.Pod) { p.Phase, p.Ready, p.ReadySince = phase, false, l.Agenda.Now() })
	return true
}
