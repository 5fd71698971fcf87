// SPDX-License-Identifier: Apache-2.0

package replicaset_test

import (
	"testing"

	"github.com/kplan-go/kplan/internal/verify/purity"
	"github.com/kplan-go/kplan/replicaset"
)

// produced are the reasons that the plans of all tables have given.
var produced purity.Produced

func produce(p replicaset.Plan) { produced.Note(p.Actions, p.Holds) }

// TestMain asks, when all tests have run, that each reason of the package has a case in
// one of their tables.
func TestMain(m *testing.M) { produced.Main(m, "Reason") }
