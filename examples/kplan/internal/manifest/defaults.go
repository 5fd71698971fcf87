// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"encoding/json"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kplan-go/kplan/kube"
)

// defaulted returns an object of Kubernetes in its Go type with its defaults, or nil for other
// kinds.
func defaulted(u *unstructured.Unstructured) any {
	data, err := u.MarshalJSON()
	if err != nil {
		return nil
	}
	d, ds, sts := &appsv1.Deployment{}, &appsv1.DaemonSet{}, &appsv1.StatefulSet{}
	rs, rc := &appsv1.ReplicaSet{}, &corev1.ReplicationController{}
	switch {
	case kindOf(u) == "apps/v1 ReplicaSet" && json.Unmarshal(data, rs) == nil:
		return kube.Default(rs)
	case kindOf(u) == "v1 ReplicationController" && json.Unmarshal(data, rc) == nil:
		return kube.Default(rc)
	case kindOf(u) == "apps/v1 Deployment" && json.Unmarshal(data, d) == nil:
		return kube.Default(d)
	case kindOf(u) == "apps/v1 DaemonSet" && json.Unmarshal(data, ds) == nil:
		return kube.Default(ds)
	case kindOf(u) == "apps/v1 StatefulSet" && json.Unmarshal(data, sts) == nil:
		return kube.Default(sts)
	}
	return nil
}
