// SPDX-License-Identifier: Apache-2.0

package replicaset_test

import (
	"fmt"
	"time"

	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/replicaset/expect"
	"github.com/kplan-go/kplan/selector"
)

// pod draws a pod of few names and UIDs.
func (m *machine) pod() *podorder.Pod {
	n := random.Below(m.S, "pod", m.names)
	p := random.Pod(m.S, n)
	switch m.S.Below("uid", uint64(10*m.names)) {
	case 0, 1:
		p.UID = "again"
	case 2, 3, 4:
		p.UID = ""
	}
	p.ReadySince = random.OneOf(m.S, "ready since", p.ReadySince, p.ReadySince, p.ReadySince, m.Now, m.Now.Add(-5*time.Second), m.Now.Add(-10*time.Second))
	if m.busy && m.S.Below("not busy", 10) > 0 {
		p.ControllerUID, p.Labels, p.Phase, p.DeletionTimestamp = "web-uid", map[string]string{"app": "web"}, podorder.Running, time.Time{}
		p.Ready, p.ReadySince = true, m.Now.Add(-time.Duration(m.S.Below("ready for", 12_000))*time.Millisecond)
	}
	if m.scales && (m.about != "odd ones" || m.S.Below("does not scale", 30) > 0) {
		m.alike(&p)
	}
	if m.One("far", 60) && !m.busy && !m.scales {
		p.ReadySince = time.Date(random.OneOf(m.S, "year", 1600, 2400, 9999), 1, 1, 0, 0, 0, 0, time.UTC)
	}
	p.ResourceVersion = m.feed.Version(m.S)
	if m.One("nameless", 100) {
		p.Name = ""
	}
	return &p
}

// alike makes a pod one of many that have lived alike, but for how long.
func (m *machine) alike(p *podorder.Pod) {
	p.ControllerUID, p.Labels = random.OneOf(m.S, "of a sibling", "web-uid", "web-uid", "web-uid", "old-uid"), map[string]string{"app": "web"}
	if m.about == "siblings" && p.ControllerUID == "old-uid" {
		p.Labels = map[string]string{"track": "old"}
	}
	p.Phase, p.DeletionTimestamp = podorder.Running, random.OneOf(m.S, "ends", time.Time{}, time.Time{}, time.Time{}, m.Now)
	passing := fmt.Sprint("until ", m.Step/16) // a node that is gone once its pods are
	p.NodeName = random.OneOf(m.S, "on", "n1", "n2", "n3", "n4", "n5", passing, p.Name, p.Name, p.NodeName)
	if m.packed {
		p.NodeName = random.OneOf(m.S, "on a packed node", "n1", "n1", "n2", p.Name)
	}
	p.CreationTimestamp = m.Now.Add(-time.Duration(100+m.S.Below("created", 30)) * time.Hour)
	if p.Ready = m.S.Below("ready now", 6) > 0; p.Ready {
		p.Restarts, p.SidecarRestarts = 0, 0
		age := time.Duration(1) << (28 + m.S.Below("bucket", 8))
		p.ReadySince = random.OneOf(m.S, "for how long", m.Now.Add(-age), m.Now.Add(-age-time.Duration(m.S.Below("more", uint64(age)))), random.Now.Add(-time.Hour), random.Now.Add(-time.Hour))
	}
	if p.Ready && m.about == "centuries" && !m.One("younger", 10) { // until a bucket ends soon, that of two centuries or one
		p.ReadySince = m.Now.Add(random.OneOf[time.Duration](m.S, "for how many", -1<<62, -1<<61) + time.Duration(m.S.Below("soon", 20_000))*time.Millisecond)
	}
	if m.about == "odd ones" && m.One("as any", 20) {
		p.Restarts, p.CreationTimestamp = 1, random.OneOf(m.S, "created at any time", m.Now, random.Now, time.Time{})
	}
	if m.S.Below("costs nothing", 4) > 0 {
		p.Annotations = nil
	}
	if m.about == "ties" && m.S.Below("one of some", 10) > 0 { // few of which became ready together
		p.Ready, p.ReadySince = true, random.Now.Add(-time.Hour+time.Duration(m.S.Below("second", 30))*time.Second)
		dear := map[string]string{podorder.AnnotationDeletionCost: "1"}
		p.Annotations = random.OneOf(m.S, "costs of ties", nil, nil, nil, dear)
		p.NodeName = random.OneOf(m.S, "of some", "n1", "n1", "n2", p.NodeName)
		p.Restarts, p.CreationTimestamp = int32(m.S.Below("restarts of ties", 3)), random.Now.Add(-time.Duration(1+m.S.Below("made", 200))*time.Hour)
	}
	if m.about != "restarts" && m.about != "creation" {
		return
	}
	p.Annotations, p.Ready, p.NodeName, p.ReadySince = nil, true, random.OneOf(m.S, "of two", "n1", "n2"), random.Now.Add(-time.Hour)
	if p.CreationTimestamp = random.Now.Add(-200 * time.Hour); m.about == "restarts" { // alike in all but these
		p.Restarts, p.SidecarRestarts = random.Between[int32](m.S, "restarts", 0, 2), random.Between[int32](m.S, "of sidecars", 0, 1)
	} else {
		p.CreationTimestamp = random.Now.Add(-time.Duration(1<<random.Below(m.S, "hours", 9)) * time.Hour)
	}
}

// sibling returns another ReplicaSet, of a controller, with other pods.
func sibling(controller string) replicaset.ReplicaSet {
	old := random.Replicas(3)
	old.Name, old.UID, old.ControllerUID, old.Selector = "old", "old-uid", controller, selector.FromLabels(map[string]string{"track": "old"})
	return old
}

// event draws what happens to a pod.
func (m *machine) event(w *tracked) replicaset.PodEvent {
	return replicaset.PodEvent(m.feed.Event(m.S, &w.pods, m.pod, m.keep))
}

// keep makes a drawn pod a later version of a known pod.
func (m *machine) keep(p, known *podorder.Pod) {
	if m.One("begins to end", 8) {
		version := p.ResourceVersion
		*p = *known
		p.ResourceVersion, p.DeletionTimestamp = version, m.Now
		return
	}
	if p.UID = known.UID; m.S.Below("owned", 3) > 0 {
		p.ControllerUID, p.Labels = "web-uid", map[string]string{"app": "web"}
	}
}

// rest draws a change of other things than pods.
func (m *machine) rest(w *tracked) (d replicaset.Delta) {
	kind := random.Anything
	if m.One("wrong", 10) {
		kind = random.Wrong
	}
	any := random.ReplicaSet(m.S, kind)
	rs := w.rest.ReplicaSet
	if m.about == "siblings" && m.One("others", 2) {
		if rs.ControllerUID = random.OneOf(m.S, "controller", "d", "d", "x"); m.One("of one controller", 2) {
			return replicaset.Delta{ReplicaSet: &rs}
		}
		return replicaset.Delta{Siblings: random.OneOf(m.S, "siblings", []replicaset.ReplicaSet{}, []replicaset.ReplicaSet{sibling("d")}, []replicaset.ReplicaSet{sibling("x")})}
	}
	if m.scales && m.S.Below("scaled only", 40) > 0 {
		there := int32(0)
		for _, p := range w.pods.All {
			if p.ControllerUID == rs.UID && p.Active() {
				there++
			}
		}
		n := max(0, there+random.Between[int32](m.S, "more or less", -4, 1))
		rs.Replicas = &n
		return replicaset.Delta{ReplicaSet: &rs}
	}
	switch m.S.Below("of the rest", 10) {
	case 0:
		rs = any.ReplicaSet
	case 1, 2, 3:
		rs.Replicas, rs.Status, rs.Generation = any.ReplicaSet.Replicas, any.ReplicaSet.Status, rs.Generation+1
	case 4:
		rs.MinReadySeconds = random.OneOf[int32](m.S, "ready for", 0, 10, 10, 5)
	case 5:
		in := &selector.LabelSelector{MatchExpressions: []selector.Expression{{Key: "app", Operator: selector.In, Values: []string{random.OneOf(m.S, "in", "web", "x")}}}}
		rs.Selector, rs.TemplateLabels = random.OneOf(m.S, "selector", any.ReplicaSet.Selector, in), any.ReplicaSet.TemplateLabels
	case 6:
		rs.DeletionTimestamp = random.OneOf(m.S, "deleted", time.Time{}, m.Now)
	case 7:
		d.Siblings, d.Domains = random.OneOf(m.S, "siblings", nil, any.Siblings, []replicaset.ReplicaSet{}), &any.Domains
	case 8:
		// Half of the passes may go on, whatever has been written.
		version := func(label string) expect.Versions {
			return expect.Versions{Children: random.OneOf(m.S, label+" pods", "", "7", "12", "x"), Owner: random.OneOf(m.S, label+" sets", "", "7", "12")}
		}
		written, read := version("written"), version("read")
		if m.One("all is read", 2) {
			written = expect.Versions{}
		}
		d.Written, d.Read = &written, &read
	default:
		d.Expectations = &any.Expectations
	}
	d.ReplicaSet = &rs
	return d
}
