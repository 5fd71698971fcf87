// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// argoManifest is a Rollout of Argo of four pods, with a strategy and more of its container.
func argoManifest(t *testing.T, image, strategy, container string) string {
	return inFile(t, "rollout.yaml", fmt.Sprintf(`
apiVersion: argoproj.io/v1alpha1
kind: Rollout
metadata: {name: web}
spec:
  replicas: 4
  selector: {matchLabels: {app: web}}
  template: {metadata: {labels: {app: web}}, spec: {containers: [{name: web, image: "web:%s"%s}]}}
  strategy: %s
`, image, container, strategy))
}

// foretoldArgo is how an update of such a Rollout goes beside other objects.
func foretoldArgo(t *testing.T, strategy, container, others string, flags ...string) (code int, text string) {
	args := []string{"simulate", "-o", "wide", "--from", argoManifest(t, "1", strategy, container), "-f", argoManifest(t, "2", strategy, container)}
	if others != "" {
		args = append(args, "-f", inFile(t, "others.yaml", others))
	}
	code, text, stderr := run(nil, append(args, flags...)...)
	return code, text + stderr
}

const (
	surgingCanary = "{canary: {maxSurge: 1, maxUnavailable: 0, steps: [{setWeight: 50}]}}"
	replacing     = "{canary: {maxSurge: 0, maxUnavailable: 1, steps: [{setWeight: 50}]}}"
)

// What holds a pod holds an update of Argo: one that needs a pod more than there may be never ends, and one
// that lets an old pod go first does. The words say which it is.
func TestArgoHeldPods(t *testing.T) {
	node := "{apiVersion: v1, kind: Node, metadata: {name: a, labels: {kubernetes.io/hostname: a}}, status: {allocatable: {cpu: \"%d\", pods: 110}}}"
	for what, c := range map[string]struct{ container, others, says string }{
		"a quota":   {"", "{apiVersion: v1, kind: ResourceQuota, metadata: {name: pods}, spec: {hard: {pods: \"4\"}}}", "the ReplicaSet cannot create or delete pods"},
		"room":      {", resources: {requests: {cpu: 1}}", fmt.Sprintf(node, 4), "wait for a node: "},
		"host port": {", ports: [{containerPort: 80, hostPort: 80}]", strings.Join([]string{four("a"), four("b"), four("c"), four("d")}, "\n---\n"), "for a node: "},
	} {
		t.Run(what, func(t *testing.T) {
			code, text := foretoldArgo(t, surgingCanary, c.container, c.others)
			require.Equal(t, 1, code, text)
			require.Contains(t, text, "Not complete: the update has not finished, and nothing changes any more")
			require.Contains(t, strings.ReplaceAll(text, "waits for", "wait for"), c.says)
			code, text = foretoldArgo(t, replacing, c.container, c.others)
			require.Zero(t, code, text)
			require.Contains(t, text, "\nComplete after ")
			code, text = foretoldArgo(t, surgingCanary, c.container, c.others, "--heal")
			require.Equal(t, what == "host port", code == 1, "--heal makes room, but no other node: "+text)
		})
	}
}

func four(name string) string {
	return fmt.Sprintf("{apiVersion: v1, kind: Node, metadata: {name: %s, labels: {kubernetes.io/hostname: %s}}}", name, name)
}

// Pods that end slowly take their part of a quota until they are gone.
func TestArgoSlowEnds(t *testing.T) {
	quota := "{apiVersion: v1, kind: ResourceQuota, metadata: {name: pods}, spec: {hard: {pods: \"4\"}}}"
	_, quick := foretoldArgo(t, replacing, "", quota)
	_, slow := foretoldArgo(t, replacing, "", quota, "--terminate-after", "30s")
	require.Contains(t, quick, "\nComplete after 40s.")
	require.Regexp(t, `\nComplete after [2-9]m`, slow)
}

// Which numbers decide is told: when a person approves, and how analyses end.
func TestArgoAssumed(t *testing.T) {
	const steps = "{canary: {steps: [{setWeight: 25}, {%s}]}}"
	approval := fmt.Sprintf(steps, "pause: {}")
	_, text := foretoldArgo(t, approval, "", "")
	require.Contains(t, text, "a person approves after 5m (--approve-after)\n")
	require.Contains(t, text, "\nComplete after 5m")
	_, text = foretoldArgo(t, approval, "", "", "--approve-after", "0s")
	require.Contains(t, text, "a person approves after 0s (--approve-after)\n")
	require.Contains(t, text, "\nComplete after 3")
	code, text := foretoldArgo(t, approval, "", "", "--never-approve")
	require.Equal(t, 1, code)
	require.Contains(t, text, "nobody approves (--never-approve)\n")
	_, text = foretoldArgo(t, fmt.Sprintf(steps, "analysis: {templates: [{templateName: errors}]}"), "", "", "--analysis-after", "2m")
	require.Contains(t, text, "analyses end after 2m and are successful (--analysis-after, --analysis)\n")
	_, text = foretoldArgo(t, fmt.Sprintf(steps, "pause: {duration: 10}"), "", "")
	require.NotContains(t, text, "a person", "time ends it")
}

// Writes that happen at one instant are told, with the reason of each: a preview that is scaled at once, and
// production that is scaled with it.
func TestArgoTellsWrites(t *testing.T) {
	services := "{apiVersion: v1, kind: Service, metadata: {name: active}, spec: {selector: {app: web}}}\n---\n{apiVersion: v1, kind: Service, metadata: {name: preview}, spec: {selector: {app: web}}}\n"
	old := argoManifest(t, "1", "{blueGreen: {activeService: active, previewService: preview, autoPromotionEnabled: false}}", "")
	next := inFile(t, "next.yaml", strings.Replace(readText(t, argoManifest(t, "2", "{blueGreen: {activeService: active, previewService: preview, autoPromotionEnabled: false}}", "")), "replicas: 4", "replicas: 2", 1))
	text := succeed(t, nil, "simulate", "-o", "wide", "--from", old, "-f", next, "-f", inFile(t, "services.yaml", services))
	require.Regexp(t, `(?m)scale replica set web-\w+ from 4 to 2 +all stable pods are kept$`, text)
	require.Regexp(t, `(?m)^\d+ +5m10s +.* 100% .*let service active select \w+ +the traffic follows the promotion`, text)
}

// Once all pods are new they get all requests.
func TestArgoTrafficEndsAtNewPods(t *testing.T) {
	_, text := foretoldArgo(t, "{canary: {canaryService: canary, stableService: stable, trafficRouting: {nginx: {stableIngress: web}}, steps: [{setWeight: 25}]}}", "",
		"{apiVersion: v1, kind: Service, metadata: {name: stable}}\n---\n{apiVersion: v1, kind: Service, metadata: {name: canary}}\n")
	require.Regexp(t, `(?m)^traffic to new, % .* 100$`, text)
	require.Contains(t, text, "lead all requests to ")
	require.Regexp(t, ` 100% +Healthy +complete `, text)
}
