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

	"github.com/kplan-go/kplan/kube"
)

// decode fills an API object. The fields that the object does not have are no
// error, but returned; those whose values do not fit are.
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
		return nil, &kube.FieldError{Path: mismatch.Field, Value: valueAt(u, mismatch), Detail: "must be " + typeName(mismatch.Type), Err: err}
	}
	return unknown, err
}

// valueAt returns what the object holds where its type does not fit.
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

// plain is a text that messages do not quote.
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

// checkLimits finds limits of a rolling update that are neither a number nor a
// string, because their own decoder does not tell where they are.
func checkLimits(u *unstructured.Unstructured) error {
	for _, name := range []string{"maxSurge", "maxUnavailable"} {
		path := []string{"spec", "strategy", "rollingUpdate", name}
		value, found, err := unstructured.NestedFieldNoCopy(u.Object, path...)
		if err != nil || !found {
			continue // the decoder tells
		}
		switch v := value.(type) {
		case nil, string:
			continue
		case int64:
			if v >= math.MinInt32 && v <= math.MaxInt32 {
				continue
			}
		case map[string]any, []any:
			value = plain(fmt.Sprintf("%T", v))
		}
		return &kube.FieldError{Path: strings.Join(path, "."), Value: value, Detail: "must be a whole number of 32 bits or a percentage such as 25%"}
	}
	return nil
}
