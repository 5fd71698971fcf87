// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"hash/fnv"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/dump"
	"k8s.io/utils/ptr"

	"github.com/kplan-go/kplan/revision"
)

// A stuffing puts random values into an object, some pointers twice.
type stuffing struct {
	*rand.Rand
	set  float64 // how often a place is set
	made map[reflect.Type][]reflect.Value
}

func pick[T any](s *stuffing, of ...T) T { return of[s.IntN(len(of))] }

func (s *stuffing) time() time.Time {
	t := time.Unix(s.Int64N(1<<34)-1<<33, s.Int64N(2)*s.Int64N(1e9))
	return pick(s, time.Time{}, time.Now(), t, t.UTC(), t.In(time.FixedZone("CET", 3600)), t.In(time.FixedZone("", 0)))
}

func (s *stuffing) quantity() resource.Quantity {
	q := resource.MustParse(pick(s, "0", "0m", "-0", "+1", "1.50Gi", ".5", "5.", "1e3", "1E-3", "1E", "100m", "1n", "0.1n", "-1",
		"9223372036854775807", "9223372036854775808", "-9223372036854775809e9", "1234567890123456789012345678901234567890.123456789"))
	switch s.IntN(6) {
	case 0:
		_ = q.String() // is kept
	case 1:
		q.AsDec()
	case 2:
		q.Add(resource.MustParse("1"))
	case 3:
		return resource.Quantity{}
	case 4:
		return *resource.NewScaledQuantity(s.Int64N(1000)-500, resource.Scale(s.IntN(40)-20))
	}
	return q
}

// fill leaves v as it is, which is zero, or sets it.
func (s *stuffing) fill(v reflect.Value) {
	switch p := v.Addr().Interface().(type) {
	case *resource.Quantity:
		*p = s.quantity()
		return
	case *metav1.Time:
		p.Time = s.time()
		return
	case *metav1.FieldsV1:
		_ = p.UnmarshalJSON([]byte(pick(s, "null", "{}", `{"f:a\xff":{}}`)))
		return
	}
	if v.Kind() == reflect.Struct {
		for i := range v.NumField() {
			if v.Field(i).Kind() == reflect.Struct || s.Float64() < s.set {
				s.fill(v.Field(i))
			}
		}
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(pick(s, "", "a", "<nil>", "map[", "] {", "\"'`\\", "\x00\n\t", "\xff\xfe", "é\u2028😀", "registry.example/app:1.2.3"))
	case reflect.Bool:
		v.SetBool(s.IntN(3) > 0)
	case reflect.Int32, reflect.Int64:
		v.SetInt(pick(s, 0, 1, -1, 10, 99, 100, 1<<31-1, -1<<31, s.Int64()))
	case reflect.Uint8:
		v.SetUint(s.Uint64())
	case reflect.Pointer:
		if made := s.made[v.Type()]; len(made) > 0 && s.IntN(4) == 0 {
			v.Set(pick(s, made...))
			return
		}
		v.Set(reflect.New(v.Type().Elem()))
		s.fill(v.Elem())
		s.made[v.Type()] = append(s.made[v.Type()], v.Elem().Addr())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), s.IntN(3), 3))
		for i := range v.Len() {
			s.fill(v.Index(i))
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range s.IntN(4) {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			s.fill(key)
			s.fill(value)
			v.SetMapIndex(key, value)
		}
	default:
		panic(v.Type())
	}
}

func stuffed(seed uint64, most float64) *corev1.PodTemplateSpec {
	s := &stuffing{Rand: rand.New(rand.NewPCG(seed, 1)), made: map[reflect.Type][]reflect.Value{}}
	s.set = most
	if most < 1 {
		s.set *= s.Float64() * s.Float64()
	}
	t := &corev1.PodTemplateSpec{}
	s.fill(reflect.ValueOf(t).Elem())
	return t
}

// added returns the sum of a value of any type, unless it is left to the library.
func added[T any](s *shape, value *T) (uint32, bool) {
	var h hasher
	h.begin(reflect.TypeFor[T]())
	h.value(s, reflect.ValueOf(value).Elem())
	return h.sum, !h.odd
}

func dumped(value any) uint32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(dump.ForHash(value)))
	return h.Sum32()
}

func TestTemplateHashIsThatOfTheDump(t *testing.T) {
	n, left := 20_000, 0
	if testing.Short() {
		n = 2_000
	}
	for seed := range uint64(n) {
		most := 0.2
		if seed%1000 == 0 {
			most = 1
		}
		tmpl := stuffed(seed, most)
		text := dump.ForHash(*tmpl)
		for _, collisions := range []*int32{nil, ptr.To(int32(seed) - 5)} {
			if got, want := templateHash(tmpl, collisions), revision.Hash(text, collisions); got != want {
				t.Fatalf("seed %d: got %s, want %s:\n%s", seed, got, want, text)
			}
		}
		if _, own := added(templateShape(), tmpl); !own {
			left++
		}
	}
	t.Logf("%d of %d left to the library", left, n)
	require.Positive(t, left)
	require.Less(t, left, n/10)
}

// The library writes a pointer as a cycle if it was met before in less depth, and no other in
// no more depth since: where it is a cycle, and where it is not.
func TestTemplateHashOfSharedPointers(t *testing.T) {
	yes := ptr.To(true)
	tmpl := &corev1.PodTemplateSpec{Spec: corev1.PodSpec{
		Containers:      []corev1.Container{{SecurityContext: &corev1.SecurityContext{RunAsNonRoot: yes, Privileged: yes}}, {SecurityContext: &corev1.SecurityContext{RunAsNonRoot: yes}}},
		SecurityContext: &corev1.PodSecurityContext{RunAsNonRoot: yes}, HostUsers: yes,
	}}
	_, own := added(templateShape(), tmpl)
	require.True(t, own)
	require.Equal(t, revision.Hash(dump.ForHash(*tmpl), nil), templateHash(tmpl, nil))

	type below struct{ V *bool }
	type shared struct {
		V *bool
		L []below
	}
	s := shapeOf(reflect.TypeFor[shared](), map[reflect.Type]*shape{})
	_, own = added(s, &shared{V: yes, L: []below{{yes}}})
	require.False(t, own)
	require.Contains(t, dump.ForHash(shared{V: yes, L: []below{{yes}}}), "<shown>")
	got, own := added(s, &shared{V: yes, L: []below{{ptr.To(true)}, {nil}}})
	require.True(t, own)
	require.Equal(t, dumped(shared{V: yes, L: []below{{ptr.To(true)}, {nil}}}), got)
}

// Types that may come with a later release.
func TestTemplateHashOfOtherTypes(t *testing.T) {
	type part struct{ a, b string }
	type plain struct {
		Map   map[string]string
		Self  *plain
		Lists [][]uint16
		Own   part
		Inner []plain
		Empty struct{}
		m     map[string]string
	}
	s := shapeOf(reflect.TypeFor[plain](), map[reflect.Type]*shape{})
	p := plain{Self: &plain{Map: map[string]string{}}, Lists: [][]uint16{nil, {}, {1, 2}}, Own: part{"", "b"}, Inner: []plain{{}, {Self: &plain{}}}}
	deep := plain{}
	for range 40 {
		deep = plain{Self: &plain{}, Inner: []plain{deep}}
	}
	for _, v := range []plain{{}, p, deep} {
		got, own := added(s, &v)
		require.Equal(t, len(v.Inner) != 1, own, "not in any depth")
		require.True(t, !own || got == dumped(v))
	}
	circle := plain{}
	circle.Self = &circle
	for _, v := range []plain{circle, {m: map[string]string{"a": "b"}}} {
		_, own := added(s, &v)
		require.False(t, own)
	}

	left[struct{ V any }](t)
	left[struct{ V *any }](t)
	left[struct{ V []any }](t)
	left[struct{ V **int }](t)
	left[struct{ V []*int }](t)
	left[struct{ V map[string]*int }](t)
	left[struct{ V map[int]string }](t)
	left[struct{ V [2]int }](t)
	left[struct{ V float64 }](t)
	left[struct{ V chan int }](t)
	left[struct{ V struct{ V uintptr } }](t)
	type counts map[string]int
	_, own := added(shapeOf(reflect.TypeFor[counts](), map[reflect.Type]*shape{}), &counts{"a": 1})
	require.False(t, own)
}

func left[T any](t *testing.T) {
	t.Helper()
	_, own := added(shapeOf(reflect.TypeFor[T](), map[reflect.Type]*shape{}), new(T))
	require.False(t, own)
}
