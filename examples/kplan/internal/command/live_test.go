// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/yaml"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
)

const live = "../../testdata/live"

// deployment returns the Deployment as the API server has it.
func (c liveCase) deployment() *appsv1.Deployment {
	const name = "web"
	d := &appsv1.Deployment{
		TypeMeta: metav1.TypeMeta{APIVersion: "apps/v1", Kind: "Deployment"},
		ObjectMeta: metav1.ObjectMeta{
			Name: name, Namespace: "default", UID: uid(c.file), ResourceVersion: resourceVersion(c.file), Generation: 7,
			CreationTimestamp: ago(100 * hour), Labels: map[string]string{"app": name},
			Annotations: map[string]string{revision.AnnotationRevision: c.revision},
		},
		Spec: appsv1.DeploymentSpec{
			Replicas: new(c.replicas), Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": name}},
			Template: template(name, c.version), ProgressDeadlineSeconds: new(int32(600)), RevisionHistoryLimit: new(int32(10)),
			Strategy: appsv1.DeploymentStrategy{Type: appsv1.RecreateDeploymentStrategyType},
		},
		Status: c.status(),
	}
	if c.surge+c.unavailable > 0 {
		d.Spec.Strategy = appsv1.DeploymentStrategy{
			Type: appsv1.RollingUpdateDeploymentStrategyType,
			RollingUpdate: &appsv1.RollingUpdateDeployment{
				MaxSurge: new(intstr.FromInt32(c.surge)), MaxUnavailable: new(intstr.FromInt32(c.unavailable)),
			},
		}
	}
	d.Status.ObservedGeneration = d.Generation
	if c.change != nil {
		c.change(d)
	}
	return d
}

func (c liveCase) status() appsv1.DeploymentStatus {
	s := appsv1.DeploymentStatus{TerminatingReplicas: new(int32)}
	wanted := int32(0)
	for _, set := range c.sets {
		wanted += set.size
		s.Replicas += set.pods()
		s.ReadyReplicas += int32(set.available + set.ready)
		s.AvailableReplicas += int32(set.available)
		*s.TerminatingReplicas += int32(set.terminating)
		if set.version == c.version {
			s.UpdatedReplicas = set.pods()
		}
	}
	s.UnavailableReplicas = max(0, wanted-s.AvailableReplicas)
	available := appsv1.DeploymentCondition{
		Type: appsv1.DeploymentAvailable, Status: "True", Reason: "MinimumReplicasAvailable",
		Message: "Deployment has minimum availability.", LastUpdateTime: ago(90 * hour), LastTransitionTime: ago(90 * hour),
	}
	if s.AvailableReplicas < (rollout.Budget{Replicas: c.replicas, Unavailable: c.unavailable}).MinAvailable() {
		available.Status, available.Reason = "False", "MinimumReplicasUnavailable"
		available.Message = "Deployment does not have minimum availability."
	}
	s.Conditions = []appsv1.DeploymentCondition{available, c.progress()}
	return s
}

func (c liveCase) progress() appsv1.DeploymentCondition {
	name := setName("web", c.sets[len(c.sets)-1].version)
	p := appsv1.DeploymentCondition{
		Type: appsv1.DeploymentProgressing, Status: "True", Reason: c.progressing,
		LastUpdateTime: ago(20 * time.Second), LastTransitionTime: ago(100 * hour),
	}
	switch c.progressing {
	case "NewReplicaSetAvailable":
		p.Message = fmt.Sprintf("ReplicaSet %q has successfully progressed.", name)
	case "ReplicaSetUpdated":
		p.Message = fmt.Sprintf("ReplicaSet %q is progressing.", name)
	case "DeploymentPaused":
		p.Status, p.Message, p.LastTransitionTime = "Unknown", "Deployment is paused", p.LastUpdateTime
	case "ProgressDeadlineExceeded":
		p.Status, p.LastUpdateTime, p.LastTransitionTime = "False", ago(10*time.Minute), ago(10*time.Minute)
		p.Message = fmt.Sprintf("ReplicaSet %q has timed out progressing.", name)
	}
	return p
}

// objects returns what the case is made of.
func (c liveCase) objects() *liveObjects {
	o := &liveObjects{deployment: c.deployment()}
	for _, set := range c.sets {
		rs := set.object(o.deployment)
		o.sets = append(o.sets, rs)
		o.pods = append(o.pods, set.podObjects(rs)...)
	}
	if c.edit != nil {
		c.edit(o)
	}
	return o
}

// yaml returns what kubectl get deployment,replicaset,pod -o yaml prints.
func (c liveCase) yaml(t *testing.T) []byte {
	var items []any
	o := c.objects()
	if o.deployment != nil {
		items = append(items, o.deployment)
	}
	for _, rs := range o.sets {
		items = append(items, rs)
	}
	for _, p := range o.pods {
		items = append(items, p)
	}
	text, err := yaml.Marshal(map[string]any{
		"apiVersion": "v1", "kind": "List", "items": items, "metadata": map[string]any{"resourceVersion": ""},
	})
	require.NoError(t, err)
	return text
}

// rewrite reports whether golden files are to be written instead of compared.
func rewrite() bool { return os.Getenv("KPLAN_REWRITE") == "1" }

// golden compares text with a file.
// inWords returns a text without its line breaks, which are where the width of a line wants them.
func inWords(text string) string { return strings.Join(strings.Fields(text), " ") }

func golden(t *testing.T, path string, text []byte) {
	t.Helper()
	if rewrite() {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, text, 0o644))
		return
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	if diff := cmp.Diff(string(want), string(text)); diff != "" {
		t.Errorf("%s (-want +got); KPLAN_REWRITE=1 writes it anew:\n%s", path, diff)
	}
}

// TestLive plans for what kubectl prints in the middle of rollouts.
func TestLive(t *testing.T) {
	for _, c := range liveCases {
		t.Run(c.file, func(t *testing.T) {
			require.NotEmpty(t, c.rule)
			file := filepath.Join(live, c.file+".yaml")
			golden(t, file, c.yaml(t))
			var plan deploy.Plan
			require.NoError(t, json.Unmarshal([]byte(succeed(t, nil, "plan", "-f", file, "-o", "json", "--now", liveNow.Format(time.RFC3339))), &plan))
			names := map[string]string{"": "deployment"}
			for v := range 6 {
				names[setName("web", v)] = fmt.Sprintf("v%d", v)
			}
			if diff := cmp.Diff(c.actions, actionTexts(plan, names)); diff != "" {
				t.Errorf("actions, %s (-want +got):\n%s", c.rule, diff)
			}
			var holds []string
			for _, h := range plan.Holds {
				holds = append(holds, fmt.Sprintf("%s %s %d %d", names[h.Name], h.Reason, h.Have, h.Limit))
			}
			if diff := cmp.Diff(c.holds, holdsOf(c, holds)); diff != "" {
				t.Errorf("holds, %s (-want +got):\n%s", c.rule, diff)
			}
			if strings.HasPrefix(c.file, "deadline") {
				require.Zero(t, plan.RecheckAt, "17.6: nothing is waited for after the deadline")
			}
		})
	}
}

// TestLiveText holds what people read about the same files.
func TestLiveText(t *testing.T) {
	for _, c := range liveCases {
		text := succeed(t, nil, "plan", "-f", filepath.Join(live, c.file+".yaml"), "--now", liveNow.Format(time.RFC3339))
		golden(t, data+"golden/plan/"+c.file+".txt", []byte(text))
	}
	text := succeed(t, nil, "plan", "-f", live+"/creation.yaml", "--now", liveNow.Format(time.RFC3339), "-o", "json")
	golden(t, data+"golden/plan/creation.json", []byte(text))
}

// holdsOf returns the holds if the case tells which they are, which it does if
// nothing is to be done. The rules say less about what is held back beside actions.
func holdsOf(c liveCase, holds []string) []string {
	if len(c.actions) > 0 {
		return nil
	}
	return holds
}

// actionTexts writes actions without the digits of hashes and UIDs.
func actionTexts(p deploy.Plan, names map[string]string) []string {
	set := func(m map[string]string) string {
		var texts []string
		for _, key := range []string{revision.AnnotationRevision, revision.AnnotationHistory} {
			if value, ok := m[key]; ok {
				texts = append(texts, strings.TrimPrefix(key, "deployment.kubernetes.io/")+"="+value)
			}
		}
		return strings.Join(texts, " ")
	}
	var texts []string
	for _, a := range p.Actions {
		switch a := a.(type) {
		case deploy.CreateReplicaSet:
			texts = append(texts, fmt.Sprintf("create %s %d revision %d %s", names[a.Name], a.Replicas, a.Revision, a.Reason))
		case deploy.ScaleReplicaSet:
			text := fmt.Sprintf("scale %s %d->%d %s", names[a.Name], a.From, a.To, a.Reason)
			if a.Unhealthy > 0 {
				text += fmt.Sprintf(", %d unhealthy", a.Unhealthy)
			}
			texts = append(texts, text)
		case deploy.AnnotateReplicaSet:
			texts = append(texts, fmt.Sprintf("annotate %s %s %s", names[a.Name], set(a.Set), a.Reason))
		case deploy.AnnotateDeployment:
			texts = append(texts, fmt.Sprintf("annotate deployment %s %s", set(a.Set), a.Reason))
		case deploy.DeleteReplicaSet:
			texts = append(texts, fmt.Sprintf("delete %s %s", names[a.Name], a.Reason))
		}
	}
	return texts
}

// TestLiveFiles: every file in the folder is a case.
func TestLiveFiles(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(live, "*.yaml"))
	require.NoError(t, err)
	require.Len(t, files, len(liveCases))
	require.GreaterOrEqual(t, len(files), 14)
}

// run executes a command line.
func run(stdin []byte, args ...string) (code int, stdout, stderr string) {
	code, stdout, stderr = runWhole(stdin, args...)
	return code, unlisted(stdout), stderr
}

// runWhole is run with lists of one answer as they are written.
func runWhole(stdin []byte, args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = Execute(append([]string{"kplan"}, args...), bytes.NewReader(stdin), &out, &errs)
	return code, out.String(), errs.String()
}

// unlisted returns the answer of a list of one, and else the text: most tests ask about one.
func unlisted(text string) string {
	const listed = "apiVersion: kplan/v1\n"
	raw := []byte(text)
	if strings.HasPrefix(text, listed) {
		raw, _ = yaml.YAMLToJSON(raw) // the JSON decoder tells what is wrong
	}
	var list struct{ Items []json.RawMessage }
	if !bytes.HasPrefix(raw, []byte("{")) || json.Unmarshal(raw, &list) != nil || len(list.Items) != 1 {
		return text
	}
	if strings.HasPrefix(text, listed) {
		one, _ := yaml.JSONToYAML(list.Items[0])
		return string(one)
	}
	var one bytes.Buffer
	_ = json.Indent(&one, list.Items[0], "", "  ") // which decoded
	return one.String() + "\n"
}

// succeed executes a command line that must succeed.
func succeed(t *testing.T, stdin []byte, args ...string) string {
	t.Helper()
	code, stdout, stderr := run(stdin, args...)
	require.Zero(t, code, stderr)
	return stdout
}
