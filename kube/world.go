// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/traffic"
)

// World returns the start of a simulation of package rollout/sim. It reads Deployments,
// ReplicaSets, ReplicationControllers, DaemonSets and StatefulSets with their
// ControllerRevisions and pods, Nodes, PodDisruptionBudgets, ResourceQuotas, LimitRanges,
// Services and Ingresses, as kubectl prints them, and each [WorldObject] or [WorldSet], such as
// objects of package kruise. Others are left out; pods of Jobs and other kinds only take room
// on nodes, and count in quotas.
//
// Names are "namespace/name". Resources are CPU, in thousandths, memory, in bytes, pods, and
// all others that quotas limit. LimitRanges complete the templates of their namespace, or
// refuse them. The ID of a template of Deployments and ReplicaSets follows the namespace and a
// slash, as names do.
//
// Pods keep their observed state, see [cluster.Snapshot.Believed]. A pod stays not ready if it
// crashes, if its image cannot be pulled, or if it is not ready for more than five minutes for
// no known reason; if no pod of its template is ready, new pods do not become ready either. A
// pod stays without a node if it has scheduling gates, or is unschedulable for reasons that the
// simulated scheduler ignores. Finalizers stay.
//
// The world starts at the latest time found in objects. The error names the first object that
// cannot be read.
func World(objects []Object) (cluster.Snapshot, error) { return WorldAt(time.Time{}, objects) }

// WorldAt is [World] at a time, or later if objects hold a later one.
func WorldAt(now time.Time, objects []Object) (cluster.Snapshot, error) {
	present := clock{now.UTC().Round(0)}
	w := worldReader{
		unseen: map[string]bool{}, sets: map[string]string{}, revisions: revisionsOf(objects), claims: claimModes(objects), ranges: limitRanges(objects), resources: resourcesOf(objects),
		s: cluster.Snapshot{Templates: map[string]cluster.Template{}}, own: map[string]string{},
	}
	for _, name := range w.resources {
		w.s.Resources = append(w.s.Resources, string(name))
	}
	for _, object := range objects {
		if isNil(object) {
			continue
		}
		present.told(object)
		if err := w.workload(object); err != nil {
			return cluster.Snapshot{}, err
		}
	}
	if err := w.others(objects); err != nil {
		return cluster.Snapshot{}, err
	}
	w.s.Now = present.now
	w.hashDaemonSets()
	for _, object := range objects {
		if p, ok := object.(*corev1.Pod); ok && p != nil {
			w.pod(p)
		}
	}
	w.useQuotas(objects)
	w.besideOthers()
	w.takeRoom()
	w.believe()
	w.takeRoomOfWaiting()
	w.s.Unseen = slices.Sorted(maps.Keys(w.unseen))
	return w.s, nil
}

// others adds objects of other APIs, by their own methods.
func (w *worldReader) others(objects []Object) error {
	for _, object := range objects {
		if o, ok := object.(WorldObject); ok && !isNil(o) {
			if err := o.AddToWorld(&w.s); err != nil {
				return fmt.Errorf("%s: %w", worldName(o), err)
			}
		}
	}
	return nil
}

// isNil reports whether object is nil, or a nil pointer.
func isNil(object Object) bool {
	if object == nil {
		return true
	}
	v := reflect.ValueOf(object)
	return v.Kind() == reflect.Pointer && v.IsNil()
}

// workload reads an object other than a pod.
func (w *worldReader) workload(object Object) error {
	switch o := object.(type) {
	case *appsv1.Deployment:
		return w.deployment(o)
	case *appsv1.ReplicaSet:
		w.s.ReplicaSets = append(w.s.ReplicaSets, w.replicaSet(o))
	case *corev1.ReplicationController:
		rc := w.replicaSet(FromReplicationController(Default(o)))
		rc.Kind = replicaset.KindController
		w.s.ReplicationControllers = append(w.s.ReplicationControllers, rc)
	case *appsv1.DaemonSet:
		return w.daemonSet(o)
	case *appsv1.StatefulSet:
		s, err := StatefulSet(Default(o))
		if err != nil {
			return fmt.Errorf("stateful set %s: %w", worldName(o), err)
		}
		if len(o.Spec.VolumeClaimTemplates) > 0 {
			w.unseen[unseenClaimTemplates] = true
		}
		w.set(o, s, &o.Spec.Template)
	case WorldSet:
		s, template, err := o.WorldSet()
		if err != nil {
			return fmt.Errorf("%s %s: %w", s.Kind, worldName(o), err)
		}
		w.set(o, s, template)
	case *appsv1.ControllerRevision:
		r := ControllerRevision(o)
		if r.ControllerKind != "DaemonSet" {
			return nil
		}
		r.Name, r.ControllerName = worldName(o), qualified(o.Namespace, r.ControllerName)
		w.s.Revisions = append(w.s.Revisions, r)
	case *corev1.Node:
		w.node(o)
	case *corev1.Service:
		w.s.Services = append(w.s.Services, traffic.Service{Name: worldName(o), Selector: o.Spec.Selector})
	case *networkingv1.Ingress:
		w.s.Ingresses = append(w.s.Ingresses, traffic.Ingress{Name: worldName(o), Annotations: o.Annotations})
	case *policyv1.PodDisruptionBudget:
		return w.budget(o)
	case *corev1.ResourceQuota:
		w.quota(o)
	case *corev1.LimitRange:
		w.limitRange(o)
	}
	return nil
}

func (w *worldReader) deployment(o *appsv1.Deployment) error {
	d, err := Deployment(Default(o))
	if err != nil {
		return fmt.Errorf("deployment %s: %w", worldName(o), err)
	}
	d.Name = worldName(o)
	d.Template.ID = qualified(o.Namespace, d.Template.ID)
	w.template(d.Template.ID, o.Namespace, &o.Spec.Template.Spec, o.Spec.Template.Labels)
	w.s.Deployments = append(w.s.Deployments, d)
	w.meta(deploy.Kind, o)
	return nil
}

func (w *worldReader) daemonSet(o *appsv1.DaemonSet) error {
	d, err := DaemonSet(Default(o))
	if err != nil {
		return fmt.Errorf("daemon set %s: %w", worldName(o), err)
	}
	d.Name, d.Namespace = worldName(o), ""
	w.template(d.Template.Hash, o.Namespace, &o.Spec.Template.Spec, o.Spec.Template.Labels)
	w.own[d.UID] = ""
	w.s.DaemonSets = append(w.s.DaemonSets, d)
	w.meta(daemonset.Kind, o)
	return nil
}

// hashDaemonSets gives the templates of DaemonSets the hash labels of their revisions.
func (w *worldReader) hashDaemonSets() {
	for i := range w.s.DaemonSets {
		d := &w.s.DaemonSets[i]
		if hash := labelled(d, w.s.Revisions); hash != "" && hash != d.Template.Hash {
			w.s.Templates[hash] = w.s.Templates[d.Template.Hash]
			d.Template.Hash = hash
		}
	}
}

// replicaSet reads a ReplicaSet, or a ReplicationController in the form of one.
func (w *worldReader) replicaSet(o *appsv1.ReplicaSet) replicaset.ReplicaSet {
	rs := ReplicaSet(o)
	rs.Name, rs.ControllerName = worldName(o), qualified(o.Namespace, rs.ControllerName)
	rs.Template.ID = qualified(o.Namespace, rs.Template.ID)
	w.template(rs.Template.ID, o.Namespace, &o.Spec.Template.Spec, o.Spec.Template.Labels)
	w.own[rs.UID] = rs.Template.ID
	return rs
}

// template notes the fields of a pod template that scheduler and nodes read.
func (w *worldReader) template(id, namespace string, spec *corev1.PodSpec, labels map[string]string) {
	r := templateReader{namespace: namespace, resources: w.resources, claims: w.claims, unseen: w.unseen}
	spec, refused := completed(spec, w.ranges[namespace])
	t := r.template(spec, labels)
	t.Refused = refused
	rationed(&t, spec, w.resources)
	w.s.Templates[id] = t
}

// claimModes returns the access modes of the PersistentVolumeClaims among objects.
func claimModes(objects []Object) map[string][]corev1.PersistentVolumeAccessMode {
	modes := map[string][]corev1.PersistentVolumeAccessMode{}
	for _, object := range objects {
		if c, ok := object.(*corev1.PersistentVolumeClaim); ok && c != nil {
			modes[worldName(c)] = c.Spec.AccessModes
		}
	}
	return modes
}

func (w *worldReader) node(n *corev1.Node) {
	node := cluster.Node{Node: Node(n), Zone: n.Labels[corev1.LabelTopologyZone], Cordoned: n.Spec.Unschedulable}
	if len(n.Status.Allocatable) > 0 {
		for _, name := range w.resources {
			room := int64(1 << 60) // for resources that the node does not report
			if strings.Contains(string(name), "/") {
				room = 0 // a device that the node does not have
			}
			if q, ok := n.Status.Allocatable[name]; ok {
				room = amountOf(name, q)
			}
			node.Room = append(node.Room, room)
		}
	}
	for i := range n.Status.Conditions {
		if c := &n.Status.Conditions[i]; c.Type == corev1.NodeReady && c.Status != corev1.ConditionTrue {
			node.NotReady, node.NotReadySince = true, notReadySince(n, c)
		}
	}
	w.s.Nodes = append(w.s.Nodes, node)
}

func (w *worldReader) budget(o *policyv1.PodDisruptionBudget) error {
	b := cluster.Budget{Name: worldName(o), Selector: LabelSelector(o.Spec.Selector)}
	var err error
	if b.MinAvailable, err = IntOrPercent(o.Spec.MinAvailable); err == nil {
		b.MaxUnavailable, err = IntOrPercent(o.Spec.MaxUnavailable)
	}
	if (b.MinAvailable == rollout.IntOrPercent{}) && (b.MaxUnavailable == rollout.IntOrPercent{}) {
		b.MinAvailable = rollout.Int(1) // as the API server has it
	}
	w.s.Budgets = append(w.s.Budgets, b)
	if err != nil {
		return fmt.Errorf("pod disruption budget %s: %w", b.Name, err)
	}
	return nil
}

// pod reads a pod of a known owner. Other pods only take room.
func (w *worldReader) pod(p *corev1.Pod) {
	daemon := DaemonSetPod(p)
	pod := &daemon.Pod
	pod.Name, pod.ControllerName = worldName(p), qualified(p.Namespace, pod.ControllerName)
	prefix, ofSet := w.sets[pod.ControllerUID]
	id, known := w.own[pod.ControllerUID]
	if !known && !ofSet {
		w.foreign = append(w.foreign, p)
		return
	}
	switch {
	case ofSet:
		id = w.podOfSet(p, pod, prefix)
		w.s.Pods = append(w.s.Pods, *pod)
	case id == "":
		id = pod.Labels[appsv1.ControllerRevisionHashLabelKey]
		if _, known := w.s.Templates[id]; !known {
			w.template(id, p.Namespace, &p.Spec, p.Labels)
		}
		w.s.DaemonPods = append(w.s.DaemonPods, daemon)
	default:
		w.s.Pods = append(w.s.Pods, *pod)
	}
	w.seen = append(w.seen, seenPod{p, pod.Name, id})
}

// takeRoom takes the room of pods without an owner in the input.
func (w *worldReader) takeRoom() {
	at := map[string]*cluster.Node{}
	for i := range w.s.Nodes {
		at[w.s.Nodes[i].Name] = &w.s.Nodes[i]
	}
	for _, p := range w.foreign {
		pod := Pod(p)
		if n := at[pod.NodeName]; n != nil && !pod.Finished() {
			for i, amount := range PodRequests(&p.Spec, w.resources) {
				if i < len(n.Room) {
					n.Room[i] = max(0, n.Room[i]-amount)
				}
			}
		}
	}
	slices.SortStableFunc(w.s.Nodes, func(a, b cluster.Node) int { return cmp.Compare(a.Name, b.Name) })
	maps.DeleteFunc(w.s.Templates, func(id string, _ cluster.Template) bool { return id == "" })
}
