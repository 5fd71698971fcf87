// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"maps"
	"regexp"
	"strings"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var (
	// suffix matches the generated end of a pod's name.
	suffix = regexp.MustCompile(`\b(agent|(web|plain)(-[0-9a-f]{8,10})?)-[0-9a-z]{5}\b`)
	number = regexp.MustCompile(` [0-9]+\b`)
)

// events returns how often each event was recorded. They are written by and by, and after
// the tenth of a kind only how many there were.
func events(e *env) any {
	counts := e.counts()
	for calm, deadline := time.Now(), time.Now().Add(waitLimit); time.Since(calm) < quiet && time.Now().Before(deadline); {
		time.Sleep(50 * time.Millisecond)
		if now := e.counts(); !maps.Equal(now, counts) {
			counts, calm = now, time.Now()
		}
	}
	return counts
}

// texts returns the recorded events without their numbers and counts, for scripts in which these
// depend on timing.
func texts(e *env) any {
	seen := map[string]bool{}
	for text := range events(e).(map[string]int) {
		seen[number.ReplaceAllString(text, " N")] = true
	}
	return seen
}

func (e *env) counts() map[string]int {
	list, err := e.client.CoreV1().Events(e.namespace).List(e.ctx, metav1.ListOptions{})
	require.NoError(e, err)
	counts := map[string]int{}
	for _, v := range list.Items {
		message := strings.TrimPrefix(v.Message, "(combined from similar events): ")
		text := strings.Join([]string{v.Type, v.InvolvedObject.Kind, v.InvolvedObject.Name, v.Reason, message}, " ")
		counts[strings.ReplaceAll(suffix.ReplaceAllString(text, "$1-*"), e.namespace, "NAMESPACE")] += int(v.Count)
	}
	require.NotEmpty(e, counts)
	return counts
}
