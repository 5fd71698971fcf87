// SPDX-License-Identifier: Apache-2.0

package podorder_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/podorder"
)

// TestFarTimes: the order of pods does not depend on that of the input either if times do not fit a
// number of nanoseconds. Two such times are alike, and the ages are not.
func TestFarTimes(t *testing.T) {
	pod := func(name string, year int) podorder.Pod {
		return podorder.Pod{Name: name, UID: name, NodeName: "n", Phase: podorder.Running, CreationTimestamp: time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC)}
	}
	a, b, c := pod("a", 2020), pod("b", 2400), pod("c", 5000)
	order := podorder.Order{Now: time.Date(5000, 6, 1, 0, 0, 0, 0, time.UTC)}
	for _, pods := range [][]podorder.Pod{{a, b, c}, {b, c, a}, {c, a, b}, {a, c, b}, {c, b, a}, {b, a, c}} {
		require.Equal(t, "c", pods[order.Victims(pods, nil, 1)[0]].Name, "it is the youngest of %s%s%s", pods[0].Name, pods[1].Name, pods[2].Name)
	}
}
