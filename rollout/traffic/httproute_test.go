// SPDX-License-Identifier: Apache-2.0

package traffic_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/rollout/traffic"
)

// Nothing that is written to a clone is seen in what it is of.
func TestRuleCloneSharesNothing(t *testing.T) {
	rule := func() traffic.Rule {
		return traffic.Rule{
			BackendRefs: []traffic.BackendRef{{Kind: "Service", Name: "web", Port: ptr.To(int32(80)), Weight: ptr.To(int32(1))}},
			Matches: []traffic.Match{{
				Path: &traffic.PathMatch{Value: "/"}, Headers: []traffic.ValueMatch{{Name: "h", Value: "1"}}, QueryParams: []traffic.ValueMatch{{Name: "q", Value: "1"}},
			}},
		}
	}
	before := rule()
	clone := before.Clone()
	require.Equal(t, before, clone)
	*clone.BackendRefs[0].Port, *clone.BackendRefs[0].Weight = 81, 2
	clone.BackendRefs[0].Name = "other"
	m := &clone.Matches[0]
	m.Path.Value, m.Headers[0].Value, m.QueryParams[0].Value = "/x", "2", "2"
	m.Path = nil
	require.Equal(t, rule(), before)
}

// With every rule kept, one that leads to both Services leads to the stable one again, with
// weight 1, and the canary rule beside it matches what is asked for; so does that of a rule
// that matches everything.
func TestMatchedKeepsRules(t *testing.T) {
	testers := []traffic.Match{{Headers: []traffic.ValueMatch{{Name: "tester", Value: "yes"}}}}
	both := []traffic.Rule{{BackendRefs: []traffic.BackendRef{
		{Kind: "Service", Name: "web-canary", Weight: ptr.To(int32(20))}, {Kind: "Service", Name: "web", Weight: ptr.To(int32(80))},
	}}}
	want := []traffic.Rule{
		{BackendRefs: []traffic.BackendRef{{Kind: "Service", Name: "web", Weight: ptr.To(int32(1))}}},
		{BackendRefs: []traffic.BackendRef{{Kind: "Service", Name: "web-canary", Weight: ptr.To(int32(1))}}, Matches: testers},
	}
	text := func(v any) string {
		data, err := json.Marshal(v)
		require.NoError(t, err)
		return string(data)
	}
	require.Equal(t, text(want), text(traffic.Matched(both, "web", "web-canary", testers, true)))
	require.Empty(t, traffic.Matched(both, "web", "web-canary", testers, false), "which upstream drops")
}
