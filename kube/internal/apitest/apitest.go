// SPDX-License-Identifier: Apache-2.0

// Package apitest holds helpers for the tests of package kube and its subfolders.
package apitest

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/rollout"
)

// Semantic compares times and quantities by value, as the API does.
var Semantic = cmp.Options{
	cmp.Comparer(func(a, b metav1.Time) bool { return a.Equal(&b) }),
	cmp.Comparer(func(a, b resource.Quantity) bool { return a.Cmp(b) == 0 }),
}

// DrawObject draws a random value for types of the API that need one of few values,
// interfaces above all, and reports whether t is such a type.
func DrawObject(t reflect.Type, random *rand.Rand) (reflect.Value, bool) {
	v := reflect.New(t).Elem()
	switch t {
	case reflect.TypeFor[metav1.Object](), reflect.TypeFor[kube.Object]():
		objects := []any{(*corev1.Pod)(nil), &corev1.Pod{}, (*appsv1.Deployment)(nil), &appsv1.ReplicaSet{}}
		if i := random.IntN(len(objects) + 1); i < len(objects) {
			v.Set(reflect.ValueOf(objects[i]))
		}
	case reflect.TypeFor[labels.Selector]():
		selectors := []labels.Selector{labels.Nothing(), labels.Everything(), labels.NewSelector().Add(labels.Requirement{})}
		if i := random.IntN(len(selectors) + 1); i < len(selectors) {
			v.Set(reflect.ValueOf(selectors[i]))
		}
	case reflect.TypeFor[resource.Quantity]():
		v.Set(reflect.ValueOf(resource.MustParse([]string{"0", "1", "-3", "1e1000", "1Ei"}[random.IntN(5)])))
	case reflect.TypeFor[rollout.IntOrPercent]():
		v.Set(reflect.ValueOf([]rollout.IntOrPercent{{}, rollout.Int(-1), rollout.Int(1 << 30), rollout.Percent(25)}[random.IntN(4)]))
	default:
		return v, false
	}
	return v, true
}

// scribble changes all strings, integers and maps that are reachable from v.
func scribble(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			scribble(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				scribble(v.Field(i))
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			scribble(v.Index(i))
		}
	case reflect.Map:
		for _, k := range v.MapKeys() {
			v.SetMapIndex(k, reflect.Zero(v.Type().Elem()))
		}
	case reflect.String:
		v.SetString("scribble")
	case reflect.Int32, reflect.Int64:
		v.SetInt(-7)
	}
}

// Dump is the text of v in JSON.
func Dump(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(data)
}

// RequireOwn fails if changing everything in result changes one of the sources.
func RequireOwn(t *testing.T, result any, sources ...any) {
	t.Helper()
	before := make([]string, len(sources))
	for i, s := range sources {
		before[i] = Dump(s)
	}
	text := Dump(result)
	scribble(reflect.ValueOf(result))
	require.NotEqual(t, text, Dump(result))
	for i, s := range sources {
		require.Equal(t, before[i], Dump(s), "the result shares memory with source %d", i)
	}
}
