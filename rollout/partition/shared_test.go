// SPDX-License-Identifier: Apache-2.0

package partition_test

import (
	"testing"

	"github.com/kplan-go/kplan/internal/verify/purity"
	"github.com/kplan-go/kplan/rollout"
)

// unset is no limit at all.
var unset rollout.IntOrPercent

// produced are the reasons that all tests have had.
var produced purity.Produced

// TestMain asks, when all tests have run, that each reason is one of a test.
func TestMain(m *testing.M) { produced.Main(m, "Reason") }
