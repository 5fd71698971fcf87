// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"cmp"
	"context"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
)

// An Around chooses additional objects to read, where access is allowed.
type Around struct {
	Limits bool // quotas, disruption budgets and autoscalers
	Events bool // about pods that could not be created
	Nodes  bool // and persistent volume claims, which tie pods to nodes
}

// A question is a list request that the user may not be allowed to make.
type question struct {
	resource schema.GroupVersionResource
	fields   string // a field selector, "" for all
	cluster  bool   // the resource has no namespace
}

// questions returns the requests of an Around. One request reads the events of all workloads of a
// namespace, instead of one for each ReplicaSet.
func (a Around) questions() (list []question) {
	if a.Limits {
		list = append(list, question{resource: schema.GroupVersionResource{Version: "v1", Resource: "resourcequotas"}},
			question{resource: schema.GroupVersionResource{Version: "v1", Resource: "limitranges"}},
			question{resource: schema.GroupVersionResource{Group: "policy", Version: "v1", Resource: "poddisruptionbudgets"}},
			question{resource: schema.GroupVersionResource{Group: "autoscaling", Version: "v2", Resource: "horizontalpodautoscalers"}})
	}
	if a.Events {
		list = append(list, question{resource: schema.GroupVersionResource{Version: "v1", Resource: "events"}, fields: "type=Warning,reason=FailedCreate"})
	}
	if a.Nodes {
		list = append(list, question{resource: schema.GroupVersionResource{Version: "v1", Resource: "nodes"}, cluster: true},
			question{resource: schema.GroupVersionResource{Version: "v1", Resource: "persistentvolumeclaims"}})
	}
	return list
}

// around adds the additional objects of namespaces, "" for all. It reports all resources that
// cannot be read in one line.
func (q Query) around(client dynamic.Interface, s *Snapshot, namespaces ...string) {
	var missed []string
	why := ""
	for _, question := range q.Around.questions() {
		in := namespaces
		if question.cluster {
			in = []string{""}
		}
		if err := question.add(client, s, in); err != nil && !apierrors.IsNotFound(err) {
			missed = append(missed, question.resource.Resource)
			if !apierrors.IsForbidden(err) {
				why = err.Error()
			}
		}
	}
	if len(missed) > 0 && q.Tell != nil {
		q.Tell("not looked at: " + strings.Join(missed, ", ") + ": " + cmp.Or(why, "that is not allowed"))
	}
}

// add adds all objects of a resource in some namespaces.
func (a *question) add(client dynamic.Interface, s *Snapshot, namespaces []string) error {
	for _, namespace := range namespaces {
		options := metav1.ListOptions{Limit: chunk, FieldSelector: a.fields}
		for more := true; more; more = options.Continue != "" {
			list, err := client.Resource(a.resource).Namespace(namespace).List(context.Background(), options)
			if err != nil {
				return err
			}
			for i := range list.Items {
				s.add(&list.Items[i], false)
			}
			options.Continue = list.GetContinue()
		}
	}
	return nil
}

// client returns a client for any resource.
func (q Query) client() (dynamic.Interface, error) {
	config, err := q.Getter.ToRESTConfig()
	if err != nil {
		return nil, err
	}
	return dynamic.NewForConfig(config)
}

// reach returns the namespace of the query, "" for all.
func (q Query) reach(namespace string) string {
	if q.AllNamespaces {
		return ""
	}
	return namespace
}
