// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"encoding/json"
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

	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/examples/kplan/internal/view"
	"github.com/kplan-go/kplan/examples/kplan/internal/world"
	"github.com/kplan-go/kplan/kube"
	kubeargo "github.com/kplan-go/kplan/kube/argo"
	"github.com/kplan-go/kplan/rollout/argo"
	"github.com/kplan-go/kplan/rollout/sim"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
)

const argoData = data + "argo/"

// argoFiles are manifests in the likeness of the examples of Argo Rollouts: every strategy,
// kind of step and router that these have.
func argoFiles(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(argoData + "*.yaml")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(files), 31)
	return files
}

// before returns a file with what a manifest was before its last change: another image.
func before(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	old := regexp.MustCompile(`(image: \S+):2`).ReplaceAll(text, []byte("$1:1"))
	require.NotEqual(t, text, old)
	path := filepath.Join(t.TempDir(), "old.yaml")
	require.NoError(t, os.WriteFile(path, old, 0o600))
	return path
}

// TestArgoPreviews previews the update of each manifest from another image.
func TestArgoPreviews(t *testing.T) {
	for _, file := range argoFiles(t) {
		name := strings.TrimSuffix(filepath.Base(file), ".yaml")
		if name == "workload-reference" {
			continue // see TestArgoWorkload
		}
		t.Run(name, func(t *testing.T) {
			code, text, stderr := run(nil, "simulate", "--from", before(t, file), "-f", file, "--analysis-after", "1m")
			require.Zero(t, code, stderr)
			require.Empty(t, stderr)
			require.Contains(t, text, "\nComplete after ")
			golden(t, data+"golden/argo/"+name+".txt", []byte(text))
		})
	}
}

// The template of a Rollout may be that of a Deployment.
func TestArgoWorkload(t *testing.T) {
	file := argoData + "workload-reference.yaml"
	text := succeed(t, nil, "simulate", "--from", before(t, file), "-f", file)
	golden(t, data+"golden/argo/workload-reference.txt", []byte(text))
	require.Contains(t, text, "Rollout workload-reference: of Argo")
	rollout, _, found := strings.Cut(readText(t, file), "---")
	require.True(t, found)
	code, _, stderr := run([]byte(rollout), "plan", "-f", "-")
	require.Equal(t, 1, code)
	require.Contains(t, stderr, `spec.workloadRef: "Deployment shop": must name a Deployment in the input`)
}

func readText(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	return string(text)
}

// The names of ReplicaSets and the hashes of steps are those that the controller of
// v1.10.2 gives them, which were recorded.
func TestArgoNames(t *testing.T) {
	lines := strings.Split(strings.TrimSpace(readText(t, argoData+"hashes.txt")), "\n")
	require.Len(t, lines, len(argoFiles(t))-1)
	for _, line := range lines {
		fields := strings.Fields(line + " -")
		file := argoData + fields[0] + ".yaml"
		var plan struct {
			Actions []struct{ CreateReplicaSet *struct{ Name string } }
			Status  struct{ CurrentStepHash string }
		}
		require.NoError(t, json.Unmarshal([]byte(succeed(t, nil, "plan", "-f", file, "-o", "json")), &plan))
		require.Equal(t, fields[0]+"-"+fields[1], plan.Actions[0].CreateReplicaSet.Name)
		if text := readText(t, file); !strings.Contains(text, "experiment") && !strings.Contains(text, "plugin:") && fields[2] != "-" {
			require.Equal(t, fields[2], plan.Status.CurrentStepHash, file)
		}
	}
}

// liveArgo returns what a cluster holds of a manifest whose update has come to the first
// thing that it waits for.
func liveArgo(t *testing.T, file string, edit func(*cluster.Snapshot)) []byte {
	t.Helper()
	load := func(file string) *manifest.ArgoRollout {
		set, err := manifest.Load(manifest.Source{Filenames: []string{file}})
		require.NoError(t, err)
		return &set.Argo[0]
	}
	old, r := load(before(t, file)), load(file)
	next, services := *r.Object, []kube.Object{}
	next.Name, next.UID = old.Object.Name+world.Next, "next"
	for _, s := range old.Services {
		services = append(services, s)
	}
	at, err := kubeargo.World(time.Date(2026, time.January, 2, 15, 0, 0, 0, time.UTC), []*kubeargo.RolloutObject{old.Object, &next}, services)
	require.NoError(t, err)
	b := &world.Beginning{Cluster: &world.Cluster{Snapshot: at, NodesOfPods: true}, Earlier: true}
	b.BeginArgo(old.Object.Namespace, old.Object.Name, true, func(*cluster.ArgoRollout) string { return "" })
	require.Empty(t, b.RollOut([]*world.Beginning{b}))
	runs, err := b.Run([]*world.Beginning{b}, sim.Config{
		Times: cluster.Times{Ready: cluster.Exactly(10 * time.Second)}, Analysis: cluster.Analysis{Ends: argo.RunRunning},
	}, 5*time.Minute, false)
	require.NoError(t, err)
	s := runs[0].Snapshot()
	if edit != nil {
		edit(&s)
	}
	templates := map[string]*manifest.ArgoRollout{old.Snapshot.Rollout.TemplateHash: old, r.Snapshot.Rollout.TemplateHash: r}
	o := r.Object
	o.UID, o.Generation, o.Status = "r1", s.ArgoRollouts[0].Generation, kubeargo.ToStatus(r.Object, s.ArgoRollouts[0].Status)
	o.Annotations = map[string]string{kubeargo.AnnotationRevision: "2"}
	objects := []any{o}
	for i := range s.ReplicaSets {
		set := &s.ReplicaSets[i]
		of := *templates[set.Template.Hash].Object
		of.UID = o.UID
		rs := kubeargo.NewReplicaSet(&of, argo.CreateReplicaSet{Name: set.Name, Hash: set.Template.Hash, Replicas: *set.Replicas})
		rs.UID, rs.CreationTimestamp, rs.Annotations = types.UID(set.Name), metav1.NewTime(set.CreationTimestamp), set.Annotations
		rs.Status = appsv1.ReplicaSetStatus{Replicas: set.Status.Replicas, ReadyReplicas: set.Status.ReadyReplicas, AvailableReplicas: set.Status.AvailableReplicas}
		objects = append(objects, rs)
	}
	for _, service := range s.Services {
		objects = append(objects, &corev1.Service{
			TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Service"},
			ObjectMeta: metav1.ObjectMeta{Name: service.Name, Annotations: map[string]string{kubeargo.AnnotationManagedBy: o.Name}},
			Spec:       corev1.ServiceSpec{Selector: service.Selector},
		})
	}
	var documents [][]byte
	for _, object := range objects {
		text, err := yaml.Marshal(object)
		require.NoError(t, err)
		documents = append(documents, text)
	}
	return bytes.Join(documents, []byte("---\n"))
}

// TestArgoLive: what a cluster holds in the middle of an update is explained, nothing is to
// be written, and the simulation goes on from there to the end.
func TestArgoLive(t *testing.T) {
	for name, why := range map[string]string{
		"canary-approval": "step 2 of 6 waits for a person (Approval)", "nginx": "step 2 of 4 waits for a person (Approval)",
		"dynamic-stable": "", "bluegreen-approval": "the promotion waits for a person (Approval)",
		"analysis-step": "step 2 of 2 waits for an analysis", "bluegreen-analysis": "the promotion waits for an analysis",
	} {
		t.Run(name, func(t *testing.T) {
			input := liveArgo(t, argoData+name+".yaml", nil)
			now := []string{"--now", "2026-01-02T15:09:00Z"}
			text := succeed(t, input, append([]string{"explain", "-f", "-"}, now...)...)
			golden(t, data+"golden/argo/live/"+name+".txt", []byte(text))
			if why != "" {
				require.Contains(t, text, " is waiting. ")
				require.Contains(t, text, why)
				require.Contains(t, succeed(t, input, append([]string{"plan", "-f", "-"}, now...)...), "Nothing to write at the moment.")
			}
			rest := succeed(t, input, "simulate", "-f", "-")
			require.Regexp(t, "\n(Complete after |Nothing changes: )", rest)
			code, _, stderr := run(input, "simulate", "--from", argoData+name+".yaml", "-f", "-")
			require.Equal(t, 1, code)
			require.Contains(t, stderr, "goes on from where its ReplicaSets stand")
		})
	}
}

// An update that was given up is stuck, and says what ends that.
func TestArgoAborted(t *testing.T) {
	input := liveArgo(t, argoData+"nginx.yaml", func(s *cluster.Snapshot) { s.ArgoRollouts[0].Status.Abort = true })
	text := succeed(t, input, "explain", "-f", "-", "--now", "2026-01-02T15:10:00Z")
	require.Contains(t, text, "is stuck. The update was given up")
	require.Contains(t, text, "lead 0 of 100 requests to")
	var explained struct {
		State string
		Holds []struct {
			Reason string
			Stuck  bool
		}
	}
	require.NoError(t, json.Unmarshal([]byte(succeed(t, input, "explain", "-f", "-", "-o", "json", "--now", "2026-01-02T15:10:00Z")), &explained))
	require.Equal(t, "stuck", explained.State)
	require.Equal(t, "Aborted", explained.Holds[len(explained.Holds)-1].Reason)
	require.True(t, explained.Holds[len(explained.Holds)-1].Stuck)
}

// What may go wrong in a simulation ends it with the exit code 1, and is said.
func TestArgoTrouble(t *testing.T) {
	simulate := func(name string, flags ...string) (int, string, string) {
		file := argoData + name + ".yaml"
		return run(nil, append([]string{"simulate", "--from", before(t, file), "-f", file}, flags...)...)
	}
	for want, c := range map[string][]string{
		"Step-based analysis phase error/failed":          {"analysis-step", "--analysis", "failed"},
		"Blue/green pre-promotion analysis phase":         {"bluegreen-analysis", "--analysis", "failed"},
		"CanaryPauseStep: step 2 of 6 waits for a person": {"canary-approval", "--never-approve"},
		"ProgressDeadlineExceeded":                        {"canary-limits", "--never-ready"},
		"available pods: 0; 1 are wanted":                 {"nginx", "--never-ready", "--time-limit", "5m"},
	} {
		code, text, stderr := simulate(c[0], c[1:]...)
		require.Equal(t, 1, code, text)
		require.Contains(t, stderr, want)
		require.Contains(t, text, "\nNot complete: ")
	}
	code, text, _ := simulate("analysis-step", "--analysis", "inconclusive")
	require.Zero(t, code)
	require.Contains(t, text, "a person approves after 5m (--approve-after)")
	code, _, stderr := simulate("analysis-step", "--analysis", "lucky")
	require.Equal(t, 2, code)
	require.Contains(t, stderr, "must be successful, failed or inconclusive")
	code, _, stderr = simulate("nginx", "--try", "maxSurge=1")
	require.Equal(t, 1, code)
	require.Contains(t, stderr, "--start and --try are for Deployments without a Rollout alone")
}

// Bad manifests are told with the path of the field.
func TestArgoBadInput(t *testing.T) {
	for change, want := range map[string]string{
		"setWeight: 5/setWeight: 500":    `Rollout "nginx": spec.strategy.canary.steps[0].setWeight: 500: must be between 0 and 100`,
		"duration: 1m/duration: a while": `Rollout "nginx": spec.strategy.canary.steps[3].pause.duration: "a while": must be a number of seconds or a duration such as 10m`,
		"replicas: 5/replicas: many":     `Rollout "nginx": spec.replicas: "many": must be a whole number of 32 bits`,
		"replicas: 5/replicas: 1000000":  `Rollout "nginx": spec.replicas: 1000000: must be at most 100000 to be simulated`,
	} {
		from, to, _ := strings.Cut(change, "/")
		text := strings.Replace(readText(t, argoData+"nginx.yaml"), from, to, 1)
		code, _, stderr := run([]byte(text), "simulate", "-f", "-")
		require.Equal(t, 1, code)
		require.Contains(t, stderr, want)
	}
	text := readText(t, argoData+"nginx.yaml")
	code, _, stderr := run([]byte(text+"---\n"+text), "plan", "-f", "-")
	require.Equal(t, 1, code)
	require.Contains(t, stderr, "there is one of this name already")
}

// The revisions of a Rollout, and the way back from an update that is under way: it takes
// no step, since the stable pods are still there.
func TestArgoUndo(t *testing.T) {
	input := liveArgo(t, argoData+"nginx.yaml", nil)
	text := succeed(t, input, "history", "-f", "-")
	golden(t, data+"golden/argo/history.txt", []byte(text))
	require.Regexp(t, `(?m)^1 +nginx-\w+ +stable +registry.example.com/nginx:1$`, text)
	require.Regexp(t, `(?m)^2 +nginx-\w+ +new +registry.example.com/nginx:2$`, text)
	require.Contains(t, succeed(t, input, "history", "-f", "-", "--revision", "1"), "image: registry.example.com/nginx:1\n")
	code, _, stderr := run(input, "history", "-f", "-", "--revision", "7")
	require.Equal(t, 1, code)
	require.Contains(t, stderr, "unable to find specified revision 7 in history")

	text = succeed(t, input, "undo", "-f", "-")
	golden(t, data+"golden/argo/undo.txt", []byte(text))
	require.Contains(t, text, "rollout 'nginx' undo")
	require.NotContains(t, text, "approval")
	require.Contains(t, text, "\nComplete after ")
	require.Contains(t, succeed(t, input, "undo", "-f", "-", "--to-revision", "2"), "skipped rollback (current template already matches revision 2)")
	code, _, stderr = run(input, "undo", "-f", "-", "--to-revision", "7")
	require.Equal(t, 1, code)
	require.Contains(t, stderr, "unable to find specified revision 7 in history")
	code, _, stderr = run([]byte(readText(t, argoData+"nginx.yaml")), "undo", "-f", "-")
	require.Equal(t, 1, code)
	require.Contains(t, stderr, "no revision to go back to")
	var undo struct {
		Text    string
		Images  []view.Image
		Rollout struct{ Done bool }
	}
	require.NoError(t, json.Unmarshal([]byte(succeed(t, input, "undo", "-f", "-", "-o", "json")), &undo))
	require.Equal(t, []view.Image{{Container: "server", Before: "registry.example.com/nginx:2", After: "registry.example.com/nginx:1"}}, undo.Images)
	require.True(t, undo.Rollout.Done)
}

// Older releases of the controller compute other hashes. What they have observed is not
// taken for another template, neither alone nor as what --from holds.
func TestArgoOlderRelease(t *testing.T) {
	file := argoData + "nginx.yaml"
	fresh := regexp.MustCompile(`nginx-(\w+) +new`).FindStringSubmatch(succeed(t, liveArgo(t, file, nil), "history", "-f", "-"))[1]
	input := bytes.ReplaceAll(liveArgo(t, file, nil), []byte(fresh), []byte("older"))
	text := succeed(t, input, "plan", "-f", "-", "--now", "2026-01-02T15:10:00Z")
	require.Contains(t, text, "Nothing to write at the moment.")
	path := filepath.Join(t.TempDir(), "live.yaml")
	require.NoError(t, os.WriteFile(path, input, 0o600))
	text = succeed(t, nil, "simulate", "--from", path, "-f", file, "-o", "wide")
	require.Regexp(t, `(?m)^1 +5m +5/5 +1/3 +8 +6 +5% `, text, "it goes on when a person approves")
}
