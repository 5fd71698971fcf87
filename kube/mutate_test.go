// SPDX-License-Identifier: Apache-2.0

package kube_test

import (
	"maps"
	"reflect"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/revision"
)

var quantities = []string{
	"0", "0m", "1", "1000m", "500m", "0.5", "1k", "1e3", "1Gi", "1024Mi", "1073741824", "1n", "-1", "1.5Gi",
	"100E", "100000000000000000000", "100000000000000000001", "9223372036854775807", "-9223372036854775808", "900719925474099300m",
}

func drawQuantity(t *rapid.T) resource.Quantity {
	return resource.MustParse(rapid.SampledFrom(quantities).Draw(t, "quantity"))
}

func drawText(t *rapid.T) string {
	return rapid.SampledFrom([]string{"", "a", "b", "ab"}).Draw(t, "text")
}

// drawTemplate returns a template in which every kind of value occurs, grown at
// random places.
func drawTemplate(t *rapid.T) *corev1.PodTemplateSpec {
	tmpl := &corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{
			Labels:            map[string]string{"app": drawText(t)},
			CreationTimestamp: metav1.Unix(rapid.Int64Range(0, 2).Draw(t, "created"), 0),
			ManagedFields:     []metav1.ManagedFieldsEntry{{Time: ptr.To(metav1.Unix(5, 0)), FieldsV1: fieldsV1("{}")}},
		},
		Spec: corev1.PodSpec{
			Overhead: corev1.ResourceList{"cpu": drawQuantity(t), "memory": drawQuantity(t)},
			Volumes: []corev1.Volume{{Name: "v", VolumeSource: corev1.VolumeSource{
				EmptyDir: &corev1.EmptyDirVolumeSource{SizeLimit: ptr.To(drawQuantity(t))},
			}}},
		},
	}
	for range rapid.IntRange(0, 2).Draw(t, "containers") {
		tmpl.Spec.Containers = append(tmpl.Spec.Containers, corev1.Container{
			Name: drawText(t), Args: []string{drawText(t), drawText(t)},
			Resources:     corev1.ResourceRequirements{Limits: corev1.ResourceList{"cpu": drawQuantity(t)}},
			LivenessProbe: &corev1.Probe{ProbeHandler: corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Port: intstr.FromInt32(80)}}},
		})
	}
	for range rapid.IntRange(0, 4).Draw(t, "growth") {
		grow(t, reflect.ValueOf(tmpl).Elem())
	}
	return tmpl
}

// grow walks to a random place in v, making what is missing on the way, and puts a
// value there.
func grow(t *rapid.T, v reflect.Value) {
	for {
		if change(t, v, true) {
			return
		}
		switch v.Kind() {
		case reflect.Struct:
			v = v.Field(rapid.IntRange(0, v.NumField()-1).Draw(t, "field"))
		case reflect.Pointer:
			if v.IsNil() {
				v.Set(reflect.New(v.Type().Elem()))
			}
			v = v.Elem()
		case reflect.Slice:
			if v.Len() == 0 {
				v.Set(reflect.MakeSlice(v.Type(), 1, 1))
			}
			v = v.Index(rapid.IntRange(0, v.Len()-1).Draw(t, "index"))
		}
	}
}

// mutate changes one place of tmpl, often without changing what it means.
func mutate(t *rapid.T, tmpl *corev1.PodTemplateSpec) {
	if rapid.IntRange(0, 4).Draw(t, "how") == 0 {
		grow(t, reflect.ValueOf(tmpl).Elem())
		return
	}
	sites := map[string][]reflect.Value{}
	collect(reflect.ValueOf(tmpl).Elem(), func(kind string, v reflect.Value) { sites[kind] = append(sites[kind], v) })
	kind := rapid.SampledFrom(slices.Sorted(maps.Keys(sites))).Draw(t, "kind")
	change(t, rapid.SampledFrom(sites[kind]).Draw(t, "site"), false)
}

// collect calls site for every place of v that change can change.
func collect(v reflect.Value, site func(kind string, v reflect.Value)) {
	switch v.Addr().Interface().(type) {
	case *resource.Quantity, *metav1.Time, *metav1.FieldsV1:
		site(v.Type().Name(), v)
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			collect(v.Field(i), site)
		}
		return
	case reflect.Pointer:
		if !v.IsNil() {
			collect(v.Elem(), site)
		}
	case reflect.Slice:
		for i := range v.Len() {
			collect(v.Index(i), site)
		}
	}
	site(v.Type().Kind().String(), v)
}

// change changes v, or reports false if v is of a kind to descend into: always a
// struct, and a list or pointer if descend is true.
func change(t *rapid.T, v reflect.Value, descend bool) bool {
	switch p := v.Addr().Interface().(type) {
	case *resource.Quantity:
		respell(t, p)
		return true
	case *metav1.Time:
		zone := time.FixedZone("z", 3600*rapid.IntRange(-1, 1).Draw(t, "zone"))
		p.Time = p.Add(time.Duration(rapid.SampledFrom([]int{0, 0, 1, 1e9}).Draw(t, "shift"))).In(zone)
		return true
	case *metav1.FieldsV1:
		*p = *fieldsV1(drawText(t))
		return true
	case *map[string]string:
		changeTexts(t, p)
		return true
	case *corev1.ResourceList:
		changeAmounts(t, p)
		return true
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(drawText(t))
	case reflect.Bool:
		v.SetBool(rapid.Bool().Draw(t, "bool"))
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(rapid.Int64Range(-1, 2).Draw(t, "int"))
	case reflect.Uint8:
		v.SetUint(rapid.Uint64Range(0, 1).Draw(t, "uint"))
	case reflect.Pointer:
		if descend && rapid.Bool().Draw(t, "deeper") {
			return false
		}
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		} else {
			v.SetZero()
		}
	case reflect.Slice:
		if descend && rapid.Bool().Draw(t, "deeper") {
			return false
		}
		changeList(t, v)
	default:
		return false
	}
	return true
}

// respell gives q another form of the same value, mostly.
func respell(t *rapid.T, q *resource.Quantity) {
	fresh := func() *resource.Quantity { return resource.NewDecimalQuantity(*ptr.To(q.DeepCopy()).AsDec(), q.Format) }
	switch rapid.IntRange(0, 4).Draw(t, "spelling") {
	case 0:
		*q = *fresh()
	case 1:
		*q = resource.MustParse(fresh().String())
	case 2:
		*q = *resource.NewMilliQuantity(fresh().MilliValue(), resource.DecimalSI)
	case 3:
		other := fresh()
		other.Format = resource.BinarySI
		*q = resource.MustParse(other.String())
	default:
		*q = drawQuantity(t)
	}
}

func changeTexts(t *rapid.T, m *map[string]string) {
	key := rapid.SampledFrom([]string{"app", "a", "b", revision.LabelHash, revision.LabelHash}).Draw(t, "key")
	switch rapid.IntRange(0, 3).Draw(t, "map") {
	case 0:
		if *m = maps.Clone(*m); len(*m) == 0 {
			*m = map[string]string{}
		}
	case 1:
		delete(*m, key)
	case 2:
		if len(*m) == 0 {
			*m = nil
		}
	default:
		if *m == nil {
			*m = map[string]string{}
		}
		(*m)[key] = drawText(t)
	}
}

func changeAmounts(t *rapid.T, m *corev1.ResourceList) {
	key := rapid.SampledFrom([]corev1.ResourceName{"cpu", "memory"}).Draw(t, "key")
	q, ok := (*m)[key]
	switch rapid.IntRange(0, 3).Draw(t, "map") {
	case 0:
		delete(*m, key)
	case 1:
		if len(*m) == 0 {
			*m = corev1.ResourceList{}
		}
	default:
		if *m == nil {
			*m = corev1.ResourceList{}
		}
		if !ok {
			q = drawQuantity(t)
		}
		respell(t, &q)
		(*m)[key] = q
	}
}

func changeList(t *rapid.T, v reflect.Value) {
	switch n := v.Len(); {
	case n == 0 && v.IsNil():
		v.Set(reflect.MakeSlice(v.Type(), 0, 0))
	case n == 0 || rapid.IntRange(0, 3).Draw(t, "list") == 0:
		v.Set(reflect.Append(v, reflect.Zero(v.Type().Elem())))
	case n == 1:
		v.SetLen(0)
	default:
		reflect.Swapper(v.Interface())(0, n-1)
	}
}
