// SPDX-License-Identifier: Apache-2.0

package command

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/runtime"

	kubeargo "github.com/kplan-go/kplan/kube/argo"
	kubekruise "github.com/kplan-go/kplan/kube/kruise"
)

// kinds are the types of all objects that the commands look at. What is in no type, the
// rest of an Advanced DaemonSet, TestHostileTexts finds in recorded objects.
var kinds = map[string]reflect.Type{
	"apps/v1 Deployment":                      reflect.TypeFor[appsv1.Deployment](),
	"apps/v1 ReplicaSet":                      reflect.TypeFor[appsv1.ReplicaSet](),
	"apps/v1 DaemonSet":                       reflect.TypeFor[appsv1.DaemonSet](),
	"apps/v1 StatefulSet":                     reflect.TypeFor[appsv1.StatefulSet](),
	"apps/v1 ControllerRevision":              reflect.TypeFor[appsv1.ControllerRevision](),
	"v1 Pod":                                  reflect.TypeFor[corev1.Pod](),
	"v1 Node":                                 reflect.TypeFor[corev1.Node](),
	"v1 Service":                              reflect.TypeFor[corev1.Service](),
	"v1 ReplicationController":                reflect.TypeFor[corev1.ReplicationController](),
	"v1 ResourceQuota":                        reflect.TypeFor[corev1.ResourceQuota](),
	"policy/v1 PodDisruptionBudget":           reflect.TypeFor[policyv1.PodDisruptionBudget](),
	"networking.k8s.io/v1 Ingress":            reflect.TypeFor[networkingv1.Ingress](),
	"autoscaling/v2 HorizontalPodAutoscaler":  reflect.TypeFor[autoscalingv2.HorizontalPodAutoscaler](),
	"apps.kruise.io/v1alpha1 CloneSet":        reflect.TypeFor[kubekruise.CloneSetObject](),
	"apps.kruise.io/v1beta1 StatefulSet":      reflect.TypeFor[kubekruise.AdvancedStatefulSetObject](),
	"gateway.networking.k8s.io/v1 HTTPRoute":  reflect.TypeFor[kubekruise.HTTPRouteObject](),
	"rollouts.kruise.io/v1beta1 Rollout":      reflect.TypeFor[kubekruise.RolloutObject](),
	"rollouts.kruise.io/v1alpha1 Rollout":     reflect.TypeFor[kubekruise.RolloutObjectV1alpha1](),
	"rollouts.kruise.io/v1beta1 BatchRelease": reflect.TypeFor[kubekruise.BatchReleaseObject](),
	"argoproj.io/v1alpha1 Rollout":            reflect.TypeFor[kubeargo.RolloutObject](),
}

// controls are the characters that command a terminal or turn the direction of writing.
var controls = func() (list []rune) {
	for r := rune(0); r <= 0x2069; r++ {
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
			list = append(list, r)
		}
	}
	return list
}()

// forged returns all control characters, beginning with another one each time, because
// some texts are cut.
func forged(turn int) string {
	turn = turn * 5 % len(controls)
	return string(slices.Concat(controls[turn:], controls[:turn])) + "\nFORGED"
}

// A field is where an object may hold a text: names of fields, "[]" for the first element
// of a list, "*" for a key of a map, and a last "!" for texts in a form, such as times,
// which are refused in any other.
type field []string

// fieldsOf returns the fields of a type that hold texts, each once.
func fieldsOf(t reflect.Type, at field, within []reflect.Type) (list []field) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	_, encoded := reflect.New(t).Interface().(json.Marshaler)
	switch {
	case slices.Contains(within, t):
	case encoded, t == reflect.TypeFor[[]byte]():
		return []field{slices.Clone(append(at, "!"))}
	case t.Kind() == reflect.String:
		return []field{slices.Clone(at)}
	case t.Kind() == reflect.Slice:
		return fieldsOf(t.Elem(), append(at, "[]"), within)
	case t.Kind() == reflect.Map:
		list = append(list, slices.Clone(append(at, "*")))
		return append(list, fieldsOf(t.Elem(), append(at, "key"), within)...)
	case t.Kind() == reflect.Struct:
		for f := range t.Fields() {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			switch {
			case name == "-" || !f.IsExported():
			case name == "" && f.Anonymous:
				list = append(list, fieldsOf(f.Type, at, append(within, t))...)
			default:
				list = append(list, fieldsOf(f.Type, append(at, name), append(within, t))...)
			}
		}
	}
	return list
}

// put sets a field of a value, and makes what is missing on the way.
func (f field) put(value any, text string) any {
	if len(f) == 0 || f[0] == "!" {
		return text
	}
	if f[0] == "[]" {
		list, ok := value.([]any)
		if !ok || len(list) == 0 {
			list = []any{nil}
		}
		list[0] = f[1:].put(list[0], text)
		return list
	}
	object, ok := value.(map[string]any)
	if !ok {
		object = map[string]any{}
	}
	if f[0] == "*" {
		object[text] = "value"
	} else {
		object[f[0]] = f[1:].put(object[f[0]], text)
	}
	return object
}

// TestFields: whatever control characters a stranger writes into whichever text of the API,
// no command writes one, be it as text, JSON, SVG or HTML.
func TestFields(t *testing.T) {
	require.Len(t, controls, 32+1+32+12, "C0, DEL, C1, and marks of direction")
	for file, want := range map[string]int{"replicaset/controller.yaml": 20, "kubectl/quota.yaml": 20, "daemonset/blocked.yaml": 20, "rollout/traffic.yaml": 20, "argo/istio-mirror.yaml": 20} {
		t.Run(file, func(t *testing.T) {
			if (raceDetector || os.Getenv("KPLAN_FULL") == "") && file != "replicaset/controller.yaml" {
				t.Skip("the other files take two minutes: set KPLAN_FULL to try them")
			}
			groups := fieldGroups(itemsOf(t, file), file == "rollout/traffic.yaml")
			tests := make([]fieldTest, len(groups))
			t.Run("groups", func(t *testing.T) { // which ends when all have
				for n := range groups {
					t.Run(fmt.Sprint(n), func(t *testing.T) {
						t.Parallel()
						tests[n] = fieldTest{fieldGroup: groups[n], dir: t.TempDir(), number: n}
						tests[n].try(t, groups[n].fields)
					})
				}
			})
			refused, runs, shown := 0, 0, 0
			for _, f := range tests {
				refused, runs, shown = refused+f.refused, runs+f.runs, shown+f.shown
			}
			t.Logf("%d groups, %d fields refused; %d of %d runs show what was written", len(groups), refused, shown, runs)
			require.Greater(t, shown, want, "the texts do not reach the output")
		})
	}
}

// A fieldGroup is fields of one of some objects that are written at once.
type fieldGroup struct {
	objects []any
	at      int // in objects
	fields  []field
}

// together is how many fields are written at once, as long as that is not refused.
const together = 256

// fieldGroups returns the fields of the first object of each kind and, if others is set, of an object of each
// kind that is not there.
func fieldGroups(objects []any, others bool) (groups []fieldGroup) {
	seen, known := map[string]bool{}, map[string]bool{}
	formed := func(at field) bool { return at[len(at)-1] == "!" }
	add := func(objects []any, at int, kind string) {
		fields := fieldsOf(kinds[kind], nil, nil)
		for _, one := range fields {
			if end := strings.Join(one[max(0, len(one)-4):], "."); formed(one) && !known[end] { // pods have the same in every template
				known[end] = true
				groups = append(groups, fieldGroup{objects, at, []field{one}})
			}
		}
		for group := range slices.Chunk(slices.DeleteFunc(fields, formed), together) {
			groups = append(groups, fieldGroup{objects, at, group})
		}
	}
	for i, object := range objects {
		o := object.(map[string]any)
		if kind := fmt.Sprint(o["apiVersion"], " ", o["kind"]); kinds[kind] != nil && !seen[kind] {
			seen[kind] = true
			add(objects, i, kind)
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		if version, name, _ := strings.Cut(kind, " "); others && !seen[kind] && version != kubeargo.V1alpha1 {
			add(append(slices.Clone(objects), otherOf(version, name)), len(objects), kind)
		}
	}
	return groups
}

// otherOf returns an object of a kind.
func otherOf(version, kind string) any {
	other := map[string]any{"apiVersion": version, "kind": kind, "metadata": map[string]any{"name": "other", "namespace": "default", "uid": "other"}}
	labels := map[string]any{"app": "other"}
	selector := map[string]map[string]any{"DaemonSet": {"matchLabels": labels}, "ReplicaSet": {"matchLabels": labels}, "ReplicationController": labels}[kind]
	if selector != nil { // which is refused without one, field by field
		pod := map[string]any{"containers": []any{map[string]any{"name": "c", "image": "i"}}}
		other["spec"] = map[string]any{"selector": selector, "template": map[string]any{"metadata": map[string]any{"labels": labels}, "spec": pod}}
	}
	return other
}

// A fieldTest is a group that is tried.
type fieldTest struct {
	fieldGroup
	dir                  string
	number               int // of the group
	refused, runs, shown int
}

// try tries some fields of the group, and each half of them if together they are refused.
func (f *fieldTest) try(t *testing.T, fields []field) {
	changed := slices.Clone(f.objects)
	changed[f.at] = runtime.DeepCopyJSONValue(f.objects[f.at])
	for turn, at := range fields {
		changed[f.at] = at.put(changed[f.at], forged(turn+f.number+f.runs))
	}
	text, err := json.Marshal(map[string]any{"apiVersion": "v1", "kind": "List", "items": changed})
	require.NoError(t, err)
	if stdout := f.run(t, text, "plan", fields); stdout == "" && len(fields) > 1 {
		half := len(fields) / 2
		f.try(t, fields[:half])
		f.try(t, fields[half:])
		return
	} else if stdout == "" {
		f.refused++
		f.run(t, text, "order", fields)
		return
	}
	files, draw := []string{}, "simulate --time-limit 1m --scrape-every 1h"
	for _, format := range []string{"svg", "html", "trace", "metrics", "mermaid"} {
		files = append(files, filepath.Join(f.dir, format))
		draw += " --" + format + " " + filepath.Join(f.dir, format)
	}
	for _, command := range append([]string{draw, "plan -o json", "explain -o json", "order -o json", "history -o json"}, textCommands[1:]...) {
		f.run(t, text, command, fields)
	}
	for _, file := range files {
		if picture, err := os.ReadFile(file); err == nil {
			requireText(t, strings.ReplaceAll(string(picture), "\t", " "), fields)
			require.NoError(t, os.Remove(file))
		}
	}
}

func (f *fieldTest) run(t *testing.T, text []byte, command string, fields []field) string {
	args := append(strings.Fields(command), "-f", "-", "--now", "2026-01-02T15:04:05Z")
	_, stdout, stderr := run(text, args...)
	requireText(t, stdout, command, fields)
	requireText(t, stderr, command, fields)
	if strings.Contains(command, "json") && stdout != "" {
		require.True(t, json.Valid([]byte(stdout)))
	}
	f.runs++
	if strings.Contains(stdout+stderr, `\x1b`) || strings.Contains(stdout, `\u001b`) {
		f.shown++
	}
	return stdout
}
