// SPDX-License-Identifier: Apache-2.0

package sim_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/deploy/quirk"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/sim"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/sim/internal/apiserver"
	"github.com/kplan-go/kplan/rollout/sim/internal/store"
	"github.com/kplan-go/kplan/selector"
)

// An edit is what a person or a foreign program does to a world at any time.
type edit struct {
	name   string
	weight float64
	do     func(e *editor)
}

// An editor disturbs a world in which faults strike.
type editor struct {
	*rand.Rand
	t      testing.TB
	w      *sim.World
	server *apiserver.Server
	done   map[string]int // edits by name
	serial int
}

// once makes an edit, chosen by weight.
func (e *editor) once(edits []edit) {
	total := 0.0
	for _, o := range edits {
		total += o.weight
	}
	at := e.Float64() * total
	for _, o := range edits {
		if at -= o.weight; at < 0 {
			e.done[o.name]++
			o.do(e)
			return
		}
	}
}

// put puts objects into the world, which holds them all.
func (e *editor) put(objects ...any) {
	if err := e.w.Put(objects...); err != nil {
		e.server.Fail(err)
	}
}

func byUser(name string) apiserver.Request { return apiserver.By(store.User, name) }

// change changes the first object of a table.
func change[T any](e *editor, t *store.Table[T], f func(*T)) {
	if rows := t.All(); len(rows) > 0 {
		apiserver.Update(e.server, t, apiserver.By(store.User, *t.Meta(rows[0]).Name), f)
	}
}

// changeAny changes any object of a table.
func changeAny[T any](e *editor, t *store.Table[T], f func(*T)) {
	if rows := t.All(); len(rows) > 0 {
		o := rows[e.IntN(len(rows))]
		apiserver.Update(e.server, t, apiserver.By(store.Monkey, *t.Meta(o).Name), f)
	}
}

// labelled returns labels with another value of a key.
func labelled(labels map[string]string, key, value string) map[string]string {
	next := map[string]string{key: value}
	for k, v := range labels {
		if k != key {
			next[k] = v
		}
	}
	return next
}

func toggled(value, one, other string) string {
	if value == one {
		return other
	}
	return one
}

// someTemplate is one of four. Where hashes are weak, two of them have one hash.
func (e *editor) someTemplate(weak bool) revision.Template {
	id := string(rune('a' + e.IntN(4)))
	if weak && (id == "a" || id == "b") {
		return revision.Template{ID: id, Hash: "a"}
	}
	return revision.Template{ID: id}
}

func (e *editor) someLimit() rollout.IntOrPercent {
	switch e.IntN(3) {
	case 0:
		return rollout.Percent(25)
	case 1:
		return rollout.Int(e.Int32N(4))
	}
	return rollout.Percent(e.Int32N(11) * 10)
}

// podEdits are what is done to pods by hand.
var podEdits = []edit{
	{"relabelled", 0.7, func(e *editor) {
		changeAny(e, &e.server.Pods, func(p *store.Pod) { p.Labels = labelled(p.Labels, "app", toggled(p.Labels["app"], "web", "other")) })
	}},
	{"orphan pod", 0.5, (*editor).orphanPod},
	{"cost", 0.5, func(e *editor) {
		cost := []string{"-5", "+10", "008", "7", "x", "99999999999"}[e.IntN(6)]
		changeAny(e, &e.server.Pods, func(p *store.Pod) {
			p.Annotations = labelled(p.Annotations, "controller.kubernetes.io/pod-deletion-cost", cost)
		})
	}},
	{"orphan", 0.5, func(e *editor) {
		changeAny(e, &e.server.Pods, func(p *store.Pod) { p.ControllerKind, p.ControllerName, p.ControllerUID = "", "", "" })
	}},
	{"other owner", 0.3, func(e *editor) {
		changeAny(e, &e.server.Pods, func(p *store.Pod) { p.ControllerKind, p.ControllerName, p.ControllerUID = "Job", "job", "job" })
	}},
	{"few pods", 0.4, func(e *editor) {
		e.put(cluster.Quota{Name: "few", Hard: map[string]int64{"pods": int64(e.server.Pods.Len() + e.IntN(3))}})
	}},
	{"many pods", 0.4, func(e *editor) { e.put(cluster.Quota{Name: "few", Hard: map[string]int64{"pods": 60}}) }},
	{"broken", 0.3, func(e *editor) {
		e.w.PutTemplate(e.someTemplate(false).ID, cluster.Template{NeverReady: true})
	}},
}

// orphanPod creates a pod by hand that controllers may adopt.
func (e *editor) orphanPod() {
	e.serial++
	p := store.Pod{OfDaemonSet: e.server.DaemonSets.Len() > 0}
	p.Name, p.Labels = fmt.Sprint("orphan-", e.serial), map[string]string{"app": "web"}
	if rows := e.server.ReplicaSets.All(); len(rows) > 0 && e.IntN(2) == 0 {
		p.Labels = rows[e.IntN(len(rows))].TemplateLabels
	}
	if nodes := e.server.Nodes.All(); p.OfDaemonSet && len(nodes) > 0 {
		p.PinnedNode = nodes[e.IntN(len(nodes))].Name
	}
	e.server.CreatePod(apiserver.By(store.Monkey, p.Name), &p)
}

// editDeployment changes the wanted state of a Deployment.
func editDeployment(name string, weight float64, f func(*editor, *store.Deployment)) edit {
	return edit{name, weight, func(e *editor) {
		change(e, &e.server.Deployments, func(d *store.Deployment) { f(e, d); d.Generation++ })
	}}
}

func editReplicaSet(name string, weight float64, f func(*editor, *replicaset.ReplicaSet)) edit {
	return edit{name, weight, func(e *editor) {
		changeAny(e, &e.server.ReplicaSets, func(rs *replicaset.ReplicaSet) { f(e, rs) })
	}}
}

func (e *editor) someStrategy(d *deploy.Deployment) {
	d.MaxSurge, d.MaxUnavailable, d.Strategy = e.someLimit(), e.someLimit(), deploy.RollingUpdate
	if e.IntN(5) == 0 {
		d.Strategy = deploy.Recreate
	}
}

// someDeployment is one that a person creates.
func (e *editor) someDeployment() deploy.Deployment {
	d := webDeployment("a", e.Int32N(7))
	d.ProgressDeadlineSeconds, d.RevisionHistoryLimit = ptr.To(int32(600)), ptr.To(int32(10))
	d.UID, d.Template = "", e.someTemplate(false)
	e.someStrategy(&d)
	if e.IntN(4) == 0 {
		d.MinReadySeconds = e.Int32N(6)
	}
	if e.IntN(3) == 0 {
		d.RevisionHistoryLimit = ptr.To(e.Int32N(3))
	}
	return d
}

// someDeploymentOptions are options that lead to a finished rollout.
func (e *editor) someDeploymentOptions() deploy.Options {
	o := deploy.Options{Repair: quirk.All}
	if e.IntN(3) == 0 {
		o.Terminating = []deploy.TerminatingPolicy{"", deploy.TerminationComplete, deploy.TerminationKnown}[e.IntN(3)]
		o.Paused = []deploy.PausedPolicy{"", deploy.PausedScale, deploy.PausedFreeze}[e.IntN(3)]
		o.Leftover = []deploy.LeftoverPolicy{"", deploy.LeftoverLargest, deploy.LeftoverNewest}[e.IntN(3)]
		o.RolloutFirst, o.WeighByAvailable, o.StrictAvailable = e.IntN(2) == 0, e.IntN(2) == 0, e.IntN(2) == 0
	}
	return o
}

var deploymentEdits = []edit{
	editDeployment("template", 2, func(e *editor, d *store.Deployment) { d.Template = e.someTemplate(false) }),
	editDeployment("template of a known hash", 0.5, func(e *editor, d *store.Deployment) { d.Template = e.someTemplate(true) }),
	editDeployment("replicas", 1.5, func(e *editor, d *store.Deployment) { d.Replicas = ptr.To(e.Int32N(9)) }),
	editDeployment("autoscaled", 0.7, func(e *editor, d *store.Deployment) {
		d.Replicas = ptr.To(min(8, max(1, *d.Replicas+e.Int32N(3)-1)))
	}),
	editDeployment("strategy", 0.5, func(e *editor, d *store.Deployment) { e.someStrategy(&d.Deployment) }),
	editDeployment("pause", 0.7, func(_ *editor, d *store.Deployment) { d.Paused = !d.Paused }),
	editDeployment("selector", 0.2, func(_ *editor, d *store.Deployment) {
		d.TemplateLabels = map[string]string{"app": "other"}
		d.Selector = selector.FromLabels(d.TemplateLabels)
	}),
	editDeployment("rollback", 0.4, func(e *editor, d *store.Deployment) {
		d.Generation-- // an annotation is no part of the spec
		d.Annotations = labelled(d.Annotations, revision.AnnotationRollback, strconv.Itoa(e.IntN(5)))
	}),
	editDeployment("none", 0.2, func(_ *editor, d *store.Deployment) { d.Replicas = new(int32) }),
	editDeployment("one", 0.2, func(_ *editor, d *store.Deployment) { d.Replicas = ptr.To(int32(1)) }),
	{"largest", 0.1, func(e *editor) { // a quota keeps most of them away
		e.put(cluster.Quota{Name: "few", Hard: map[string]int64{"pods": int64(e.server.Pods.Len() + 2)}})
		change(e, &e.server.Deployments, func(d *store.Deployment) { d.Replicas, d.Generation = ptr.To(int32(math.MaxInt32)), d.Generation+1 })
	}},
	editDeployment("revision of the deployment", 0.2, func(e *editor, d *store.Deployment) {
		d.Generation--
		d.Annotations = labelled(d.Annotations, revision.AnnotationRevision, someNumber(e))
	}),
	editReplicaSet("revision", 0.4, func(e *editor, rs *replicaset.ReplicaSet) {
		rs.Annotations = labelled(rs.Annotations, revision.AnnotationRevision, someNumber(e))
	}),
	editReplicaSet("sizes", 0.5, func(e *editor, rs *replicaset.ReplicaSet) {
		key := []string{revision.AnnotationDesired, revision.AnnotationMax}[e.IntN(2)]
		rs.Annotations = labelled(rs.Annotations, key, []string{"", "x", "0", "3", "2147483647", "-4"}[e.IntN(6)])
	}),
	editReplicaSet("orphaned set", 0.4, func(_ *editor, rs *replicaset.ReplicaSet) {
		rs.ControllerKind, rs.ControllerName, rs.ControllerUID = "", "", ""
	}),
	editReplicaSet("given set", 0.1, func(_ *editor, rs *replicaset.ReplicaSet) {
		rs.ControllerKind, rs.ControllerName, rs.ControllerUID = "Thing", "thing", "thing"
	}),
	editReplicaSet("labels of a set", 0.2, func(_ *editor, rs *replicaset.ReplicaSet) {
		rs.Labels = labelled(rs.Labels, "app", toggled(rs.Labels["app"], "web", "other"))
	}),
	{"replaced", 0.2, func(e *editor) {
		e.w.Delete(sim.KindDeployment, "web")
		e.put(e.someDeployment())
	}},
	{"options", 0.5, func(e *editor) {
		_, env, _ := e.w.Inside()
		env.Deployment = e.someDeploymentOptions()
		env.Deployment.Repair = quirk.Set(e.IntN(2)) * quirk.All
	}},
}

// someNumber is a number of a revision as somebody may write it.
func someNumber(e *editor) string {
	return []string{"", "x", "7", "-1", "9223372036854775807"}[e.IntN(5)]
}

// healDeployments makes the wanted state one that can be reached.
func (e *editor) healDeployments() {
	_, env, _ := e.w.Inside()
	env.Deployment = e.someDeploymentOptions()
	change(e, &e.server.Deployments, func(d *store.Deployment) {
		d.TemplateLabels = map[string]string{"app": "web"}
		d.Paused, d.Selector, d.Generation = false, selector.FromLabels(d.TemplateLabels), d.Generation+1
		d.Replicas = ptr.To(min(*d.Replicas, 8))
	})
	for _, rs := range e.server.ReplicaSets.All() { // one that has no Deployment would try forever
		if sizeOf(rs) > 8 {
			apiserver.Update(e.server, &e.server.ReplicaSets, apiserver.By(store.User, rs.Name), func(rs *replicaset.ReplicaSet) {
				rs.Replicas, rs.Generation = ptr.To(int32(8)), rs.Generation+1
			})
		}
	}
}

// healPods lets pods be created and become ready.
func (e *editor) healPods() {
	e.put(cluster.Quota{Name: "few"})
	for _, id := range []string{"a", "b", "c", "d"} {
		e.w.PutTemplate(id, cluster.Template{})
	}
}

// checkDeployment tells what is wrong with a Deployment that should be finished.
func (e *editor) checkDeployment() error {
	if e.server.Deployments.Len() != 1 {
		return fmt.Errorf("%d deployments", e.server.Deployments.Len())
	}
	d := e.server.Deployments.All()[0]
	if !deploy.Complete(d.Status, *d.Replicas, d.Generation) {
		return fmt.Errorf("deployment is at rest but not complete: %v, %d wanted", d.Status, *d.Replicas)
	}
	used := 0
	for _, rs := range e.server.ReplicaSets.Of(d.UID) {
		if sizeOf(rs) == 0 {
			continue
		}
		used++
		if !rs.Template.Same(d.Template) || sizeOf(rs) != *d.Replicas {
			return fmt.Errorf("replica set %s has template %s and %d pods, wanted are %s and %d", rs.Name, rs.Template.ID, sizeOf(rs), d.Template.ID, *d.Replicas)
		}
		pods := 0
		for _, p := range e.server.Pods.Of(rs.UID) {
			if p.Active() && p.Available(rs.MinReadySeconds, e.w.Now()) {
				pods++
			}
		}
		if pods != int(sizeOf(rs)) {
			return fmt.Errorf("replica set %s has %d available pods of %d", rs.Name, pods, sizeOf(rs))
		}
	}
	if used != min(int(*d.Replicas), 1) {
		return fmt.Errorf("%d replica sets are in use", used)
	}
	return nil
}

// someTime is how long nothing is edited.
func (e *editor) someTime() time.Duration { return time.Duration(e.Int64N(int64(6 * time.Second))) }
