// SPDX-License-Identifier: Apache-2.0

package deploy_test

import (
	"testing"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/internal/verify/purity"
)

// produced are the reasons that the plans of all tables have given.
var produced purity.Produced

func produce(p deploy.Plan) { produced.Note(p.Actions, p.Holds) }

// TestMain asks, when all tests have run, that each reason of the package has a case in
// one of them.
func TestMain(m *testing.M) { produced.Main(m, "Reason") }
