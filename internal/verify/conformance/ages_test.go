// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"math"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// oddAge reports whether an age of the pod is one for which upstream's logarithm, a
// float, is one too high.
func oddAge(now time.Time, pod *corev1.Pod) bool {
	times := []metav1.Time{pod.CreationTimestamp}
	for _, c := range pod.Status.Conditions {
		times = append(times, c.LastTransitionTime)
	}
	return slices.ContainsFunc(times, func(t metav1.Time) bool {
		age := int64(now.Sub(t.Time))
		return age > 0 && age < math.MaxInt64 && int(math.Log2(float64(age))) != len(strconv.FormatInt(age, 2))-1
	})
}

// Ages just below a power of two are compared with the power as upstream does, whose floats put
// some of them into the bucket of the power. The younger pod has the larger UID: it stays if both
// are in one bucket.
func TestAgesBelowPowers(t *testing.T) {
	now := benchNow
	odd, even := 0, 0
	for e := 30; e < 63; e++ {
		for k := time.Duration(1); k < 1<<16; k += 1 + k/100 {
			pods := []*corev1.Pod{healthyPod(now.Add(-(1 << e)), 0), healthyPod(now.Add(-(1<<e - k)), 1)}
			for _, p := range pods {
				p.Status.Conditions = nil
			}
			d := decidePair(ranked{Pods: pods, Now: at(now)})
			require.Equal(t, d.upstream, d.ours, "2^%d-%d ns", e, k)
			if oddAge(now, pods[1]) {
				odd++
			} else {
				even++
			}
		}
	}
	require.Greater(t, min(odd, even), 100)
}
