// SPDX-License-Identifier: Apache-2.0

package timeline

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/rollout/sim/record"
)

// Names, labels and values are the ones of kube-state-metrics 2.17, as far as a simulation knows
// them. Families that the simulation does not decide, such as labels and addresses, are left out.
// The families are functions, not variables, so that programs without metrics, such as the
// playground, do not contain them.

// The objects of recorded moments.
type (
	deployment = deploy.Deployment
	replicaSet = replicaset.ReplicaSet
	daemonSet  = daemonset.DaemonSet
)

// history returns the moments of each object, in order of the first moment.
func history[T any](list []record.Moment[T], name func(*T) string) (all [][]record.Moment[T]) {
	places := map[string]int{}
	for i := range list {
		n := name(&list[i].Object)
		if _, ok := places[n]; !ok {
			places[n] = len(all)
			all = append(all, nil)
		}
		all[places[n]] = append(all[places[n]], list[i])
	}
	return all
}

// at returns an object at an instant, false if it did not exist.
func at[T any](moments []record.Moment[T], t time.Time) (*T, bool) {
	n, found := slices.BinarySearchFunc(moments, t, func(m record.Moment[T], t time.Time) int { return m.Time.Compare(t) })
	if !found {
		n--
	}
	if n < 0 || moments[n].Gone {
		return nil, false
	}
	return &moments[n].Object, true
}

// ofDeployments returns a family with one metric for each Deployment.
func ofDeployments(name, help string, value func(*deployment) float64) family {
	return family{name, help, func(e *exposition, t *Timeline) {
		for _, moments := range history(t.History.Deployments, func(d *deployment) string { return d.Name }) {
			e.series(name, []string{"namespace", t.namespace(), "deployment", moments[0].Object.Name}, valueOf(moments, value))
		}
	}}
}

func valueOf[T any](moments []record.Moment[T], value func(*T) float64) func(time.Time) (float64, bool) {
	return func(now time.Time) (float64, bool) {
		if o, ok := at(moments, now); ok {
			return value(o), true
		}
		return 0, false
	}
}

// namespace returns the namespace, "default" if it is not set.
func (t *Timeline) namespace() string {
	if t.Namespace == "" {
		return "default"
	}
	return t.Namespace
}

func orOne(n *int32) float64 {
	if n == nil {
		return 1
	}
	return float64(*n)
}

func deploymentFamilies() []family {
	return []family{
		ofDeployments("kube_deployment_spec_replicas", "Number of desired pods for a deployment.", func(d *deployment) float64 { return orOne(d.Replicas) }),
		ofDeployments("kube_deployment_spec_paused", "Whether the deployment is paused.", func(d *deployment) float64 { return number(d.Paused) }),
		ofDeployments("kube_deployment_metadata_generation", "Generation of the desired state.", func(d *deployment) float64 { return float64(d.Generation) }),
		ofDeployments("kube_deployment_status_observed_generation", "Generation that the controller has seen.", func(d *deployment) float64 { return float64(d.Status.ObservedGeneration) }),
		ofDeployments("kube_deployment_status_replicas", "Number of pods.", func(d *deployment) float64 { return float64(d.Status.Replicas) }),
		ofDeployments("kube_deployment_status_replicas_ready", "Number of ready pods.", func(d *deployment) float64 { return float64(d.Status.ReadyReplicas) }),
		ofDeployments("kube_deployment_status_replicas_available", "Number of available pods.", func(d *deployment) float64 { return float64(d.Status.AvailableReplicas) }),
		ofDeployments("kube_deployment_status_replicas_unavailable", "Number of unavailable pods.", func(d *deployment) float64 { return float64(d.Status.UnavailableReplicas) }),
		ofDeployments("kube_deployment_status_replicas_updated", "Number of pods of the present template.", func(d *deployment) float64 { return float64(d.Status.UpdatedReplicas) }),
		{"kube_deployment_status_condition", "Conditions of a deployment.", writeConditions},
	}
}

// writeConditions writes three metrics for each condition and reason that occurs, for the status
// true, false and unknown.
func writeConditions(e *exposition, t *Timeline) {
	for _, moments := range history(t.History.Deployments, func(d *deployment) string { return d.Name }) {
		var seen []kplan.Condition
		for i := range moments {
			for _, c := range moments[i].Object.Status.Conditions {
				if !slices.ContainsFunc(seen, func(o kplan.Condition) bool { return o.Type == c.Type && o.Reason == c.Reason }) {
					seen = append(seen, c)
				}
			}
		}
		for _, c := range seen {
			for _, status := range []kplan.ConditionStatus{kplan.ConditionTrue, kplan.ConditionFalse, kplan.ConditionUnknown} {
				labels := []string{
					"namespace", t.namespace(), "deployment", moments[0].Object.Name,
					"condition", c.Type, "status", strings.ToLower(string(status)), "reason", c.Reason,
				}
				e.series("kube_deployment_status_condition", labels, conditionOf(moments, c, status))
			}
		}
	}
}

func conditionOf(moments []record.Moment[deployment], c kplan.Condition, status kplan.ConditionStatus) func(time.Time) (float64, bool) {
	return func(now time.Time) (float64, bool) {
		d, ok := at(moments, now)
		if !ok {
			return 0, false
		}
		i := slices.IndexFunc(d.Status.Conditions, func(o kplan.Condition) bool { return o.Type == c.Type && o.Reason == c.Reason })
		if i < 0 {
			return 0, false
		}
		return number(d.Status.Conditions[i].Status == status), true
	}
}

// ofReplicaSets returns a family with one metric for each ReplicaSet.
func ofReplicaSets(name, help string, value func(*replicaSet) float64, more ...func(*Timeline, *replicaSet) []string) family {
	return family{name, help, func(e *exposition, t *Timeline) {
		for _, moments := range history(t.History.ReplicaSets, func(rs *replicaSet) string { return rs.Name }) {
			rs := &moments[0].Object
			labels := []string{"namespace", t.namespace(), "replicaset", rs.Name}
			for _, f := range more {
				labels = append(labels, f(t, rs)...)
			}
			e.series(name, labels, valueOf(moments, value))
		}
	}}
}

func replicaSetFamilies() []family {
	return []family{
		ofReplicaSets("kube_replicaset_spec_replicas", "Number of desired pods for a ReplicaSet.", func(rs *replicaSet) float64 { return orOne(rs.Replicas) }),
		ofReplicaSets("kube_replicaset_metadata_generation", "Generation of the desired state.", func(rs *replicaSet) float64 { return float64(rs.Generation) }),
		ofReplicaSets("kube_replicaset_status_observed_generation", "Generation that the controller has seen.", func(rs *replicaSet) float64 { return float64(rs.Status.ObservedGeneration) }),
		ofReplicaSets("kube_replicaset_status_replicas", "Number of pods.", func(rs *replicaSet) float64 { return float64(rs.Status.Replicas) }),
		ofReplicaSets("kube_replicaset_status_ready_replicas", "Number of ready pods.", func(rs *replicaSet) float64 { return float64(rs.Status.ReadyReplicas) }),
		ofReplicaSets("kube_replicaset_owner", "Who owns the ReplicaSet.", func(*replicaSet) float64 { return 1 }, func(_ *Timeline, rs *replicaSet) []string {
			return []string{"owner_kind", rs.ControllerKind, "owner_name", rs.ControllerName, "owner_is_controller", "true"}
		}),
	}
}

// ofDaemonSets returns a family with one metric for each DaemonSet.
func ofDaemonSets(name, help string, value func(*daemonSet) float64) family {
	return family{name, help, func(e *exposition, t *Timeline) {
		for _, moments := range history(t.History.DaemonSets, func(d *daemonSet) string { return d.Name }) {
			e.series(name, []string{"namespace", t.namespace(), "daemonset", moments[0].Object.Name}, valueOf(moments, value))
		}
	}}
}

func daemonSetFamilies() []family {
	return []family{
		ofDaemonSets("kube_daemonset_metadata_generation", "Generation of the desired state.", func(d *daemonSet) float64 { return float64(d.Generation) }),
		ofDaemonSets("kube_daemonset_status_observed_generation", "Generation that the controller has seen.", func(d *daemonSet) float64 { return float64(d.Status.ObservedGeneration) }),
		ofDaemonSets("kube_daemonset_status_desired_number_scheduled", "Nodes that should run a pod.", func(d *daemonSet) float64 { return float64(d.Status.DesiredNumberScheduled) }),
		ofDaemonSets("kube_daemonset_status_current_number_scheduled", "Of these, nodes with a pod.", func(d *daemonSet) float64 { return float64(d.Status.CurrentNumberScheduled) }),
		ofDaemonSets("kube_daemonset_status_number_misscheduled", "Nodes with a pod that should have none.", func(d *daemonSet) float64 { return float64(d.Status.NumberMisscheduled) }),
		ofDaemonSets("kube_daemonset_status_number_ready", "Nodes with a ready pod.", func(d *daemonSet) float64 { return float64(d.Status.NumberReady) }),
		ofDaemonSets("kube_daemonset_status_number_available", "Nodes with an available pod.", func(d *daemonSet) float64 { return float64(d.Status.NumberAvailable) }),
		ofDaemonSets("kube_daemonset_status_number_unavailable", "Nodes without an available pod.", func(d *daemonSet) float64 { return float64(d.Status.NumberUnavailable) }),
		ofDaemonSets("kube_daemonset_status_updated_number_scheduled", "Nodes with a pod of the present template.", func(d *daemonSet) float64 { return float64(d.Status.UpdatedNumberScheduled) }),
	}
}

// ofPods returns a family with metrics of each pod while it exists, one for each set of labels.
func ofPods(name, help string, each func(*podorder.Pod) [][]string, value func(stage record.Life, label string) float64) family {
	return family{name, help, func(e *exposition, t *Timeline) {
		for i := range t.History.Pods {
			p := &t.History.Pods[i]
			for _, labels := range each(&p.Pod) {
				e.series(name, append([]string{"namespace", t.namespace(), "pod", p.Pod.Name}, labels...), func(now time.Time) (float64, bool) {
					stage := p.At(now)
					if stage == "" || stage == record.Gone {
						return 0, false
					}
					return value(stage, labels[1]), true
				})
			}
		}
	}}
}

// each returns one set of labels for each value of a label.
func each(label string, values ...string) func(*podorder.Pod) [][]string {
	return func(*podorder.Pod) (list [][]string) {
		for _, v := range values {
			list = append(list, []string{label, v})
		}
		return list
	}
}

func one(record.Life, string) float64 { return 1 }

func podFamilies() []family {
	return []family{
		ofPods("kube_pod_info", "The node and the owner of a pod.", func(p *podorder.Pod) [][]string {
			return [][]string{{"uid", p.UID, "node", p.NodeName, "created_by_kind", p.ControllerKind, "created_by_name", p.ControllerName}}
		}, one),
		ofPods("kube_pod_owner", "Who owns the pod.", func(p *podorder.Pod) [][]string {
			return [][]string{{"owner_kind", p.ControllerKind, "owner_name", p.ControllerName, "owner_is_controller", "true"}}
		}, one),
		ofPods("kube_pod_status_phase", "The phase of a pod.", each("phase", "Pending", "Succeeded", "Failed", "Unknown", "Running"), func(stage record.Life, label string) float64 {
			phase := "Running"
			switch stage {
			case record.Unscheduled:
				phase = "Pending"
			case record.Failed:
				phase = "Failed"
			}
			return number(label == phase)
		}),
		ofPods("kube_pod_status_ready", "Whether a pod is ready.", each("condition", "true", "false", "unknown"), func(stage record.Life, label string) float64 {
			return number(label == strconv.FormatBool(stage == record.Ready))
		}),
	}
}
