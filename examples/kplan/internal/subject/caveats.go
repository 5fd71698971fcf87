// SPDX-License-Identifier: Apache-2.0

package subject

import (
	"fmt"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/daemonset/inplace"
	"github.com/kplan-go/kplan/daemonset/reason"
	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/examples/kplan/internal/view"
	"github.com/kplan-go/kplan/examples/kplan/internal/world"
	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout/sim/record"
)

// daemonCaveats returns the caveats about a DaemonSet that its plan does not show.
func daemonCaveats(d *manifest.DaemonSet, p *view.DaemonPlan) []view.Caveat {
	pods := map[string]*corev1.Pod{}
	for _, pod := range d.Pods {
		pods[pod.Name] = pod
	}
	return append(daemonPorts(d, p, pods), daemonImages(d, p, pods)...)
}

// daemonPorts returns the caveat that new pods need a node port that the old pod on their node
// uses. With surge they never start.
func daemonPorts(d *manifest.DaemonSet, p *view.DaemonPlan, pods map[string]*corev1.Pod) []view.Caveat {
	if p.Plan.Budget.Surge == 0 {
		return nil
	}
	var ports, nodes []string
	stuck := len(p.Plan.Actions) == 0
	for i := range p.Nodes {
		r := &p.Nodes[i]
		next, old := &d.Object.Spec.Template.Spec, pods[r.Old]
		if pod := pods[r.New]; pod != nil {
			next = &pod.Spec
		} else if r.Acts != reason.Rollout {
			continue
		}
		if old == nil || next.NodeName != "" || len(clashing(next, &old.Spec)) == 0 {
			stuck = stuck && r.Uses == "" // an updating node frees budget for others
			continue
		}
		nodes, ports = append(nodes, r.Node), union(ports, clashing(next, &old.Spec))
	}
	if len(nodes) == 0 {
		return nil
	}
	return []view.Caveat{view.PortsOfNodes(ports, nodes, stuck)}
}

// deploymentPorts returns the caveat that the scheduler finds no free port for new pods because
// old pods use it.
func deploymentPorts(w *manifest.Workload, e *view.Explanation) []view.Caveat {
	newest := newestOf(w)
	if newest == nil {
		return nil
	}
	var ports []string
	waiting, going := 0, false
	for _, p := range w.Pods {
		if !metav1.IsControlledBy(p, newest) || p.Spec.NodeName != "" || !strings.Contains(manifest.ProblemOf(p).Message, "free ports") {
			continue
		}
		var taken []string
		for _, old := range w.Pods {
			if old.Spec.NodeName != "" && !metav1.IsControlledBy(old, newest) {
				taken = union(taken, clashing(&p.Spec, &old.Spec))
				going = going || old.DeletionTimestamp != nil
			}
		}
		if len(taken) > 0 {
			waiting, ports = waiting+1, union(ports, taken)
		}
	}
	if waiting == 0 {
		return nil
	}
	return []view.Caveat{view.PortsTaken(waiting, ports, !going && len(e.Plan.Plan.Actions) == 0 && len(e.Idle) == waiting)}
}

// daemonImages returns the caveat that pods count as new and run the image of an old revision.
func daemonImages(d *manifest.DaemonSet, p *view.DaemonPlan, pods map[string]*corev1.Pod) []view.Caveat {
	var list []*corev1.Pod
	for i := range p.Nodes {
		if pod := pods[p.Nodes[i].New]; pod != nil {
			list = append(list, pod)
		}
	}
	return oldImages(d, list, []daemonset.Plan{p.Plan})
}

// oldImages returns the caveat that pods run the image of an old revision although plans count
// them as new.
func oldImages(d *manifest.DaemonSet, pods []*corev1.Pod, plans []daemonset.Plan) []view.Caveat {
	var others []oldTemplate
	for _, r := range d.Revisions {
		if old, err := kube.RestoredDaemonSet(d.Object, r); err == nil && metav1.IsControlledBy(r, d.Object) {
			others = append(others, oldTemplate{fmt.Sprintf("revision %d", r.Revision), r.Labels[daemonset.LabelHash], &old.Spec.Template.Spec})
		}
	}
	pods = slices.DeleteFunc(slices.Clone(pods), func(p *corev1.Pod) bool { return inplace.UnderWay(p.Annotations) })
	s := strangersOf(pods, &d.Object.Spec.Template.Spec, others)
	if len(s.pods) == 0 || s.of.name == "" {
		return nil
	}
	first := s.pods[0]
	relabels := func(a daemonset.Action) bool { r, ok := a.(daemonset.RelabelPod); return ok && r.Name == first.Name }
	ends := "Nothing replaces them, since they have the label of the present revision: delete them, and new ones are created."
	switch {
	case slices.ContainsFunc(plans, func(p daemonset.Plan) bool { return slices.ContainsFunc(p.Actions, relabels) }):
		ends = "Nothing: all pods take the label of the revision that stays, and then are never replaced (quirk OlderPodsRelabelled); see --corrected."
	case first.Labels[daemonset.LabelHash] == s.of.hash:
		ends = "Nothing: their label of the template generation makes them new, whatever their revision (quirk GenerationHidesHash); see --corrected."
	}
	return []view.Caveat{view.OtherImages(len(s.pods), s.image, s.of.name, ends)}
}

// keptImages returns the caveat that pods of a DaemonSet exist since the beginning of a
// simulation, count as new at its end, and run the image of an old revision.
func keptImages(d *manifest.DaemonSet, r *world.Run, s *view.Simulation) []view.Caveat {
	if d.Advanced != nil { // OpenKruise may have updated them in place
		return nil
	}
	there := map[types.UID]bool{}
	for _, p := range r.View().DaemonPodsOf(string(d.Object.UID)) {
		isNew := slices.ContainsFunc(s.Steps[len(s.Steps)-1].Parts, func(part record.Part) bool { return part.New && part.Name == p.Labels[daemonset.LabelHash] })
		there[types.UID(p.UID)] = isNew && p.Active()
	}
	var plans []daemonset.Plan
	for i := range s.Steps {
		plans = append(plans, s.Steps[i].Plan.(daemonset.Plan))
	}
	return oldImages(d, slices.DeleteFunc(slices.Clone(d.Pods), func(p *corev1.Pod) bool { return !there[p.UID] }), plans)
}

// deploymentImages returns the caveat that some of the given pods belong to the new ReplicaSet
// and run the image of another one.
func deploymentImages(w *manifest.Workload, pods []*corev1.Pod) []view.Caveat {
	newest := newestOf(w)
	if newest == nil {
		return nil
	}
	var others []oldTemplate
	for _, rs := range w.Controlled() {
		if rs != newest {
			others = append(others, oldTemplate{name: "replica set " + rs.Name, spec: &rs.Spec.Template.Spec})
		}
	}
	var list []*corev1.Pod
	for _, p := range pods {
		if metav1.IsControlledBy(p, newest) && p.DeletionTimestamp == nil {
			list = append(list, p)
		}
	}
	s := strangersOf(list, &newest.Spec.Template.Spec, others)
	if len(s.pods) == 0 || s.of.name == "" && len(s.pods) == len(list) { // perhaps a webhook has changed the images of all
		return nil
	}
	return []view.Caveat{view.OtherImages(len(s.pods), s.image, s.of.name, keptBySet)}
}

// stillThere returns the pods that are still active at the end of a simulation.
func stillThere(pods []*corev1.Pod, r *world.Run) []*corev1.Pod {
	there := map[types.UID]bool{}
	for _, p := range r.View().Pods() {
		there[types.UID(p.UID)] = p.Active()
	}
	return slices.DeleteFunc(slices.Clone(pods), func(p *corev1.Pod) bool { return !there[p.UID] })
}

const keptBySet = "Nothing replaces them, since a ReplicaSet goes by labels: delete them, and new ones are created."

// replicaSetImages returns the caveat that pods run another image than the template of their
// ReplicaSet.
func replicaSetImages(r *manifest.ReplicaSet) []view.Caveat {
	s := strangersOf(slices.DeleteFunc(slices.Clone(r.Workload.Pods), func(p *corev1.Pod) bool { return p.DeletionTimestamp != nil }),
		&r.Workload.ReplicaSets[0].Spec.Template.Spec, nil)
	if len(s.pods) == 0 {
		return nil
	}
	return []view.Caveat{view.OtherImages(len(s.pods), s.image, "", keptBySet)}
}

// An oldTemplate is another template that pods may have been created from.
type oldTemplate struct {
	name string // of the revision or ReplicaSet
	hash string
	spec *corev1.PodSpec
}

// The strangers are pods with another image than the current template.
type strangers struct {
	pods  []*corev1.Pod
	image string      // of the first pod
	of    oldTemplate // template with all images of that pod, if any
}

// strangersOf returns the pods with another image than a template. It compares only containers in
// both: admission and sidecar injection add containers.
func strangersOf(pods []*corev1.Pod, template *corev1.PodSpec, others []oldTemplate) (s strangers) {
	for _, p := range pods {
		image := otherImage(p, template)
		if image == "" {
			continue
		}
		if s.pods = append(s.pods, p); len(s.pods) > 1 {
			continue
		}
		s.image = image
		at := slices.IndexFunc(others, func(o oldTemplate) bool { return otherImage(p, o.spec) == "" })
		if at >= 0 {
			s.of = others[at]
		}
	}
	return s
}

// otherImage returns the first image of a pod that differs from the template, or "".
func otherImage(p *corev1.Pod, template *corev1.PodSpec) string {
	for _, lists := range [][2][]corev1.Container{{p.Spec.InitContainers, template.InitContainers}, {p.Spec.Containers, template.Containers}} {
		for _, c := range lists[0] {
			for _, wanted := range lists[1] {
				if c.Name == wanted.Name && c.Image != wanted.Image {
					return c.Image
				}
			}
		}
	}
	return ""
}

// newestOf returns the ReplicaSet of the current template, or nil.
func newestOf(w *manifest.Workload) *appsv1.ReplicaSet {
	history, entries := w.History()
	if newest, _ := revision.Split(entries, history.Template); newest >= 0 {
		return w.Controlled()[newest]
	}
	return nil
}

// union adds the texts that a list does not contain.
func union(list, more []string) []string {
	for _, text := range more {
		if !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	return list
}

// A nodePort is a port of the node that a pod uses.
type nodePort struct {
	protocol corev1.Protocol
	port     int32
	ip       string // "" is all
}

// nodePorts returns the host ports of a pod: ports of its containers and of its sidecar
// containers. With hostNetwork the API server makes each container port a host port.
func nodePorts(spec *corev1.PodSpec) (list []nodePort) {
	containers := slices.Clone(spec.Containers)
	for _, c := range spec.InitContainers {
		if c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways {
			containers = append(containers, c)
		}
	}
	for i := range containers {
		for _, p := range containers[i].Ports {
			port := nodePort{p.Protocol, p.HostPort, p.HostIP}
			if port.protocol == "" {
				port.protocol = corev1.ProtocolTCP
			}
			if port.ip == "0.0.0.0" {
				port.ip = ""
			}
			if spec.HostNetwork && port.port == 0 {
				port.port = p.ContainerPort
			}
			if port.port != 0 {
				list = append(list, port)
			}
		}
	}
	return list
}

// clashing returns the host ports that two pods cannot both use on one node, such as 8080/TCP.
func clashing(a, b *corev1.PodSpec) (ports []string) {
	taken := nodePorts(b)
	for _, p := range nodePorts(a) {
		if slices.ContainsFunc(taken, func(q nodePort) bool {
			return p.protocol == q.protocol && p.port == q.port && (p.ip == q.ip || p.ip == "" || q.ip == "")
		}) {
			ports = union(ports, []string{fmt.Sprintf("%d/%s", p.port, p.protocol)})
		}
	}
	return ports
}
