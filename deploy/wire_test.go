package deploy_test

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/internal/total"
	"github.com/kplan-go/kplan/rollout"
)

// special fills a number of pods, and a list of actions with one of each.
func special(v reflect.Value, number int64) bool {
	switch p := v.Addr().Interface().(type) {
	case *rollout.IntOrPercent:
		*p = rollout.Percent(int32(number))
	case *deploy.Actions:
		for _, t := range exportedTypes {
			if t.Kind() == reflect.Struct && t.Implements(reflect.TypeFor[deploy.Action]()) {
				a := reflect.New(t)
				total.Fill(a.Interface(), number, nil, special)
				*p = append(*p, a.Elem().Interface().(deploy.Action))
			}
		}
	default:
		return false
	}
	return true
}

// Whatever is recorded is read back in full, for who replays a plan.
func TestJSONLosesNothing(t *testing.T) {
	total.RoundTrip[deploy.Snapshot](t, nil, special)
	total.RoundTrip[deploy.Options](t, nil, special)
	total.RoundTrip[deploy.Plan](t, nil, special)
	total.RoundTrip[deploy.Status](t, nil, special)
	total.RoundTrip[deploy.Condition](t, nil, special)
	total.RoundTrip[deploy.Hold](t, nil, special)
	total.RoundTrip[deploy.Event](t, nil, special)

	var s deploy.Snapshot
	total.Fill(&s, 1, nil, special)
	require.Empty(t, total.Zeros(s, opaque))
	var p deploy.Plan
	total.Fill(&p, 1, nil, special)
	require.Empty(t, total.Zeros(p, opaque))
	require.Len(t, p.Actions, 10)
}

func opaque(t reflect.Type) bool { return t == reflect.TypeFor[rollout.IntOrPercent]() }
