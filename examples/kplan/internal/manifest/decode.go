// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kjson "sigs.k8s.io/json"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/examples/kplan/internal/spelling"
	"github.com/kplan-go/kplan/rollout"
)

// decode fills an API object. It returns the fields that the object does not have, which are no
// error; a field of the wrong type is an error.
func decode(u *unstructured.Unstructured, object any) (unknown []error, err error) {
	if err := checkLimits(u); err != nil {
		return nil, err
	}
	data, err := u.MarshalJSON()
	if err != nil {
		return nil, err
	}
	unknown, err = kjson.UnmarshalStrict(data, object)
	var mismatch *json.UnmarshalTypeError
	if errors.As(err, &mismatch) {
		return nil, &kplan.FieldError{Path: mismatch.Field, Value: valueAt(u, mismatch), Detail: "must be " + typeName(mismatch.Type), Err: err}
	}
	return unknown, err
}

// valueAt returns the value in the field of the wrong type.
func valueAt(u *unstructured.Unstructured, mismatch *json.UnmarshalTypeError) any {
	value, found, err := unstructured.NestedFieldNoCopy(u.Object, strings.Split(mismatch.Field, ".")...)
	if err != nil || !found {
		return plain(mismatch.Value)
	}
	switch value.(type) {
	case string, int64, float64, bool:
		return value
	}
	return plain(mismatch.Value)
}

// A plain text is not quoted in messages.
type plain string

func typeName(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Int32:
		return "a whole number of 32 bits"
	case reflect.Int, reflect.Int64:
		return "a whole number"
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice:
		return "a list"
	case reflect.Map, reflect.Struct, reflect.Pointer:
		return "an object"
	}
	return "of type " + t.String()
}

// limits are the fields that hold a number or a percentage. A segment * stands for every element of
// a list.
var limits = []string{
	"spec.strategy.rollingUpdate.maxSurge",
	"spec.strategy.rollingUpdate.maxUnavailable",
	"spec.updateStrategy.rollingUpdate.maxSurge",
	"spec.updateStrategy.rollingUpdate.maxUnavailable",
	"spec.updateStrategy.rollingUpdate.partition",
	"spec.burstReplicas",
	"spec.strategy.canary.steps.*.replicas",
	"spec.strategy.canary.steps.*.traffic",
	"spec.strategy.canary.failureThreshold",
	"spec.strategy.blueGreen.steps.*.replicas",
	"spec.strategy.blueGreen.steps.*.traffic",
	"spec.strategy.blueGreen.failureThreshold",
	"spec.releasePlan.batches.*.canaryReplicas",
	"spec.releasePlan.failureThreshold",
}

// checkLimits finds limits that are neither a number nor a percentage: the decoder of these fields
// does not report their paths.
func checkLimits(u *unstructured.Unstructured) error {
	texts := strings.HasPrefix(u.GetAPIVersion(), "rollouts.kruise.io/") // a text must be a percentage
	for _, path := range limits {
		if err := checkLimit(u.Object, "", strings.Split(path, "."), texts); err != nil {
			return err
		}
	}
	return nil
}

// checkLimit checks the field at a path below a value. At is the path of the value itself.
func checkLimit(value any, at string, path []string, texts bool) error {
	if len(path) == 0 {
		return limitError(value, at, texts)
	}
	switch v := value.(type) {
	case map[string]any:
		if inner, ok := v[path[0]]; ok {
			return checkLimit(inner, strings.TrimPrefix(at+"."+path[0], "."), path[1:], texts)
		}
	case []any:
		for i, inner := range v {
			if path[0] != "*" {
				break
			}
			if err := checkLimit(inner, fmt.Sprintf("%s[%d]", at, i), path[1:], texts); err != nil {
				return err
			}
		}
	}
	return nil // the decoder reports it
}

// limitError returns the error of a limit, or nil.
func limitError(value any, at string, texts bool) error {
	switch v := value.(type) {
	case nil:
		return nil
	case string:
		if _, err := rollout.Parse(v); !texts || err == nil && strings.HasSuffix(v, "%") {
			return nil
		}
	case int64:
		if v >= math.MinInt32 && v <= math.MaxInt32 {
			return nil
		}
	case map[string]any, []any:
		value = plain(fmt.Sprintf("%T", v))
	}
	return &kplan.FieldError{Path: at, Value: value, Detail: "must be a whole number of 32 bits or a percentage such as 25%"}
}

// refuseUnknown returns an error for fields that a kind of Kubernetes does not have, as kubectl
// does. It accepts them in a live object, which may come from a newer API, and in other kinds,
// because not all of their fields are known here.
func refuseUnknown(u *unstructured.Unstructured, unknown []error, object any) error {
	if len(unknown) == 0 || u.GetUID() != "" || !ofKubernetes(u.GetAPIVersion()) {
		return nil
	}
	list := make([]error, len(unknown))
	for i, err := range unknown {
		list[i] = err
		if near := nearestField(err, reflect.TypeOf(object)); near != "" {
			list[i] = fmt.Errorf("%w: did you mean %s?", err, near)
		}
	}
	return errors.Join(list...)
}

// nearestField returns the field that was probably misspelt, or "". The error quotes the path of
// the unknown field.
func nearestField(unknown error, of reflect.Type) string {
	_, path, _ := strings.Cut(strings.TrimSuffix(unknown.Error(), `"`), `"`)
	segments := strings.Split(path, ".")
	last := len(segments) - 1
	for _, segment := range segments[:last] {
		name, _, _ := strings.Cut(segment, "[")
		if of = fields(of)[name]; of == nil {
			return ""
		}
	}
	best, least := "", 3
	for name := range fields(of) {
		if d := spelling.Distance(segments[last], name); d < least || d == least && name < best {
			best, least = name, d
		}
	}
	return best
}

// fields returns the fields of a struct, also behind pointers and lists, by their JSON names.
func fields(of reflect.Type) map[string]reflect.Type {
	for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice {
		of = of.Elem()
	}
	if of.Kind() != reflect.Struct {
		return nil
	}
	list := map[string]reflect.Type{}
	for i := range of.NumField() {
		f := of.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "":
			for name, field := range fields(f.Type) {
				list[name] = field
			}
		case name != "" && name != "-":
			list[name] = f.Type
		}
	}
	return list
}
