// SPDX-License-Identifier: Apache-2.0

package gen

import (
	"strconv"

	"github.com/kplan-go/kplan/internal/verify/random"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// templates is the number of different bare templates.
const templates = 4

// bare returns the k-th template: one container with an image of its number. Whole passes use these
// small templates, since templates are most of the cost of a Deployment's pass; [Template] draws
// full ones.
func bare(k int, labels map[string]string) corev1.PodTemplateSpec {
	return corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: labels},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i:" + strconv.Itoa(k)}}},
	}
}

// Template draws a pod template with every kind of field: lists, maps, pointers,
// quantities and times, each nil, empty or set.
func Template(t random.Source) *corev1.PodTemplateSpec {
	p := &corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{
		Labels: texts(t, "labels", "app", "pod-template-hash"), Annotations: texts(t, "annotations", "a", "b"),
	}}
	if random.Percent(t, "created", 10) {
		p.CreationTimestamp = metav1.Unix(int64(random.Below(t, "created at", 3)), 0)
	}
	for i := range 1 + random.Below(t, "containers", 2) {
		p.Spec.Containers = append(p.Spec.Containers, container(t, i))
	}
	if random.Percent(t, "volumes", 30) {
		p.Spec.Volumes = make([]corev1.Volume, random.Below(t, "volumes", 2))
		for i := range p.Spec.Volumes {
			p.Spec.Volumes[i] = corev1.Volume{Name: "v", VolumeSource: corev1.VolumeSource{
				EmptyDir: &corev1.EmptyDirVolumeSource{SizeLimit: quantity(t)},
			}}
		}
	}
	p.Spec.NodeSelector = texts(t, "node selector", "zone", "disk")
	p.Spec.TerminationGracePeriodSeconds = random.OneOf(t, "grace", nil, new(int64(0)), new(int64(30)))
	p.Spec.HostNetwork = random.OneIn(t, "host network", 4)
	p.Spec.RestartPolicy = random.OneOf(t, "restart policy", "", corev1.RestartPolicyAlways)
	return p
}

func container(t random.Source, i int) corev1.Container {
	c := corev1.Container{Name: strconv.Itoa(i), Image: random.OneOf(t, "image", "i:1", "i:2", "")}
	if random.Percent(t, "args", 30) {
		c.Args = make([]string, random.Below(t, "args", 3))
	}
	if random.Percent(t, "resources", 40) {
		c.Resources.Requests = corev1.ResourceList{}
		if q := quantity(t); q != nil {
			c.Resources.Requests[corev1.ResourceCPU] = *q
		}
	}
	if random.Percent(t, "probe", 20) {
		c.LivenessProbe = &corev1.Probe{PeriodSeconds: int32(random.Below(t, "period", 2))}
	}
	return c
}

// quantity draws a quantity; several have an equal value and a different format.
func quantity(t random.Source) *resource.Quantity {
	text := random.OneOf(t, "quantity", "", "1", "1000m", "1k", "1000", "1Ki", "1024", "0", "0m", "100m", "0.1", "1e3")
	if text == "" {
		return nil
	}
	return new(resource.MustParse(text))
}

// texts draws a map that is nil, empty or has some of the keys.
func texts(t random.Source, label string, keys ...string) map[string]string {
	if random.Below(t, label, 2) == 0 {
		return nil
	}
	m := map[string]string{}
	for _, k := range keys {
		if random.OneIn(t, k, 2) {
			m[k] = random.OneOf(t, k, "x", "y", "")
		}
	}
	return m
}

// Variant returns a copy of a template in another form: 60 % semantically equal, with nil for
// empty, empty for nil, an equal quantity or another hash label, and the rest with one field
// changed.
func Variant(t random.Source, p *corev1.PodTemplateSpec) *corev1.PodTemplateSpec {
	v := p.DeepCopy()
	switch random.Below(t, "variant", 10) {
	case 0, 1:
		v.Labels = withHash(v.Labels, random.OneOf(t, "hash", "x", "y", "z"))
	case 2:
		v.Annotations, v.Spec.NodeSelector = flip(v.Annotations), flip(v.Spec.NodeSelector)
	case 3:
		flipList(&v.Spec.Volumes)
		flipList(&v.Spec.Containers[0].Args)
	case 4:
		if q, ok := v.Spec.Containers[0].Resources.Requests[corev1.ResourceCPU]; ok {
			v.Spec.Containers[0].Resources.Requests[corev1.ResourceCPU] = *resource.NewMilliQuantity(q.MilliValue(), resource.DecimalSI)
		}
	case 5:
	case 6:
		v.Spec.Containers[0].Image = random.OneOf(t, "other image", "i:1", "i:2", "i:3")
	case 7:
		v.Spec.TerminationGracePeriodSeconds = random.OneOf(t, "other grace", nil, new(int64(0)), new(int64(30)))
	case 8:
		v.Labels = texts(t, "other labels", "app", "pod-template-hash")
	case 9:
		v.Spec.NodeSelector = texts(t, "other node selector", "zone", "disk")
	}
	return v
}

func withHash(labels map[string]string, hash string) map[string]string {
	m := map[string]string{"pod-template-hash": hash}
	for k, value := range labels {
		if k != "pod-template-hash" {
			m[k] = value
		}
	}
	return m
}

func flip(m map[string]string) map[string]string {
	switch {
	case m == nil:
		return map[string]string{}
	case len(m) == 0:
		return nil
	}
	return m
}

func flipList[T any](list *[]T) {
	switch {
	case *list == nil:
		*list = []T{}
	case len(*list) == 0:
		*list = nil
	}
}
