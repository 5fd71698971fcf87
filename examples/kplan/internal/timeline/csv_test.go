// SPDX-License-Identifier: Apache-2.0

package timeline

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestCSV(t *testing.T) {
	daemons := &Timeline{Kind: "DaemonSet", Name: "agent", Columns: []Column{{Name: "old"}, {Name: "total"}}, Steps: []Step{{time.Millisecond + 1, []string{"3", "4"}, []Occurrence{{What: "a"}, {What: "b", Why: "c"}}}, {10 * time.Second, []string{"1", "3"}, []Occurrence{{What: "d"}}}}}
	// What is so before the first step, at once behind it, as that says, between two, and behind the last.
	for i, at := range []time.Duration{0, time.Millisecond + 1, 5 * time.Second, 10 * time.Second, 15 * time.Second} {
		daemons.Note(at, [][]string{{"4", "4"}, {"2", "4"}, {"2", "3"}, {"1", "3"}, {"0", "3"}}[i])
	}
	daemons.Note(16*time.Second, []string{"0", "3"}) // nothing has changed
	text := written(t, func(b *strings.Builder) error { return CSV(b, []*Timeline{example("web"), daemons}) })
	require.Equal(t, `kind,namespace,name,step,seconds,rev 1 ready,rev 1 wanted,rev 2 ready,rev 2 wanted,total,old,action,why
Deployment,shop,web,1,0,1,1,,,2,,rev 2: create with 1,the template is new
Deployment,shop,web,2,0,1,1,0,1,2,,deployment: rev 2,
Deployment,shop,web,3,10,0,0,1,1,1,,rev 1: 1 -> 0,enough are available
Deployment,shop,web,4,60,0,0,1,1,1,,complete,all pods are new
DaemonSet,,agent,,0,,,,,4,4,,
DaemonSet,,agent,1,0.001,,,,,4,3,a; b,c
DaemonSet,,agent,,0.001,,,,,4,2,,
DaemonSet,,agent,,5,,,,,3,2,,
DaemonSet,,agent,2,10,,,,,3,1,d,
DaemonSet,,agent,,15,,,,,3,0,,
`, text)
}
