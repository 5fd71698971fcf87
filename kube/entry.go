// SPDX-License-Identifier: Apache-2.0

package kube

import (
	appsv1 "k8s.io/api/apps/v1"

	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
)

// Entry returns rs as an entry in the history of its Deployment. It shares with rs the
// same parts as [ReplicaSet], and the annotations of the template.
func Entry(rs *appsv1.ReplicaSet) revision.Entry {
	if rs == nil {
		return revision.Entry{}
	}
	r := ReplicaSet(rs)
	e := replicaset.Entry(&r)
	e.TemplateAnnotations = rs.Spec.Template.Annotations
	return e
}

// Entries returns the entries of a list, in its order.
func Entries(list []*appsv1.ReplicaSet) []revision.Entry { return each(list, Entry) }
