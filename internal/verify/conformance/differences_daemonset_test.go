// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/kubernetes/pkg/controller"

	"github.com/kplan-go/kplan/internal/verify/conformance/gen"
	"github.com/kplan-go/kplan/internal/verify/conformance/upstream"
	"github.com/kplan-go/kplan/internal/verify/random"
)

// daemonSetDifferences is the complete list of intended differences in plans for DaemonSets.
var daemonSetDifferences = []difference[*daemonSetPass, daemonSetOutcome]{
	{
		name:   "another owner's revision without a hash",
		reason: "daemonset, Deviations: a revision without a hash has its name for one; upstream labels new pods with nothing",
		leaf:   []string{""},
		from:   func(p *daemonSetPass) bool { return p.result.Err == nil && len(p.takenWithoutHash()) > 0 },
		to: func(p *daemonSetPass) daemonSetOutcome {
			taken := p.takenWithoutHash()
			p.again(func(c *gen.DaemonSetCase) {
				for i, r := range c.Revisions {
					if slices.Contains(taken, r.Name) {
						c.Revisions[i] = r.DeepCopy()
						metav1.SetMetaDataLabel(&c.Revisions[i].ObjectMeta, appsv1.DefaultDaemonSetUniqueLabelKey, r.Name)
					}
				}
			})
			return p.upstream
		},
		near: append([]mistake[daemonSetOutcome]{{"no hash after all", func(o *daemonSetOutcome) bool {
			for i, line := range o.Creates {
				fields := strings.Split(line, " ")
				fields[len(fields)-2] = ""
				o.Creates[i] = strings.Join(fields, " ")
			}
			return len(o.Creates) > 0
		}}}, nearDaemons...),
		elsewhere: func(_ *daemonSetPass, o *daemonSetOutcome) bool {
			if len(o.Creates) > 0 {
				o.Creates[0] = "n1 web-other 1"
			}
			return len(o.Creates) > 0
		},
	},
	{
		name:   "missing node fails a surge without an error",
		reason: "daemonset, Deviations: where upstream fails, and has nothing to write before, the plan has a hold",
		leaf:   []string{"Refused"},
		from: func(p *daemonSetPass) bool {
			return p.upstream.Refused && p.result.Err != nil && strings.Contains(p.result.Err.Error(), "couldn't get node for nodeName")
		},
		to: func(p *daemonSetPass) daemonSetOutcome {
			p.upstream.Refused = false
			return p.upstream
		},
		near: nearDaemons,
		elsewhere: func(_ *daemonSetPass, o *daemonSetOutcome) bool {
			o.Refused = !o.Refused
			return true
		},
	},
}

// takenWithoutHash returns the names of revisions without a hash that upstream wants to
// create.
func (p *daemonSetPass) takenWithoutHash() (list []string) {
	for _, w := range p.result.Writes {
		if c, ok := w.(upstream.CreateRevision); ok && c.Err != nil && slices.ContainsFunc(p.in.Revisions, func(r *appsv1.ControllerRevision) bool {
			return r.Name == c.Object.Name && r.Labels[appsv1.DefaultDaemonSetUniqueLabelKey] == ""
		}) {
			list = append(list, c.Object.Name)
		}
	}
	return list
}

// nearDaemons are wrong plans for a DaemonSet.
var nearDaemons = []mistake[daemonSetOutcome]{
	{"a creation more", func(o *daemonSetOutcome) bool {
		o.Creates = append(o.Creates, "n99 web-x 1")
		return true
	}},
	{"a deletion more", func(o *daemonSetOutcome) bool {
		o.Deletes = append(o.Deletes, "p99")
		return true
	}},
	{"a revision less", func(o *daemonSetOutcome) bool {
		o.Revisions = append(o.Revisions, "delete old")
		return true
	}},
	{"another status", func(o *daemonSetOutcome) bool {
		o.Status.NumberAvailable++
		return true
	}},
	{"no plan", func(o *daemonSetOutcome) bool {
		*o = daemonSetOutcome{Refused: true, Status: o.Status}
		return true
	}},
}

// rareDaemons turns some cases into rare ones: in one of 20 a revision of another owner without a
// hash has the name of the current revision, and in one of 10 a node is gone in a surge, and the
// status is stored already.
func rareDaemons(t random.T, dsc *upstream.DaemonSets, c *gen.DaemonSetCase) {
	ds := c.DaemonSet
	switch {
	case random.OneIn(t, "taken without a hash", 20):
		r := agentRevision(ds, "new", 2)
		r.Data.Raw = must(upstream.DaemonSetPatch(ds))
		r.Name = ds.Name + "-" + controller.ComputeHash(&ds.Spec.Template, ds.Status.CollisionCount)
		r.OwnerReferences[0].UID = "else"
		delete(r.Labels, appsv1.DefaultDaemonSetUniqueLabelKey)
		c.Revisions = slices.DeleteFunc(c.Revisions, func(other *appsv1.ControllerRevision) bool {
			return other.Name == r.Name || string(other.Data.Raw) == string(r.Data.Raw)
		})
		c.Revisions = append(c.Revisions, r)
	case random.OneIn(t, "gone in a surge", 10) && len(c.Nodes) > 1:
		ds.Spec.UpdateStrategy = appsv1.DaemonSetUpdateStrategy{Type: appsv1.RollingUpdateDaemonSetStrategyType, RollingUpdate: &appsv1.RollingUpdateDaemonSet{
			MaxUnavailable: new(intstr.FromInt32(0)), MaxSurge: new(intstr.FromInt32(1)),
		}}
		c.Nodes = c.Nodes[1:]
		dsc.Fill(ds, c.Revisions, c.Nodes, c.Pods, c.Failures)
		for _, w := range dsc.Sync(ds).Writes {
			if w, ok := w.(upstream.UpdateDaemonSetStatus); ok {
				ds.Status = w.Status
			}
		}
	}
}
