// SPDX-License-Identifier: Apache-2.0

package command

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	kubeargo "github.com/kplan-go/kplan/kube/argo"
)

// A heldRelease is what a reader of the JSON takes from the simulation of a release.
type heldRelease struct {
	Done    bool
	Assumed []string
}

func releasedBy(t *testing.T, stdin []byte, args ...string) (r heldRelease) {
	t.Helper()
	_, stdout, stderr := run(stdin, append([]string{"simulate", "-o", "json"}, args...)...)
	require.NoError(t, json.Unmarshal([]byte(stdout), &r), stderr)
	r.Assumed = slices.DeleteFunc(r.Assumed, func(note string) bool { // of times, as all simulations tell
		return strings.HasPrefix(note, "a new pod is ready") || strings.HasPrefix(note, "pods made at once")
	})
	return r
}

// A release of OpenKruise that is under way goes no further than its broken pods let it,
// unless they are taken to heal.
func TestBelievesRelease(t *testing.T) {
	r := releasedBy(t, nil, "-f", progressive+"batch.yaml", "--time-limit", "1h")
	require.False(t, r.Done)
	require.Contains(t, r.Assumed, "1 pod in ImagePullBackOff stays so")
	r = releasedBy(t, nil, "-f", progressive+"batch.yaml", "--heal")
	require.True(t, r.Done)
	require.Equal(t, []string{"all pods become ready, and nodes have room (--heal)"}, r.Assumed)
}

// A release that is still to come begins with available pods, and says so if they are not.
func TestReleaseOfUnready(t *testing.T) {
	text := strings.ReplaceAll(string(releasing(t, "CloneSet", pullingPod)), "rollouts.kruise.io/in-progressing", "was")
	live := strings.SplitN(text, "---\n", 3)[2] // without its Rollout and BatchRelease
	next := inFile(t, "next.yaml", strings.ReplaceAll(strings.SplitN(live, "---\n", 2)[0], "guestbook:2", "guestbook:3"))
	r := releasedBy(t, nil, "--from", inFile(t, "live.yaml", live), "-f", otherKinds+"cloneset-rollout.yaml", "-f", next)
	require.Equal(t, []string{"all pods become ready before the release begins"}, r.Assumed)
}

// crashingArgo returns what a cluster holds of an update whose new pods crash, or one of them.
func crashingArgo(t *testing.T, name string, all bool) []byte {
	t.Helper()
	text := string(liveArgo(t, argoData+name+".yaml", nil))
	at := metav1.NewTime(time.Date(2026, time.January, 2, 15, 0, 0, 0, time.UTC))
	for _, document := range strings.Split(text, "---\n") {
		var rs appsv1.ReplicaSet
		if err := yaml.Unmarshal([]byte(document), &rs); err != nil || rs.Kind != "ReplicaSet" || rs.Annotations[kubeargo.AnnotationRevision] != "2" {
			continue
		}
		require.NotZero(t, *rs.Spec.Replicas)
		for i := range *rs.Spec.Replicas {
			p := corev1.Pod{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}}
			p.Name, p.UID, p.CreationTimestamp, p.Labels = fmt.Sprintf("new-%d", i), types.UID(fmt.Sprint("p", i)), at, rs.Spec.Template.Labels
			p.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(&rs, appsv1.SchemeGroupVersion.WithKind("ReplicaSet"))}
			p.Spec.NodeName, p.Status.Phase = "node-1", corev1.PodRunning
			if i > 0 && !all {
				p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue, LastTransitionTime: at}}
			} else {
				p.Status.ContainerStatuses = []corev1.ContainerStatus{{State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff"}}}}
			}
			pod, err := yaml.Marshal(p)
			require.NoError(t, err)
			text += "---\n" + string(pod)
		}
	}
	return []byte(text)
}

// So it is with a Rollout of Argo, whose pods that crash are replaced by others that do.
func TestBelievesArgo(t *testing.T) {
	for _, name := range []string{"canary-approval", "bluegreen-approval"} {
		input := crashingArgo(t, name, true)
		r := releasedBy(t, input, "-f", "-")
		require.False(t, r.Done, name)
		require.Contains(t, strings.Join(r.Assumed, "\n"), "in CrashLoopBackOff stay", name)
		require.Contains(t, r.Assumed, "new pods of a template of which no pod is ready do not become ready either", name)
		require.True(t, releasedBy(t, input, "-f", "-", "--heal").Done, name)
	}
	r := releasedBy(t, crashingArgo(t, "bluegreen-approval", false), "-f", "-")
	require.False(t, r.Done, "all new pods must be available, and one of them never is")
	require.Equal(t, "1 pod in CrashLoopBackOff stays so", r.Assumed[0])
	require.NotContains(t, r.Assumed, noneReady)
}
