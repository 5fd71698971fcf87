// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/internal/base/field"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout/argo"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/sim/internal/agenda"
	"github.com/kplan-go/kplan/rollout/traffic"
	"github.com/kplan-go/kplan/selector"
)

// forever is the longest time to look ahead.
const forever = 100 * 365 * 24 * time.Hour

// mostOften is the highest rate of a fault: at higher ones hardly anything else happens.
const mostOften = 100

// soonest is the shortest period of an autoscaler: worlds are run for days.
const soonest = time.Millisecond

// valid returns the errors of a configuration.
func (c *Config) valid() (errs kplan.FieldErrors) {
	for _, f := range c.Faults.list() {
		if rate := *f.rate; !(rate >= 0 && rate <= mostOften) {
			errs.Add("Config.Faults."+f.name, rate, fmt.Sprintf("must be from 0 to %d", mostOften))
		}
	}
	for _, f := range []struct {
		name string
		time.Duration
	}{{"Latency", c.Latency}, {"FaultsFor", c.FaultsFor}} {
		if f.Duration < 0 || f.Duration > forever {
			errs.Add("Config."+f.name, f.String(), "must be from 0 to "+forever.String())
		}
	}
	for _, f := range []struct {
		name string
		most int
	}{{"MaxPods", c.MaxPods}, {"MaxPlans", c.MaxPlans}} {
		if f.most < 0 {
			errs.Add("Config."+f.name, f.most, "must not be negative")
		}
	}
	for _, k := range c.Without {
		if len(k.roles()) == 0 {
			errs.Add("Config.Without", string(k), "must be a kind with a controller of ours")
		}
	}
	errs = append(errs, c.validOwn()...)
	validTimes(&c.Times, "Config.Times", &errs)
	validSpread(c.ApproveAfter, "Config.ApproveAfter", &errs)
	validSpread(c.Analysis.Takes, "Config.Analysis.Takes", &errs)
	switch c.Analysis.Ends {
	case "", argo.RunSuccessful, argo.RunFailed, argo.RunError, argo.RunInconclusive, argo.RunRunning:
	default:
		errs.Add("Config.Analysis.Ends", string(c.Analysis.Ends), "must be Successful, Failed, Error, Inconclusive or Running")
	}
	return errs
}

// validOwn returns the errors of controllers and autoscalers of the caller.
func (c *Config) validOwn() (errs kplan.FieldErrors) {
	named(&errs, "Config.Controllers", c.Controllers, func(r *Reconciler) string { return r.Name })
	for _, r := range c.Controllers {
		path := kplan.ElementPath("Config.Controllers", r.Name)
		if r.For == "" || r.For == KindRollout || r.For == KindArgoRollout {
			errs.Add(path+".For", string(r.For), "must be another kind of ours, or that of an Object")
		}
		if r.Reconcile == nil {
			errs.Add(path+".Reconcile", nil, "must not be nil")
		}
	}
	named(&errs, "Config.Autoscalers", c.Autoscalers, func(a *Autoscaler) string { return a.Name })
	for _, a := range c.Autoscalers {
		path := kplan.ElementPath("Config.Autoscalers", a.Name)
		if a.Every != 0 && (a.Every < soonest || a.Every > forever) {
			errs.Add(path+".Every", a.Every.String(), fmt.Sprintf("must be 0 or from %v to %v", soonest, forever))
		}
		if a.Desired == nil {
			errs.Add(path+".Desired", nil, "must not be nil")
		}
	}
	return errs
}

// validTimes notes the errors of times at a path.
func validTimes(t *cluster.Times, path string, errs *kplan.FieldErrors) {
	for _, s := range []struct {
		name string
		cluster.Spread
	}{{"Schedule", t.Schedule}, {"Pull", t.Pull}, {"Start", t.Start}, {"Ready", t.Ready}, {"End", t.End}} {
		validSpread(s.Spread, path+"."+s.name, errs)
	}
}

// validSpread notes the errors of a spread at a path.
func validSpread(s cluster.Spread, path string, errs *kplan.FieldErrors) {
	before := 0.0
	for _, q := range s {
		switch {
		case !(q.Share >= 0 && q.Share <= 1): // as NaN is not
			errs.Add(path, q.Share, "must have shares from 0 to 1")
		case q.Share < before:
			errs.Add(path, q.Share, "must have ascending shares")
		}
		if q.Time < 0 || q.Time > forever {
			errs.Add(path, q.Time.String(), "must be from 0 to "+forever.String())
		}
		before = q.Share
	}
}

// valid returns the errors of a snapshot: names that are missing or occur twice, workloads that do
// not select their own pods, times that are centuries away, quotas that the API server refuses, and
// holds of missing pods.
func valid(s *cluster.Snapshot) (errs kplan.FieldErrors) {
	if d := s.Now.Sub(agenda.Epoch); !s.Now.IsZero() && (d < -forever || d > forever) {
		errs.Add("Now", s.Now.String(), "must be within "+forever.String()+" of "+agenda.Epoch.String())
	}
	named(&errs, "Nodes", s.Nodes, func(o *cluster.Node) string { return o.Name })
	named(&errs, "Deployments", s.Deployments, func(o *deploy.Deployment) string { return o.Name })
	named(&errs, "ReplicaSets", s.ReplicaSets, func(o *replicaset.ReplicaSet) string { return o.Name })
	named(&errs, "ReplicationControllers", s.ReplicationControllers, func(o *replicaset.ReplicaSet) string { return o.Name })
	named(&errs, "Pods", s.Pods, func(o *podorder.Pod) string { return o.Name })
	named(&errs, "DaemonSets", daemonSetsIn(s), func(o *daemonset.DaemonSet) string { return o.Name })
	named(&errs, "DaemonPods", s.DaemonPods, func(o *daemonset.Pod) string { return o.Name })
	named(&errs, "Sets", s.Sets, func(o *cluster.Set) string { return o.Name })
	named(&errs, "Rollouts", s.Rollouts, func(o *kruise.Rollout) string { return o.Name })
	named(&errs, "ArgoRollouts", s.ArgoRollouts, func(o *cluster.ArgoRollout) string { return o.Name })
	named(&errs, "Objects", s.Objects, func(o *cluster.Object) string { return o.Name })
	named(&errs, "Budgets", s.Budgets, func(o *cluster.Budget) string { return o.Name })
	named(&errs, "Revisions", s.Revisions, func(o *revision.ControllerRevision) string { return o.Name })
	named(&errs, "Releases", s.Releases, func(o *batchrelease.Release) string { return o.Name })
	named(&errs, "Services", s.Services, func(o *traffic.Service) string { return o.Name })
	named(&errs, "Routes", s.Routes, func(o *traffic.Route) string { return o.Name })
	named(&errs, "Ingresses", s.Ingresses, func(o *traffic.Ingress) string { return o.Name })
	eachSelects(&errs, s.Deployments)
	eachSelects(&errs, s.ReplicaSets)
	eachSelects(&errs, controllersIn(s))
	validKinds(&errs, s)
	eachSelects(&errs, daemonSetsIn(s))
	for id, t := range s.Templates {
		if t.Times != nil {
			validTimes(t.Times, kplan.ElementPath("Templates", id)+".Times", &errs)
		}
	}
	validHeld(s, &errs)
	validMeta(s, &errs)
	validQuotas(s, &errs)
	return errs
}

// daemonSetsIn returns the DaemonSets of a snapshot, including DaemonSets of OpenKruise.
func daemonSetsIn(s *cluster.Snapshot) []daemonset.DaemonSet {
	list := slices.Clone(s.DaemonSets)
	for _, o := range s.AdvancedDaemonSets {
		list = append(list, o.DaemonSet)
	}
	return list
}

// validKinds notes ReplicationControllers among the ReplicaSets, and others among the ReplicationControllers.
func validKinds(errs *kplan.FieldErrors, s *cluster.Snapshot) {
	for _, o := range s.ReplicaSets {
		if o.Kind == replicaset.KindController {
			errs.Add(kplan.ElementPath("ReplicaSets", o.Name)+".Kind", o.Kind, "must be one of the ReplicationControllers")
		}
	}
	for _, o := range s.ReplicationControllers {
		if o.Kind != "" && o.Kind != replicaset.KindController {
			errs.Add(kplan.ElementPath("ReplicationControllers", o.Name)+".Kind", o.Kind, "must be empty or "+replicaset.KindController)
		}
	}
}

// validHeld notes holds of missing pods.
func validHeld(s *cluster.Snapshot, errs *kplan.FieldErrors) {
	if len(s.Held) == 0 {
		return
	}
	there := map[string]bool{}
	for i := range s.Pods {
		there[s.Pods[i].Name] = true
	}
	for i := range s.DaemonPods {
		there[s.DaemonPods[i].Name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(s.Held)) {
		if !there[name] {
			errs.Add(kplan.ElementPath("Held", name), name, "must be the name of a pod")
		}
	}
}

// named notes objects of a list without a name, or with the name of another one.
func named[T any](errs *kplan.FieldErrors, list string, objects []T, name func(*T) string) {
	for i := range objects {
		if name(&objects[i]) == "" {
			errs.Add(kplan.ElementPath(list, "")+".Name", "", "must not be empty")
		}
	}
	if i, _, found := field.Duplicate(len(objects), func(i int) string { return name(&objects[i]) }); found {
		errs.Add(kplan.ElementPath(list, name(&objects[i]))+".Name", name(&objects[i]), "must not occur twice")
	}
}

func eachSelects[T any](errs *kplan.FieldErrors, workloads []T) {
	for _, o := range workloads {
		selects(errs, o)
	}
}

// selects notes that a workload does not select the pods that it creates: it would release each, and
// create others forever. The API server refuses it. A workload without a selector has the pods that
// it owns. The planner reports an invalid selector.
func selects(errs *kplan.FieldErrors, workload any) {
	var path string
	var ls *selector.LabelSelector
	var labels map[string]string
	switch o := workload.(type) {
	case deploy.Deployment:
		path, ls, labels = kplan.ElementPath("Deployments", o.Name), o.Selector, o.TemplateLabels
	case replicaset.ReplicaSet:
		list := "ReplicaSets"
		if o.Kind == replicaset.KindController {
			list = "ReplicationControllers"
		}
		path, ls, labels = kplan.ElementPath(list, o.Name), o.Selector, o.TemplateLabels
	case daemonset.DaemonSet:
		path, ls, labels = kplan.ElementPath("DaemonSets", o.Name), o.Selector, o.Template.Labels
	case cluster.AdvancedDaemonSet:
		path, ls, labels = kplan.ElementPath("DaemonSets", o.Name), o.Selector, o.Template.Labels
	}
	if ls == nil {
		return
	}
	if s, err := selector.FromLabelSelector(ls); err == nil && !s.Matches(labels) {
		errs.Add(path+".Selector", selector.Format(ls), "must select the labels of the template, "+selector.FormatLabels(labels))
	}
}
