// SPDX-License-Identifier: Apache-2.0

package command

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"
)

// edited returns a file with a manifest of Argo in which some text is another one.
func edited(t *testing.T, name string, replace ...string) string {
	t.Helper()
	text := readText(t, argoData+name+".yaml")
	for i := 0; i < len(replace); i += 2 {
		require.Contains(t, text, replace[i])
		text = strings.ReplaceAll(text, replace[i], replace[i+1])
	}
	path := filepath.Join(t.TempDir(), name+".yaml")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// TestArgoPingPong: which of two Services that take turns leads to the new pods stands
// beside the traffic, and the turns alternate.
func TestArgoPingPong(t *testing.T) {
	file := edited(t, "alb", "canaryService: alb-canary\n      stableService: alb-stable", "pingPong: {pingService: alb-canary, pongService: alb-stable}")
	text := succeed(t, nil, "simulate", "--from", before(t, file), "-f", file)
	golden(t, data+"golden/argo/ping-pong.txt", []byte(text))
	wide := succeed(t, nil, "simulate", "--from", before(t, file), "-f", file, "-o", "wide")
	require.Regexp(t, `(?m) 10% +2: pauses 2m, .*new pods are those of pong `, wide)
	require.Regexp(t, `(?m) 100% +Healthy, new pods are those of pong `, wide)
	require.NotContains(t, wide, "those of ping")

	var next struct{ Steps []struct{ State string } }
	require.NoError(t, json.Unmarshal([]byte(succeed(t, nil, "simulate", "--from", before(t, file), "-f", file, "-o", "json")), &next))
	require.Equal(t, "pong", next.Steps[len(next.Steps)-1].State)

	status := "spec:\n  replicas: 4"
	turned := edited(t, "alb", "canaryService: alb-canary\n      stableService: alb-stable", "pingPong: {pingService: alb-canary, pongService: alb-stable}",
		status, "status: {canary: {stablePingPong: pong}}\n"+status)
	wide = succeed(t, nil, "simulate", "--from", before(t, turned), "-f", turned, "-o", "wide")
	require.Regexp(t, `(?m) 100% +Healthy, new pods are those of pong `, wide, "the first pods are those of ping, whatever was written by hand")
}

// TestArgoRestart: a restart takes as many pods as may be unavailable at once, and the table
// shows it.
func TestArgoRestart(t *testing.T) {
	file := edited(t, "nginx", "replicas: 5", "replicas: 5\n  restartAt: 2026-01-02T15:04:05Z", "image: registry.example.com/nginx:2", "image: registry.example.com/nginx:1")
	text := succeed(t, nil, "simulate", "--from", before(t, argoData+"nginx.yaml"), "-f", file)
	golden(t, data+"golden/argo/restart.txt", []byte(text))
	require.Contains(t, text, "\nComplete after ")
	wide := succeed(t, nil, "simulate", "--from", before(t, argoData+"nginx.yaml"), "-f", file, "-o", "wide")
	require.Len(t, regexp.MustCompile(`(?m)^\d.* evict pod `).FindAllString(wide, -1), 5, "a quarter of 5, rounded down, at once")
	require.NotRegexp(t, `(?m)^ .* evict pod `, wide)
	text = succeed(t, nil, "simulate", "--from", file, "-f", file)
	require.NotContains(t, text, "evict", "they have been restarted")
}

// liveRestart returns a Rollout at rest, of which somebody asked to restart all pods: one of
// them is newer.
func liveRestart(t *testing.T, withPods bool) []byte {
	input := liveArgo(t, argoData+"rolling-update.yaml", nil)
	text := strings.Replace(string(input), "spec:\n", "spec:\n  restartAt: 2026-01-02T15:09:00Z\n", 1)
	if !withPods {
		return []byte(text)
	}
	var set appsv1.ReplicaSet
	for _, document := range strings.Split(text, "---\n") {
		var rs appsv1.ReplicaSet
		if err := yaml.Unmarshal([]byte(document), &rs); err == nil && rs.Kind == "ReplicaSet" && *rs.Spec.Replicas > 0 {
			set = rs
		}
	}
	for i := range 6 {
		at := metav1.NewTime(time.Date(2026, time.January, 2, 15, 0, 0, 0, time.UTC))
		if i == 5 {
			at = metav1.NewTime(at.Add(9*time.Minute + 30*time.Second))
		}
		p := corev1.Pod{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}}
		p.Name, p.UID, p.CreationTimestamp = fmt.Sprintf("shop-%d", i), types.UID(fmt.Sprint("p", i)), at
		p.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(&set, appsv1.SchemeGroupVersion.WithKind("ReplicaSet"))}
		p.Spec.NodeName, p.Labels = "node-1", set.Spec.Template.Labels
		p.Status.Phase, p.Status.Conditions = corev1.PodRunning, []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue, LastTransitionTime: at}}
		pod, err := yaml.Marshal(p)
		require.NoError(t, err)
		text += "---\n" + string(pod)
	}
	return []byte(text)
}

// TestArgoLiveRestart: the pods of a cluster decide which are restarted, in each command.
func TestArgoLiveRestart(t *testing.T) {
	now := []string{"--now", "2026-01-02T15:10:00Z"}
	input := liveRestart(t, true)
	plan := succeed(t, input, append([]string{"plan", "-f", "-"}, now...)...)
	golden(t, data+"golden/argo/live/restart.txt", []byte(plan))
	require.Contains(t, plan, "evict pod shop-0 ")
	require.NotContains(t, plan, "evict pod shop-5 ")
	require.Contains(t, plan, "1 of 6 pods are newer than spec.restartAt")
	require.Contains(t, succeed(t, input, append([]string{"explain", "-f", "-"}, now...)...), "it is older than spec.restartAt")
	text := succeed(t, input, append([]string{"simulate", "-f", "-", "-o", "wide"}, now...)...)
	require.Equal(t, 5, strings.Count(text, "evict pod"), text)

	code, _, stderr := run(liveRestart(t, false), append([]string{"plan", "-f", "-"}, now...)...)
	require.Zero(t, code)
	require.Contains(t, stderr, "spec.restartAt asks for a restart, and its pods are not in the input")
}

// TestArgoRoutes: the routes of steps are in the plan, and go with the update.
func TestArgoRoutes(t *testing.T) {
	file := argoData + "istio-mirror.yaml"
	var simulated struct {
		Steps []struct{ Actions []map[string]map[string]any }
	}
	require.NoError(t, json.Unmarshal([]byte(succeed(t, nil, "simulate", "--from", before(t, file), "-f", file, "-o", "json")), &simulated))
	var kinds []string
	for _, step := range simulated.Steps {
		for _, a := range step.Actions {
			for kind := range a {
				if strings.HasSuffix(kind, "Route") {
					kinds = append(kinds, kind)
				}
			}
		}
	}
	require.Equal(t, []string{"setRoute", "removeRoute"}, kinds)
}

// TestArgoRepair: quirks of Argo Rollouts are repaired by name, or all, in every command that
// plans, and the answer says so.
func TestArgoRepair(t *testing.T) {
	file := edited(t, "bluegreen-timed", "scaleDownDelaySeconds: 60", "scaleDownDelaySeconds: 0")
	simulate := func(flags ...string) (int, string) {
		code, text, _ := run(nil, append([]string{"simulate", "--from", before(t, file), "-f", file, "--time-limit", "1h"}, flags...)...)
		return code, text
	}
	code, upstream := simulate()
	require.Equal(t, 1, code, "old pods stay for ever")
	require.NotContains(t, upstream, "unlike")
	for _, flag := range []string{"--repair=ZeroDelayKeepsForEver", "--corrected"} {
		code, text := simulate(flag)
		require.Zero(t, code, text)
		require.Contains(t, text, "With "+flag+", unlike Argo Rollouts.\n")
		require.Contains(t, text, "\nComplete after ")
	}
	_, other := simulate("--repair=PausedTwice")
	require.Contains(t, other, "With --repair=PausedTwice, unlike Argo Rollouts.\n")
	_, other = simulate("--repair=StaleAnnotationBlocksRollout")
	require.Equal(t, upstream, other, "of another planner")

	input, now := liveArgo(t, file, nil), []string{"plan", "-f", "-", "--now", "2026-01-02T15:10:00Z"}
	require.Contains(t, succeed(t, input, now...), "Nothing to write at the moment.")
	require.Regexp(t, `scale replica set \S+ from \d to 0 +ScaleDownDelay`, succeed(t, input, append(now, "-o", "wide", "--repair=ZeroDelayKeepsForEver")...))

	input = liveArgo(t, argoData+"nginx.yaml", nil)
	for _, command := range []string{"plan", "explain", "undo"} {
		require.Contains(t, succeed(t, input, command, "-f", "-", "--now", "2026-01-02T15:10:00Z", "--repair", "RoutesLost"), "With --repair=RoutesLost, unlike Argo Rollouts.\n", command)
	}
}
