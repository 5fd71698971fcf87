package replicaset_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/internal/total"
	"github.com/kplan-go/kplan/replicaset"
)

// special fills expectations, and a list of actions with one of each.
func special(v reflect.Value, number int64) bool {
	switch p := v.Addr().Interface().(type) {
	case *replicaset.Expectations:
		*p = replicaset.ExpectCreations(number, time.Unix(number, 0).UTC())
	case *replicaset.Actions:
		for _, t := range exportedTypes {
			if t.Kind() == reflect.Struct && t.Implements(reflect.TypeFor[replicaset.Action]()) {
				a := reflect.New(t)
				total.Fill(a.Interface(), number, nil, special)
				*p = append(*p, a.Elem().Interface().(replicaset.Action))
			}
		}
	default:
		return false
	}
	return true
}

// Whatever is recorded is read back in full, for who replays a plan. Errors have no JSON.
func TestJSONLosesNothing(t *testing.T) {
	total.RoundTrip[replicaset.Snapshot](t, nil, special)
	total.RoundTrip[replicaset.Plan](t, nil, special)
	total.RoundTrip[replicaset.Report](t, []string{"Report.LiveCheck", "Outcome.Err"}, special)
	total.RoundTrip[replicaset.Result](t, []string{"Result.Err", "Result.Errs"}, special)
	total.RoundTrip[replicaset.Status](t, nil, special)
	total.RoundTrip[replicaset.Condition](t, nil, special)
	total.RoundTrip[replicaset.Hold](t, nil, special)
	total.RoundTrip[replicaset.Event](t, nil, special)
	total.RoundTrip[replicaset.PodEvent](t, nil, special)
	total.RoundTrip[replicaset.Effect](t, nil, special)

	var s replicaset.Snapshot
	total.Fill(&s, 1, nil, special)
	require.Empty(t, total.Zeros(s, opaque))
	var p replicaset.Plan
	total.Fill(&p, 1, nil, special)
	require.Empty(t, total.Zeros(p, opaque))
	require.Len(t, p.Actions, 4)
}

func opaque(t reflect.Type) bool { return t == reflect.TypeFor[replicaset.Expectations]() }
