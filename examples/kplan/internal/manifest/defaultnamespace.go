// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"cmp"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// fillNamespace puts objects without a namespace into the namespace of the source. If the source
// has no namespace, it puts them into "default" if some other object names that explicitly, such as
// manifests together with the output of kubectl. Otherwise names stay short.
func (l *loader) fillNamespace(ofSource string) {
	named, unnamed := ofSource != "", []*string{}
	for _, namespace := range l.namespacesOf() {
		named = named || *namespace == metav1.NamespaceDefault
		if *namespace == "" {
			unnamed = append(unnamed, namespace)
		}
	}
	if !named {
		return
	}
	for _, namespace := range unnamed {
		*namespace = cmp.Or(ofSource, metav1.NamespaceDefault)
	}
}

// namespacesOf returns pointers to the namespaces of all namespaced objects.
func (l *loader) namespacesOf() (list []*string) {
	for _, s := range l.deployments {
		list = append(list, &s.object.namespace)
	}
	for _, s := range slices.Concat(l.replicaSets, l.controllers) {
		list = append(list, &s.object.namespace)
	}
	list = append(list, metaOf(l.pods)...)
	list = append(list, metaOf(l.revisions)...)
	list = append(list, metaOf(l.argo)...)
	list = append(list, metaOf(l.cloneSets)...)
	list = append(list, metaOf(l.statefuls)...)
	list = append(list, metaOf(l.advanced)...)
	list = append(list, metaOf(l.services)...)
	list = append(list, metaOf(l.ingresses)...)
	list = append(list, metaOf(l.routes)...)
	list = append(list, metaOf(l.autoscalers)...)
	list = append(list, metaOf(l.routings)...)
	list = append(list, metaOf(l.quotas)...)
	list = append(list, metaOf(l.ranges)...)
	list = append(list, metaOf(l.claims)...)
	list = append(list, metaOf(l.budgets)...)
	for _, s := range l.daemonSets {
		list = append(list, &s.object.Object.Namespace)
	}
	for _, s := range l.rollouts {
		list = append(list, &s.object.namespace)
	}
	for i := range l.objects {
		list = append(list, &l.objects[i].Namespace)
	}
	for _, s := range l.releases {
		list = append(list, &s.object.namespace)
	}
	return list
}

// metaOf returns pointers to the namespaces of objects.
func metaOf[T any](sources []source[T]) (list []*string) {
	for _, s := range sources {
		if o, ok := any(s.object).(interface{ GetObjectMeta() metav1.Object }); ok {
			if m, ok := o.GetObjectMeta().(*metav1.ObjectMeta); ok {
				list = append(list, &m.Namespace)
			}
		}
	}
	return list
}
