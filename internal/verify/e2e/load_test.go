// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"

	"github.com/kplan-go/kplan/internal/verify/e2e/cluster"
)

// loadVariable enables the comparison under load, which takes minutes.
const loadVariable = "KPLAN_E2E_LOAD"

const (
	loadDeployments = 200
	loadReplicas    = 25
)

// A cost is the cost of a rollout of all Deployments.
type cost struct {
	Time             time.Duration
	Writes, Events   int // without and of events
	Conflicts, Calls int
	CPU              time.Duration // of the process of the controllers
	Peak             string        // its memory
	ByCall           []string
}

// All Deployments of two namespaces roll at once, in one by our controllers and in the other by
// upstream's, in separate processes. They share a server, so that other load on the machine affects
// both. Ours must not write more, and not finish later. The bounds hold at every write.
func TestLoad(t *testing.T) {
	if os.Getenv(loadVariable) == "" {
		t.Skip("takes minutes; set " + loadVariable + "=1")
	}
	w := ownWorld(t, true)
	costs := map[string]*cost{ours.name: {}, upstream.name: {}}
	var ready sync.WaitGroup
	ready.Add(2)
	t.Run("at once", func(t *testing.T) {
		for _, s := range []side{upstream, ours} {
			t.Run(s.name, func(t *testing.T) {
				t.Parallel()
				arrived := sync.OnceFunc(ready.Done)
				defer arrived() // also if it fails before
				*costs[s.name] = load(t, w, s, func() { arrived(); ready.Wait() })
			})
		}
	})
	t.Log(table(costs))
	require.LessOrEqual(t, costs[ours.name].Writes, costs[upstream.name].Writes)
	require.LessOrEqual(t, costs[ours.name].Writes+costs[ours.name].Events, costs[upstream.name].Writes+costs[upstream.name].Events)
	require.LessOrEqual(t, costs[ours.name].Time, costs[upstream.name].Time)
}

// table returns the costs of both sides, and their calls.
func table(costs map[string]*cost) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "\nSIDE\tTIME\tWRITES\tOF EVENTS\tCONFLICTS\tCALLS\tCPU\tPEAK MEMORY")
	for _, name := range []string{upstream.name, ours.name} {
		c := costs[name]
		fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%d\t%d\t%s\t%s\n", name, c.Time, c.Writes, c.Events, c.Conflicts, c.Calls, c.CPU, c.Peak)
	}
	_ = w.Flush()
	for _, name := range []string{upstream.name, ours.name} {
		fmt.Fprintf(&b, "\ncalls of %s:\n%s\n", name, strings.Join(costs[name].ByCall, "\n"))
	}
	return b.String()
}

// load creates all Deployments, waits for the other side, and rolls them.
func load(t *testing.T, w *world, s side, together func()) cost {
	e := newEnv(t, w, "load", s, script{apart: true})
	counts := filepath.Join(t.TempDir(), "counts")
	controllers := e.apart(job{Counts: counts})
	done := e.watchLoad()
	for i := range loadDeployments {
		_, err := e.client.AppsV1().Deployments(e.namespace).Create(e.ctx, loadDeployment(i), metav1.CreateOptions{})
		require.NoError(t, err)
	}
	done("1")
	together()
	before, start, used := readCounts(t, counts), time.Now(), cpu(t, controllers.Pid)
	var wg sync.WaitGroup
	for i := range loadDeployments {
		wg.Go(func() {
			patch := fmt.Sprintf(`{"spec":{"template":{"spec":{"containers":[{"name":"web","image":"%s2"}]}}}}`, image)
			_, err := e.client.AppsV1().Deployments(e.namespace).Patch(e.ctx, fmt.Sprintf("web-%d", i), types.StrategicMergePatchType, []byte(patch), metav1.PatchOptions{})
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	done("2")
	c := cost{Time: time.Since(start).Round(100 * time.Millisecond), CPU: cpu(t, controllers.Pid) - used, Peak: peak(t, controllers.Pid)}
	c.add(before, lastCounts(t, counts))
	e.checkEach(rolling)
	return c
}

// checkEach replays everything that was written and holds it against the rules, one
// Deployment after the other.
func (e *env) checkEach(rules []rule) {
	require.NoError(e, e.world.recorder.Sync(e.ctx))
	e.update()
	each := map[string][]cluster.Change{}
	for _, c := range e.history {
		if parts := strings.SplitN(c.Name, "-", 3); len(parts) > 1 { // web-7, or begins with web-7-
			name := parts[0] + "-" + parts[1]
			each[name] = append(each[name], c)
		}
	}
	require.Len(e, each, loadDeployments)
	for _, history := range each {
		one := *e
		one.history, one.rules = history, rules
		one.check(false)
	}
}

// add adds the calls between two counts.
func (c *cost) add(before, after map[string]int) {
	for call, n := range after {
		if n -= before[call]; n == 0 {
			continue
		}
		c.ByCall = append(c.ByCall, fmt.Sprintf("%6d %s", n, call))
		c.Calls += n
		if strings.HasPrefix(call, "GET") {
			continue
		}
		if strings.Contains(call, "events") {
			c.Events += n
		} else {
			c.Writes += n
		}
		if strings.HasSuffix(call, " 409") {
			c.Conflicts += n
		}
	}
	slices.Sort(c.ByCall)
}

// lastCounts waits until no calls are made any more: late writes count too.
func lastCounts(t *testing.T, file string) map[string]int {
	counts := readCounts(t, file)
	for calm, deadline := time.Now(), time.Now().Add(2*time.Minute); time.Since(calm) < 3*time.Second && time.Now().Before(deadline); {
		time.Sleep(200 * time.Millisecond)
		if now := readCounts(t, file); !maps.Equal(now, counts) {
			counts, calm = now, time.Now()
		}
	}
	return counts
}

func readCounts(t *testing.T, file string) map[string]int {
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	var counts map[string]int
	require.NoError(t, json.Unmarshal(data, &counts))
	return counts
}

// cpu returns how long a process has been running on some processor.
func cpu(t *testing.T, pid int) time.Duration {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	require.NoError(t, err)
	fields := strings.Fields(string(stat[strings.LastIndex(string(stat), ")")+1:]))
	var ticks int
	for _, f := range fields[11:13] { // in user and in kernel mode
		n, err := strconv.Atoi(f)
		require.NoError(t, err)
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}

// peak returns the most memory that a process has had.
func peak(t *testing.T, pid int) string {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	require.NoError(t, err)
	for line := range strings.Lines(string(status)) {
		if text, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			return strings.TrimSpace(text)
		}
	}
	return "unknown"
}

// watchLoad returns a function that waits until all Deployments have rolled to a tag.
func (e *env) watchLoad() func(tag string) {
	factory := informers.NewSharedInformerFactoryWithOptions(e.client, 0, informers.WithNamespace(e.namespace))
	informer := factory.Apps().V1().Deployments().Informer()
	complete := make(chan string, 100*loadDeployments)
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{UpdateFunc: func(_, o any) {
		d := o.(*appsv1.Deployment)
		if s := d.Status; s.ObservedGeneration == d.Generation && s.UpdatedReplicas == loadReplicas && s.Replicas == loadReplicas && s.AvailableReplicas == loadReplicas {
			complete <- d.Name + " " + d.Spec.Template.Spec.Containers[0].Image
		}
	}})
	require.NoError(e, err)
	factory.Start(e.ctx.Done())
	factory.WaitForCacheSync(e.ctx.Done())
	return func(tag string) {
		seen := map[string]bool{}
		for deadline := time.After(10 * time.Minute); len(seen) < loadDeployments; {
			select {
			case d := <-complete:
				if strings.HasSuffix(d, image+tag) {
					seen[d] = true
				}
			case <-deadline:
				e.Fatalf("%d of %d are complete", len(seen), loadDeployments)
			}
		}
	}
}

func loadDeployment(i int) *appsv1.Deployment {
	labels := map[string]string{"app": fmt.Sprintf("web-%d", i)}
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("web-%d", i), Annotations: map[string]string{"kplan-go.github.io/class": "kplan"}},
		Spec: appsv1.DeploymentSpec{
			Replicas: new(int32(loadReplicas)), Selector: &metav1.LabelSelector{MatchLabels: labels},
			Strategy: appsv1.DeploymentStrategy{RollingUpdate: &appsv1.RollingUpdateDeployment{
				MaxSurge: new(intstr.FromString("25%")), MaxUnavailable: new(intstr.FromString("25%")),
			}},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "web", Image: image + "1"}}},
			},
		},
	}
}
