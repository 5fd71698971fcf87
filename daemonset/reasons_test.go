// SPDX-License-Identifier: Apache-2.0

package daemonset_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/daemonset/reason"
	"github.com/kplan-go/kplan/internal/verify/purity"
)

// produced are the reasons that the plans and placements of all tables have given.
var produced purity.Produced

func produce(p daemonset.Plan) { produced.Note(p.Actions, p.Holds) }

// A failed new pod that waits stands beside an old one.
func TestNewAndOld(t *testing.T) {
	s := cluster(2, pod("p1", "n1", "v1"), pod("q1", "n1", "v2", failed), pod("p2", "n2", "v1"))
	s.Backoff = daemonset.Backoff{{BackoffKey: agentKey("n1"), Delay: 8 * time.Second, Since: t0.Add(-time.Second)}}
	p := mustPlan(t, s, daemonset.Options{})
	require.Contains(t, p.Holds, kplan.Hold{Node: "n1", Name: "q1", Reason: reason.NewAndOld})
}

// TestMain asks, when all tests have run, that each reason of the package has a case in
// one of their tables.
func TestMain(m *testing.M) { produced.Main(m, "Reason") }
