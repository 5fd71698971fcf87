// SPDX-License-Identifier: Apache-2.0

package gen

import (
	"math/rand"
	"reflect"
	"strconv"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/randfill"
)

// Unset fills an API object at random, so that most optional fields are unset at every level. The
// same seed gives the same object.
func Unset(object runtime.Object, seed int64) {
	// Few pointers and lists, or many.
	chance := 0.35 + 0.6*rand.New(rand.NewSource(seed)).Float64()
	randfill.NewWithSeed(seed).NilChance(chance).NumElements(0, 2).MaxDepth(40).Funcs(
		func(s *string, c randfill.Continue) { *s = oneOf(c, "", "", "a", "b", "true") },
		func(n *int32, c randfill.Continue) { *n = oneOf[int32](c, 0, 0, 1, 7) },
		func(n *int64, c randfill.Continue) { *n = oneOf[int64](c, 0, 0, 1, 7) },
		func(t *metav1.Time, c randfill.Continue) { *t = oneOf(c, metav1.Time{}, metav1.Unix(1700000000, 0)) },
		func(t *metav1.MicroTime, _ randfill.Continue) { *t = metav1.MicroTime{} },
		func(d *metav1.Duration, c randfill.Continue) { d.Duration = oneOf(c, 0, time.Second) },
		func(m *metav1.ObjectMeta, c randfill.Continue) {
			c.FillNoCustom(m)
			m.ManagedFields = nil
		},
		func(m *metav1.TypeMeta, _ randfill.Continue) { *m = metav1.TypeMeta{} },
		func(q *resource.Quantity, c randfill.Continue) { *q = anyQuantity(c) },
		func(n *intstr.IntOrString, c randfill.Continue) {
			*n = oneOf(c, intstr.FromInt32(0), intstr.FromInt32(2), intstr.FromString(""), intstr.FromString("25%"))
		},
		// Upstream stores a utilization as an annotation, too, which no manifest contains.
		func(s *autoscalingv1.HorizontalPodAutoscalerStatus, _ randfill.Continue) {
			*s = autoscalingv1.HorizontalPodAutoscalerStatus{}
		},
		fillDeploymentStrategy, fillDaemonSetStrategy, fillStatefulSetStrategy,
		fillPodTemplate, fillVolumeSource, fillImage,
		func(v *corev1.Container, c randfill.Continue) { c.FillNoCustom(v); v.Image = anyImage(c) },
		func(v *corev1.EphemeralContainerCommon, c randfill.Continue) {
			c.FillNoCustom(v)
			v.Image = anyImage(c)
		},
	).Fill(object)
	unset(reflect.ValueOf(object).Elem(), rand.New(rand.NewSource(seed)))
}

// unset clears half of the strings of named types, which randfill fills with anything, and pointers
// to zero times, which no text can express.
func unset(v reflect.Value, r *rand.Rand) {
	switch v.Kind() {
	case reflect.Pointer:
		if t, ok := v.Interface().(*metav1.Time); ok && t.IsZero() {
			v.SetZero()
		} else if !v.IsNil() {
			unset(v.Elem(), r)
		}
	case reflect.Slice:
		for i := range v.Len() {
			unset(v.Index(i), r)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Field(i); f.CanSet() {
				unset(f, r)
			}
		}
	case reflect.String:
		if v.Type() != reflect.TypeFor[string]() && r.Intn(2) == 0 {
			v.SetString("")
		}
	}
}

func oneOf[T any](c randfill.Continue, values ...T) T { return values[c.Intn(len(values))] }

// anyQuantity returns a quantity parsed from a text.
func anyQuantity(c randfill.Continue) resource.Quantity {
	if c.Intn(4) == 0 {
		number := strconv.FormatInt(c.Int63n(oneOf[int64](c, 10, 1e4, 1e9, 1e15)), 10)
		fraction := oneOf(c, "", "", "."+strconv.Itoa(c.Intn(1e4)))
		return resource.MustParse(number + fraction + oneOf(c, "", "n", "u", "m", "k", "M", "Ki", "Mi", "Gi", "e3", "e-3"))
	}
	return resource.MustParse(oneOf(c, "0", "1", "0.5", "500m", "1000m", "100u", "1.0001", "999999999n", "1Gi", "1024Mi", "0.5Gi", "1e3", "1500M", "12E", "0.0000000001"))
}

func anyImage(c randfill.Continue) string {
	host := oneOf(c, "", "", "", "docker.io/", "index.docker.io/", "localhost/", "example.com/", "example:5000/", "[::1]:80/", "team/", "Team/", "a//", "-/", "example.com/a/",
		strings.Repeat("a", 249)+"/", strings.Repeat("a", 250)+"/")
	name := oneOf(c, "nginx", "nginx", "nginx", "nginx", "n_g", "n__g", "n--g.x", "n..g", "Nginx", "", "a/b", "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", "ä")
	tag := oneOf(c, "", "", ":latest", ":latest", ":1.27", ":", ":-", ":LATEST", ":latest:latest", ":a.b_c-d")
	digest := oneOf(c, "", "", "", "", "@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", "@sha256:0123456789ABCDEF0123456789abcdef0123456789abcdef0123456789abcdef",
		"@sha512:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", "@md5:0123456789abcdef0123456789abcdef", "@", "@sha256:0123")
	return host + name + tag + digest
}

func fillImage(v *corev1.ImageVolumeSource, c randfill.Continue) {
	c.FillNoCustom(v)
	v.Reference = anyImage(c)
}

func fillDeploymentStrategy(s *appsv1.DeploymentStrategy, c randfill.Continue) {
	c.FillNoCustom(s)
	s.Type = oneOf(c, "", appsv1.RollingUpdateDeploymentStrategyType, appsv1.RecreateDeploymentStrategyType)
	if s.Type == appsv1.RecreateDeploymentStrategyType {
		s.RollingUpdate = nil // else the server refuses it
	}
}

func fillDaemonSetStrategy(s *appsv1.DaemonSetUpdateStrategy, c randfill.Continue) {
	c.FillNoCustom(s)
	s.Type = oneOf(c, "", appsv1.RollingUpdateDaemonSetStrategyType, appsv1.OnDeleteDaemonSetStrategyType)
}

func fillStatefulSetStrategy(s *appsv1.StatefulSetUpdateStrategy, c randfill.Continue) {
	c.FillNoCustom(s)
	s.Type = oneOf(c, "", appsv1.RollingUpdateStatefulSetStrategyType, appsv1.OnDeleteStatefulSetStrategyType)
	if s.Type == appsv1.OnDeleteStatefulSetStrategyType {
		s.RollingUpdate = nil // else the server refuses it
	}
}

func fillPodTemplate(t *corev1.PodTemplateSpec, c randfill.Continue) {
	c.FillNoCustom(t)
	if c.Intn(4) == 0 {
		t.Annotations = map[string]string{"pod.alpha.kubernetes.io/init-containers": "a", "pod.beta.kubernetes.io/init-container-statuses": "b"}
	}
	if len(t.Annotations) > 0 && c.Bool() {
		t.Annotations["pod.beta.kubernetes.io/init-containers"] = "c"
		t.Annotations["pod.alpha.kubernetes.io/init-container-statuses"] = "d"
	}
}

// fillVolumeSource leaves one source or none in most cases, and several in some.
func fillVolumeSource(s *corev1.VolumeSource, c randfill.Continue) {
	if c.Intn(6) == 0 {
		c.FillNoCustom(s)
		return
	}
	v := reflect.ValueOf(s).Elem()
	if c.Intn(6) > 0 {
		f := v.Field(c.Intn(v.NumField()))
		f.Set(reflect.New(f.Type().Elem()))
		c.Fill(f.Interface())
	}
}
