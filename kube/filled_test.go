// SPDX-License-Identifier: Apache-2.0

package kube_test

import (
	"fmt"
	"reflect"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kplan-go/kplan/internal/verify/total"
	"github.com/kplan-go/kplan/rollout"
)

// filled returns an API object with a value of its own in every field, those named as
// Type.Field aside.
func filled[T any](first int64, skip ...string) T {
	var o T
	total.Fill(&o, first, skip, apiTypes)
	return o
}

// apiTypes fills types whose fields are not what the API has.
func apiTypes(v reflect.Value, number int64) bool {
	switch p := v.Addr().Interface().(type) {
	case *metav1.Time:
		p.Time = time.Unix(1_700_000_000+number, 0).UTC()
	case *metav1.MicroTime:
		p.Time = time.Unix(1_700_000_000+number, 0).UTC()
	case *resource.Quantity:
		*p = resource.MustParse(fmt.Sprint(number))
	case *intstr.IntOrString:
		*p = intstr.FromString(fmt.Sprint(number, "%"))
	case *metav1.FieldsV1:
		*p = *fieldsV1(`{"f":{}}`)
	case *rollout.IntOrPercent:
		*p = rollout.Percent(int32(number))
	case *runtime.RawExtension:
		p.Raw = fmt.Appendf(nil, `{"number":%d}`, number)
	default:
		return false
	}
	return true
}

// fieldsV1 returns a list of fields of this text, as each release of the API can make one.
func fieldsV1(text string) *metav1.FieldsV1 {
	f := &metav1.FieldsV1{}
	if err := f.UnmarshalJSON([]byte(text)); err != nil {
		panic(err)
	}
	return f
}
