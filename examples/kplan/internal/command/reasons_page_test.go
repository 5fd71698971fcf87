// SPDX-License-Identifier: Apache-2.0

package command

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPagesOfRolloutsSayWhy: at each instant that the page of a Rollout shows, of either kind,
// something is done or waited for, with a reason.
func TestPagesOfRolloutsSayWhy(t *testing.T) {
	kinds, canary, bluegreen := progressive+"kinds/", argoData+"canary-approval.yaml", argoData+"bluegreen-approval.yaml"
	for name, tt := range map[string]struct {
		args []string
		want []string // events, with their reasons
	}{
		"released": {released20, []string{
			"service echoserver: select old pods alone (stable traffic must not reach new pods)",
			"create batch release echoserver, batch 1 of 3 (the current step asks for it)",
			"patch deployment echoserver (the current batch is released)",
			"new pods: 0 -> 2 (the surge has room)", "old pods: 6 -> 5 (enough are available)", "label 7 pods (it was updated in this batch)",
			"waits (ready pods of the step: 0; it asks for 2)", "ingress echoserver-canary: update with weight 20 (the step leads traffic to new pods)",
			"waits (0 of 60 seconds of the pause have passed)", "complete (all pods are new and available)",
		}},
		"resumed": {[]string{"simulate", "-f", progressive + "batch.yaml", "--heal"}, []string{
			"waits (a person has to confirm step 2 of 3)", "update batch release web, batch 3 of 3 (the current step asks for it)",
		}},
		"cloneset": {[]string{"simulate", "--from", kinds + "cloneset-v1.yaml", "-f", kinds + "cloneset-v2.yaml", "-f", kinds + "cloneset-rollout.yaml"}, []string{
			"patch clone set guestbook (the workload is taken over)", "waits (ready pods of the step: 0; it asks for 1)",
		}},
		"canary": {[]string{"simulate", "--from", before(t, canary), "-f", canary}, []string{
			"waits (step 2 of 6 waits for a person)", "waits (available pods: 5; 6 are wanted)",
			"scale replica set canary-approval-646d74c776 from 1 to 3 (the sizes follow the step)",
		}},
		"bluegreen": {[]string{"simulate", "--from", before(t, bluegreen), "-f", bluegreen}, []string{
			"waits (the promotion waits for a person)", "let service bluegreen-approval-active select 6bf6c68986 (the traffic follows the promotion, or the abort)",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			_, text, stderr := run(nil, append(tt.args, "--html", "-")...)
			found := regexp.MustCompile(`<script type="application/json">(.*)</script>`).FindStringSubmatch(text)
			require.NotNil(t, found, stderr)
			var page struct {
				Steps []struct {
					At     float64
					Events []struct{ What, Why string }
				}
			}
			require.NoError(t, json.Unmarshal([]byte(found[1]), &page))
			var all []string
			told := map[float64]bool{}
			for _, s := range page.Steps {
				for n, e := range s.Events {
					if told[s.At] = told[s.At] || n > 0 && e.Why != ""; e.Why != "" {
						all = append(all, e.What+" ("+e.Why+")")
					}
				}
			}
			for _, s := range page.Steps {
				require.True(t, told[s.At], "at %v: %v", s.At, s.Events)
			}
			for _, want := range tt.want {
				require.Contains(t, all, want, strings.Join(all, "\n"))
			}
		})
	}
}
