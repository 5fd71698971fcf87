// SPDX-License-Identifier: Apache-2.0

// Package cluster reads workloads and the objects that belong to them from a cluster. It writes
// nothing.
package cluster

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/resource"
)

// A Query names workloads as kubectl does: deployment/web, or deployment web, or all deployments.
type Query struct {
	Getter        genericclioptions.RESTClientGetter
	Args          []string
	AllNamespaces bool
	Selector      string // label selector, "" for all
	Around        Around
	Tell          func(string) // reports resources that cannot be read; may be nil
}

// A Snapshot holds the objects read for some workloads.
type Snapshot struct {
	Targets []types.UID // UIDs of the workloads that were asked for
	Objects []*unstructured.Unstructured
	seen    map[types.UID]bool
}

// named reports whether the query names workloads, instead of all of a type.
func (q Query) named() bool {
	return len(q.Args) > 1 || strings.Contains(strings.Join(q.Args, ""), "/")
}

// chunk is the number of objects in one response.
const chunk = 500

// pods are part of every workload.
var pods = schema.GroupResource{Resource: "pods"}

// related are the resources to read with a kind. Resources of API groups that the cluster does not
// have are left out.
var related = map[schema.GroupKind][]schema.GroupResource{
	{Group: "apps", Kind: "Deployment"}:          {{Group: "apps", Resource: "replicasets"}, pods},
	{Group: "apps", Kind: "ReplicaSet"}:          {{Group: "apps", Resource: "replicasets"}, pods},
	{Kind: "ReplicationController"}:              {{Resource: "replicationcontrollers"}, pods},
	{Group: "apps", Kind: "DaemonSet"}:           {{Group: "apps", Resource: "controllerrevisions"}, pods, {Resource: "nodes"}},
	{Group: "apps.kruise.io", Kind: "DaemonSet"}: {{Group: "apps", Resource: "controllerrevisions"}, pods, {Resource: "nodes"}},
	{Group: "argoproj.io", Kind: "Rollout"}:      {{Group: "apps", Resource: "replicasets"}, pods, {Resource: "services"}},
	{Group: "rollouts.kruise.io", Kind: "Rollout"}: {
		{Group: "rollouts.kruise.io", Resource: "batchreleases"}, {Group: "rollouts.kruise.io", Resource: "trafficroutings"},
		{Resource: "services"}, {Group: "networking.k8s.io", Resource: "ingresses"},
		{Group: "gateway.networking.k8s.io", Resource: "httproutes"}, {Group: "autoscaling", Resource: "horizontalpodautoscalers"},
	},
}

// workloads are the resources of the workloads of Rollouts.
var workloads = map[schema.GroupKind]schema.GroupResource{
	{Group: "apps", Kind: "Deployment"}:            {Group: "apps", Resource: "deployments"},
	{Group: "apps", Kind: "StatefulSet"}:           {Group: "apps", Resource: "statefulsets"},
	{Group: "apps", Kind: "DaemonSet"}:             {Group: "apps", Resource: "daemonsets"},
	{Group: "apps.kruise.io", Kind: "CloneSet"}:    {Group: "apps.kruise.io", Resource: "clonesets"},
	{Group: "apps.kruise.io", Kind: "StatefulSet"}: {Group: "apps.kruise.io", Resource: "statefulsets"},
	{Group: "apps.kruise.io", Kind: "DaemonSet"}:   {Group: "apps.kruise.io", Resource: "daemonsets"},
}

// Read returns the current objects of the workloads.
func (q Query) Read() (Snapshot, error) {
	targets, err := q.targets()
	if err != nil {
		return Snapshot{}, err
	}
	s, err := q.related(targets)
	if err != nil || q.Around == (Around{}) {
		return s, err
	}
	client, err := q.client()
	if err == nil {
		q.around(client, &s, q.reach(targets[0].GetNamespace()))
	}
	return s, err
}

// related returns targets of one namespace and the objects that belong to them.
func (q Query) related(targets []*unstructured.Unstructured) (Snapshot, error) {
	s := Snapshot{}
	for _, t := range targets {
		s.add(t, true)
	}
	mappings, err := q.mappings(targets)
	if err != nil {
		return s, err
	}
	if len(mappings) == 0 {
		return s, nil
	}
	var names []string
	for _, m := range mappings {
		names = append(names, m.Resource.Resource+"."+m.Resource.Version+"."+m.Resource.Group)
	}
	infos, err := q.builder(targets[0].GetNamespace()).RequestChunksOf(chunk).
		ResourceTypeOrNameArgs(true, strings.Join(names, ",")).Flatten().Do().Infos()
	if err != nil {
		return s, err
	}
	for _, info := range infos {
		if u, ok := info.Object.(*unstructured.Unstructured); ok {
			s.add(u, false)
		}
	}
	return s, nil
}

// add adds an object, unless the snapshot has it.
func (s *Snapshot) add(u *unstructured.Unstructured, target bool) {
	uid := cmp.Or(u.GetUID(), types.UID(u.GetKind()+" "+u.GetNamespace()+"/"+u.GetName()))
	if s.seen[uid] {
		return
	}
	if s.seen == nil {
		s.seen = map[types.UID]bool{}
	}
	s.seen[uid] = true
	s.Objects = append(s.Objects, u)
	if target {
		s.Targets = append(s.Targets, u.GetUID())
	}
}

func (q Query) builder(namespace string) *resource.Builder {
	return resource.NewBuilder(q.Getter).Unstructured().NamespaceParam(namespace).DefaultNamespace().AllNamespaces(q.AllNamespaces)
}

// targets returns the workloads that were asked for.
func (q Query) targets() ([]*unstructured.Unstructured, error) {
	namespace, _, err := q.Getter.ToRawKubeConfigLoader().Namespace()
	if err != nil {
		return nil, err
	}
	infos, err := q.builder(namespace).LabelSelectorParam(q.Selector).RequestChunksOf(chunk).
		ResourceTypeOrNameArgs(true, q.Args...).Flatten().Latest().Do().Infos()
	if err != nil {
		return nil, err
	}
	var targets []*unstructured.Unstructured
	for _, info := range infos {
		u, ok := info.Object.(*unstructured.Unstructured)
		if !ok {
			return nil, fmt.Errorf("%s: %T is not an object", info.ObjectName(), info.Object)
		}
		if related[u.GroupVersionKind().GroupKind()] == nil {
			return nil, fmt.Errorf("%s: must be a Deployment, ReplicaSet, ReplicationController, DaemonSet or Rollout", info.ObjectName())
		}
		if q.named() || metav1.GetControllerOfNoCopy(u) == nil {
			targets = append(targets, u)
		}
	}
	if len(targets) == 0 {
		return nil, q.nothing(namespace)
	}
	return targets, nil
}

// nothing returns the error of a query that finds no workloads.
func (q Query) nothing(namespace string) error {
	where := "in the namespace " + namespace
	if q.AllNamespaces {
		where = "in any namespace"
	}
	if q.Selector != "" {
		where += " with the labels " + q.Selector
	}
	return fmt.Errorf("there are no %s %s", strings.Join(q.Args, " "), where)
}

// mappings returns the resources to read with the targets.
func (q Query) mappings(targets []*unstructured.Unstructured) ([]*meta.RESTMapping, error) {
	mapper, err := q.Getter.ToRESTMapper()
	if err != nil {
		return nil, err
	}
	var list []*meta.RESTMapping
	seen := map[schema.GroupResource]bool{}
	for _, t := range targets {
		for _, gr := range relatedTo(t) {
			if seen[gr] {
				continue
			}
			seen[gr] = true
			m, err := mapping(mapper, gr)
			switch {
			case meta.IsNoMatchError(err):
				continue
			case err != nil:
				return nil, err
			}
			list = append(list, m)
		}
	}
	return list, nil
}

func mapping(mapper meta.RESTMapper, gr schema.GroupResource) (*meta.RESTMapping, error) {
	kind, err := mapper.KindFor(gr.WithVersion(""))
	if err != nil {
		return nil, err
	}
	return mapper.RESTMapping(kind.GroupKind(), kind.Version)
}

// relatedTo returns the resources to read with an object. For a Rollout these include the resources
// of its workload.
func relatedTo(u *unstructured.Unstructured) []schema.GroupResource {
	list := slices.Clone(related[u.GroupVersionKind().GroupKind()])
	ref, found, _ := unstructured.NestedStringMap(u.Object, "spec", "workloadRef")
	if !found {
		ref, found, _ = unstructured.NestedStringMap(u.Object, "spec", "objectRef", "workloadRef") // of v1alpha1
	}
	if !found {
		return list
	}
	kind := schema.FromAPIVersionAndKind(ref["apiVersion"], ref["kind"]).GroupKind()
	if w, ok := workloads[kind]; ok {
		list = append(list, w)
	}
	if more, ok := related[kind]; ok {
		return append(list, more...)
	}
	return append(list, pods)
}

// Names returns the names of all objects of a type, for a list to choose from.
func (q Query) Names() ([]string, error) {
	namespace, _, err := q.Getter.ToRawKubeConfigLoader().Namespace()
	if err != nil {
		return nil, err
	}
	infos, err := q.builder(namespace).LabelSelectorParam(q.Selector).RequestChunksOf(chunk).
		ResourceTypeOrNameArgs(true, q.Args...).Flatten().Do().Infos()
	var names []string
	for _, info := range infos {
		names = append(names, info.Name)
	}
	return names, err
}
