// SPDX-License-Identifier: Apache-2.0

package traffic_test

import (
	"reflect"
	"testing"

	"github.com/kplan-go/kplan/internal/verify/total"
	"github.com/kplan-go/kplan/rollout/traffic"
)

// Nothing that the package exports panics, whatever it is given, and its types come
// through JSON.
func TestTotal(t *testing.T) {
	p := total.Package{Functions: exportedFunctions, Types: exportedTypes}
	p.Check(t)
	p.CheckJSON(t)
}

var exportedFunctions = map[string]any{
	"IngressClasses": traffic.IngressClasses,
	"Matched":        traffic.Matched,
	"Restored":       traffic.Restored,
	"Weighted":       traffic.Weighted,
}

var exportedTypes = []reflect.Type{
	reflect.TypeFor[traffic.BackendRef](),
	reflect.TypeFor[traffic.GatewayRef](),
	reflect.TypeFor[traffic.Header](),
	reflect.TypeFor[traffic.HeaderModifier](),
	reflect.TypeFor[traffic.Ingress](),
	reflect.TypeFor[traffic.IngressClass](),
	reflect.TypeFor[traffic.IngressRef](),
	reflect.TypeFor[traffic.Match](),
	reflect.TypeFor[traffic.NetworkRef](),
	reflect.TypeFor[traffic.Objects](),
	reflect.TypeFor[traffic.PathMatch](),
	reflect.TypeFor[traffic.Route](),
	reflect.TypeFor[traffic.Routing](),
	reflect.TypeFor[traffic.Rule](),
	reflect.TypeFor[traffic.Service](),
	reflect.TypeFor[traffic.Strategy](),
	reflect.TypeFor[traffic.ValueMatch](),
}
