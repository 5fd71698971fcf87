// SPDX-License-Identifier: Apache-2.0

package kube_test

import (
	"reflect"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/revision"
)

// sameUpstream is the comparison that a template's ID stands for.
func sameUpstream(a, b *corev1.PodTemplateSpec) bool {
	a, b = a.DeepCopy(), b.DeepCopy()
	delete(a.Labels, appsv1.DefaultDeploymentUniqueLabelKey)
	delete(b.Labels, appsv1.DefaultDeploymentUniqueLabelKey)
	return equality.Semantic.DeepEqual(a, b)
}

// template returns a template with one container and the change.
func template(change func(*corev1.PodTemplateSpec)) *corev1.PodTemplateSpec {
	t := &corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": "x"}},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i:1"}}},
	}
	if change != nil {
		change(t)
	}
	return t
}

// many returns n labels. Each map has an order of its own.
func many(n int) map[string]string {
	m := map[string]string{}
	for i := range n {
		m[strconv.Itoa(i)] = "v"
	}
	return m
}

// templateHashes were recorded from Kubernetes. A hash is that of all fields that the API's
// types have, unset ones included, so that every release has its own.
var templateHashes = map[string][]string{
	"1.34": {"d595cf9b7", "9bb5fdbbc", "76f8947974", "6d4dbb4899", "797f8c5df4", "586ddd8548", "76759d6f74", "659c5cfddf", "79d57d8d7d"},
	"1.35": {"949c68d4d", "65976b55f6", "7c5ff67b69", "96c79647b", "767f95b9bc", "5dcf6df5fc", "c4b78d947", "5766d4b79b", "7dbfdbdbc9"},
	"1.36": {"7d4c665cf7", "66cf68d45", "6f9b66fbb8", "5fddfd4cc", "65cf97f676", "976bbc86b", "855fddc89b", "9987498c9", "85748b7f68"},
	"1.37": {"f4c7bd67", "775876599f", "5c8cb9f56b", "58ccf6d5cf", "779f54dfb4", "c7f5486bb", "7d5ffd7964", "576d474c67", "54f4c57dcb"},
}

func TestTemplateHash(t *testing.T) {
	var hashes []string // of the release whose types are linked
	for _, of := range templateHashes {
		if of[0] == kube.Template(template(nil), nil).Hash {
			hashes = of
		}
	}
	require.NotEmpty(t, hashes, "the hashes of no release that was recorded")
	wide := func(t *corev1.PodTemplateSpec) {
		t.Labels = map[string]string{"a": "1", "b": "2"}
		t.Spec.TerminationGracePeriodSeconds = ptr.To(int64(30))
	}
	for _, tt := range []struct {
		why        string
		template   *corev1.PodTemplateSpec
		collisions *int32
		want       int // in the list of the release
	}{
		{"no collision", template(nil), nil, 0},
		{"0 is not unset", template(nil), ptr.To(int32(0)), 1},
		{"one collision", template(nil), ptr.To(int32(1)), 2},
		{"a negative count", template(nil), ptr.To(int32(-1)), 3},
		{"a hash label takes part", template(func(t *corev1.PodTemplateSpec) { t.Labels["pod-template-hash"] = "zz" }), nil, 4},
		{"an empty map is not nil", template(func(t *corev1.PodTemplateSpec) { t.Annotations = map[string]string{} }), nil, 5},
		{"map order and pointers", template(wide), nil, 6},
		{"map order and pointers, collisions", template(wide), ptr.To(int32(3)), 7},
		{"nothing set", &corev1.PodTemplateSpec{}, nil, 8},
		{"nil is nothing set", nil, nil, 8},
	} {
		t.Run(tt.why, func(t *testing.T) {
			got := kube.Template(tt.template, tt.collisions)
			require.Equal(t, hashes[tt.want], got.Hash)
			require.Equal(t, kube.TemplateID(tt.template), got.ID)
		})
	}
}

func TestTemplateID(t *testing.T) {
	berlin := time.FixedZone("CET", 3600)
	noon := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	amounts := func(q resource.Quantity) func(*corev1.PodTemplateSpec) {
		return func(t *corev1.PodTemplateSpec) {
			t.Spec.Containers[0].Resources.Requests = corev1.ResourceList{"cpu": q}
		}
	}
	quantity := func(s string) func(*corev1.PodTemplateSpec) { return amounts(resource.MustParse(s)) }
	created := func(at time.Time) func(*corev1.PodTemplateSpec) {
		return func(t *corev1.PodTemplateSpec) { t.CreationTimestamp = metav1.NewTime(at) }
	}
	claim := func(hash string) func(*corev1.PodTemplateSpec) {
		return func(t *corev1.PodTemplateSpec) {
			c := &corev1.PersistentVolumeClaimTemplate{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{revision.LabelHash: hash}}}
			t.Spec.Volumes = []corev1.Volume{{VolumeSource: corev1.VolumeSource{Ephemeral: &corev1.EphemeralVolumeSource{VolumeClaimTemplate: c}}}}
		}
	}
	args := func(a ...string) func(*corev1.PodTemplateSpec) {
		return func(t *corev1.PodTemplateSpec) { t.Spec.Containers[0].Args = a }
	}
	labels := func(l map[string]string) func(*corev1.PodTemplateSpec) {
		return func(t *corev1.PodTemplateSpec) { t.Labels = l }
	}
	containers := func(c ...corev1.Container) func(*corev1.PodTemplateSpec) {
		return func(t *corev1.PodTemplateSpec) { t.Spec.Containers = c }
	}
	type change = func(*corev1.PodTemplateSpec)
	for _, tt := range []struct {
		why  string
		a, b change
		same bool
	}{
		{"equal", nil, nil, true},
		{"another image", nil, func(t *corev1.PodTemplateSpec) { t.Spec.Containers[0].Image = "i:2" }, false},
		{"the hash label", nil, func(t *corev1.PodTemplateSpec) { t.Labels[revision.LabelHash] = "1" }, true},
		{"no labels, only the hash", labels(nil), labels(map[string]string{revision.LabelHash: "1"}), true},
		{"the hash label of a claim template", claim("1"), claim("2"), false},
		{"an empty map", nil, func(t *corev1.PodTemplateSpec) { t.Annotations = map[string]string{} }, true},
		{"an empty list", nil, args(), true},
		{"an empty text in a list", nil, args(""), false},
		{"two texts joined", args("a", "b"), args("ab"), false},
		{"text moved to the next", args("a", "bc"), args("ab", "c"), false},
		{"a list that looks like the next field", args("a", "WorkingDir", "b"), func(t *corev1.PodTemplateSpec) {
			t.Spec.Containers[0].Args, t.Spec.Containers[0].WorkingDir = []string{"a"}, "b"
		}, false},
		{"a field moved to the next struct", containers(corev1.Container{Name: "a"}, corev1.Container{Image: "b"}),
			containers(corev1.Container{Name: "a", Image: "b"}, corev1.Container{}), false},
		{"map order", labels(many(20)), labels(many(20)), true},
		{"list order", args("a", "b"), args("b", "a"), false},
		{"a quantity in thousandths", quantity("1"), quantity("1000m"), true},
		{"a binary quantity", quantity("1Gi"), quantity("1073741824"), true},
		{"a decimal quantity", quantity("1k"), quantity("1e3"), true},
		{"a big quantity", quantity("100000000000000000000"), quantity("100E"), true},
		{"another quantity", quantity("1"), quantity("1001m"), false},
		{"another big quantity", quantity("100000000000000000000"), quantity("100000000000000000001"), false},
		{"a power of ten", quantity("1"), quantity("1k"), false},
		{"zeros", quantity("0"), quantity("0m"), true},
		{"an uninitialised quantity", quantity("0"), amounts(resource.Quantity{}), true},
		{"a quantity of zero is there", nil, quantity("0"), false},
		{"a sign", quantity("1"), quantity("-1"), false},
		{"another zone", created(noon), created(noon.In(berlin)), true},
		{"another instant", created(noon), created(noon.Add(time.Nanosecond)), false},
		{"another day", created(noon), created(noon.AddDate(0, 0, 1)), false},
		{"a pointer to zero", nil, func(t *corev1.PodTemplateSpec) { t.Spec.Priority = new(int32) }, false},
		{"a pointer to an empty struct", nil, func(t *corev1.PodTemplateSpec) { t.Spec.SecurityContext = &corev1.PodSecurityContext{} }, false},
		{"a default is not filled in", nil, func(t *corev1.PodTemplateSpec) { t.Spec.RestartPolicy = "Always" }, false},
		{"key and value", labels(map[string]string{"a": "b"}), labels(map[string]string{"b": "a"}), false},
	} {
		t.Run(tt.why, func(t *testing.T) {
			a, b := template(tt.a), template(tt.b)
			require.Equal(t, tt.same, sameUpstream(a, b), "upstream")
			require.Equal(t, tt.same, kube.TemplateID(a) == kube.TemplateID(b))
		})
	}
}

// IDs may be stored in a plan, so they must not change from release to release.
func TestTemplateIDIsStable(t *testing.T) {
	require.Equal(t, "LngOgulZ143nhNqR0W8MvQ-BT7Xx41cn7SSm-l65-bM", kube.TemplateID(template(nil)))
}

// Setting any one field of the type gives another ID than setting any other, unless
// upstream cannot tell them apart either.
func TestTemplateIDEveryField(t *testing.T) {
	whole := &corev1.PodTemplateSpec{}
	seen := map[string]*corev1.PodTemplateSpec{kube.TemplateID(whole): whole.DeepCopy()}
	paths := 0
	everyField(reflect.ValueOf(whole).Elem(), "", func(path string) {
		paths++
		id := kube.TemplateID(whole)
		if other, ok := seen[id]; ok {
			require.True(t, sameUpstream(whole, other), "%s: the ID is that of %v", path, other)
			return
		}
		seen[id] = whole.DeepCopy()
	})
	t.Logf("%d places, %d IDs", paths, len(seen))
	require.Greater(t, len(seen), 1000)
}

// everyField gives the zero value v, in turn, each value that differs from zero in
// one place, calls visit, and takes it back.
func everyField(v reflect.Value, path string, visit func(path string)) {
	defer v.SetZero()
	switch p := v.Addr().Interface().(type) {
	case *resource.Quantity:
		*p = resource.MustParse("1")
	case *metav1.Time:
		*p = metav1.Unix(1, 0)
	case *metav1.FieldsV1:
		*p = *fieldsV1("{}")
	default:
		everyKind(v, path, visit)
		return
	}
	visit(path)
}

func everyKind(v reflect.Value, path string, visit func(path string)) {
	switch v.Kind() {
	case reflect.String:
		v.SetString("x")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int32, reflect.Int64:
		v.SetInt(1)
	case reflect.Uint8:
		v.SetUint(1)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		visit(path + " pointer")
		everyField(v.Elem(), path, visit)
		return
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		visit(path + " list")
		everyField(v.Index(0), path+"[0]", visit)
		return
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		visit(path + " map")
		v.SetMapIndex(reflect.ValueOf("k").Convert(v.Type().Key()), reflect.Zero(v.Type().Elem()))
	case reflect.Struct:
		for i := range v.NumField() {
			everyField(v.Field(i), path+"."+v.Type().Field(i).Name, visit)
		}
		return
	default:
		panic(v.Type())
	}
	visit(path)
}

func TestTemplateIDAgreesWithUpstream(t *testing.T) {
	same, different := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		a := drawTemplate(t)
		b := a.DeepCopy()
		for range rapid.IntRange(0, 3).Draw(t, "mutations") {
			mutate(t, b)
		}
		beforeA, beforeB := a.DeepCopy(), b.DeepCopy()
		want, got := sameUpstream(a, b), kube.TemplateID(a) == kube.TemplateID(b)
		if want != got {
			t.Fatalf("upstream says %v, the IDs say %v:\n%v\n%v", want, got, a, b)
		}
		if !reflect.DeepEqual(a, beforeA) || !reflect.DeepEqual(b, beforeB) {
			t.Fatalf("a template was changed")
		}
		if want {
			same++
		} else {
			different++
		}
	})
	t.Logf("%d pairs the same, %d different", same, different)
	require.Positive(t, same)
	require.Positive(t, different)
}
