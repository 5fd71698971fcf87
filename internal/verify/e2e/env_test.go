// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/kplan-go/kplan/internal/verify/e2e/cluster"
)

// waitLimit is the time limit of any step, for a busy machine.
const waitLimit = 2 * time.Minute

// An env is a namespace in which one side runs a script.
type env struct {
	*testing.T
	side
	world     *world
	ctx       context.Context
	pool      string
	namespace string
	client    kubernetes.Interface
	config    *rest.Config // of the controllers
	network   *cluster.Proxy
	stop      func() // ends the controllers
	state     *cluster.State
	seen      int64            // the revision of state
	at        time.Time        // when the last change was seen
	history   []cluster.Change // up to seen
	harmed    map[string]bool  // pods that the script took away itself
	rules     []rule
	marks     []end
	anyNode   bool
}

// A script is run by both sides, one after the other. It ends when nothing changes any more; then
// both final states must be the same.
type script struct {
	rules []rule
	// apart leaves the controllers to the script, in processes of their own.
	apart bool
	// own gives the script a separate cluster.
	own bool
	// loose only logs violations by upstream: if a call is cut off, upstream may create a pod again
	// that exists, and its DaemonSets count a deletion twice, at its start and at its end, and then
	// do not wait for another one that they have not seen yet.
	loose bool
	// anyNode says that it is left to chance on which node a pod is new.
	anyNode bool
	// pool is how many nodes there are, named after the pool.
	pool int
	run  func(e *env)
	// same, if not nil, returns further values that must be the same.
	same func(e *env) any
	// sides are the sides that run it; nil means both.
	sides []side
}

// both runs a script on both sides and compares.
func both(t *testing.T, s script) {
	t.Helper()
	t.Parallel()
	if s.sides == nil {
		s.sides = []side{ours, upstream}
	}
	w := shared
	if s.own {
		w = ownWorld(t, true)
	}
	name := nameOf(t)
	ends, more := map[string][]end{}, map[string]any{}
	for _, side := range s.sides {
		t.Run(side.name, func(t *testing.T) {
			e := newEnv(t, w, name, side, s)
			defer e.close(s)
			s.run(e)
			e.mark()
			e.check(s.loose && side.name == upstream.name)
			ends[side.name] = e.marks
			if s.same != nil {
				more[side.name] = s.same(e)
			}
		})
	}
	if len(ends) < 2 {
		return // one has failed, or there is but one
	}
	one, other := s.sides[0].name, s.sides[1].name
	if diff := cmp.Diff(ends[one], ends[other]); diff != "" {
		t.Errorf("the ends differ (-%s +%s):\n%s", one, other, diff)
	}
	if diff := cmp.Diff(more[one], more[other]); diff != "" {
		t.Errorf("the ways differ (-%s +%s):\n%s", one, other, diff)
	}
}

// runs counts how often each test has run, which is more than once with -count.
var runs = struct {
	sync.Mutex
	of map[string]int
}{of: map[string]int{}}

// nameOf returns the name of a run of a test, for its nodes and namespaces.
func nameOf(t *testing.T) string {
	name := strings.ToLower(strings.TrimPrefix(t.Name(), "Test"))
	runs.Lock()
	defer runs.Unlock()
	runs.of[name]++
	return fmt.Sprintf("%s-%d", name, runs.of[name])
}

// newEnv makes a namespace and starts the controllers of a side for it.
func newEnv(t *testing.T, w *world, name string, s side, sc script) *env {
	e := &env{T: t, side: s, world: w, ctx: t.Context(), pool: name, namespace: name + "-" + s.name, harmed: map[string]bool{}, state: cluster.NewState(), rules: sc.rules, anyNode: sc.anyNode}
	var err error
	e.client, err = kubernetes.NewForConfig(e.world.Config(cluster.Admin))
	require.NoError(t, err)
	e.config, e.network, err = e.world.Through(e.world.Config(s.user))
	require.NoError(t, err)
	_, err = e.client.CoreV1().Namespaces().Create(e.ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: e.namespace}}, metav1.CreateOptions{})
	require.NoError(t, err)
	if sc.pool == 0 {
		e.pool = ""
	}
	e.behave(cluster.Behaviour{})
	for i := range sc.pool {
		e.addNode(fmt.Sprintf("%s-%d", name, i))
	}
	if !sc.apart {
		e.start()
	}
	return e
}

// start starts the controllers in this process.
func (e *env) start() {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- e.side.run(ctx, e.config, e.namespace) }()
	e.stop = func() {
		cancel()
		if err := <-done; err != nil && e.Context().Err() == nil {
			e.Errorf("the controllers failed: %v", err)
		}
	}
}

func (e *env) close(sc script) {
	if e.stop != nil {
		e.stop()
	}
	ctx := context.WithoutCancel(e.ctx)
	if e.pool != "" {
		_ = e.client.CoreV1().Nodes().DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: cluster.PoolLabel + "=" + e.pool})
	}
	e.network.Close()
}

// A process runs controllers apart from the test.
type process struct {
	*os.Process
	ended chan struct{}
}

// kill ends the process without warning.
func (p *process) kill() {
	_ = p.Kill()
	<-p.ended
}

// apart runs controllers in a separate process, which is killed at the latest when the test ends.
func (e *env) apart(j job) *process {
	e.Helper()
	j.Host, j.Token, j.CA, j.Namespace = e.config.Host, e.config.BearerToken, e.config.CAFile, e.namespace
	data, err := json.Marshal(j)
	require.NoError(e, err)
	cmd, stdin, err := cluster.Command(e.side.name)
	require.NoError(e, err)
	dir := e.TempDir()
	log, err := os.Create(filepath.Join(dir, "log"))
	require.NoError(e, err)
	cmd.Env = append(cmd.Env, jobVariable+"="+string(data), "TMPDIR="+dir)
	cmd.Stdout, cmd.Stderr = log, log
	require.NoError(e, cmd.Start())
	p := &process{cmd.Process, make(chan struct{})}
	go func() {
		_ = cmd.Wait()
		_, _ = stdin.Close(), log.Close()
		close(p.ended)
	}()
	e.Cleanup(p.kill)
	return p
}

// behave sets how pods of the namespace behave from now on.
func (e *env) behave(b cluster.Behaviour) {
	b.Pool = e.pool
	e.world.kubelet.Behave(e.namespace, b)
}

func (e *env) addNode(name string) {
	_, err := e.client.CoreV1().Nodes().Create(e.ctx, &corev1.Node{ObjectMeta: metav1.ObjectMeta{
		Name: name, Labels: map[string]string{cluster.PoolLabel: e.pool, corev1.LabelHostname: name},
	}}, metav1.CreateOptions{})
	require.NoError(e, err)
}

// harm deletes a pod as another client than the controllers.
func (e *env) harm(pod string) {
	e.harmed[pod] = true
	e.kubectl("delete", "pod", pod, "--wait=false")
}

// kubectl runs kubectl in the namespace.
func (e *env) kubectl(args ...string) string {
	e.Helper()
	out, err := e.world.kubectl(append([]string{"-n", e.namespace}, args...)...)
	require.NoError(e, err, "kubectl %s: %s", strings.Join(args, " "), out)
	return out
}

// apply applies a manifest with kubectl.
func (e *env) apply(manifest string) {
	e.Helper()
	file := filepath.Join(e.TempDir(), "manifest.yaml")
	require.NoError(e, os.WriteFile(file, []byte(manifest), 0o600))
	e.applyFile(file)
}

// applyFile applies a file with kubectl, which does not read the schema first: that would take
// twice as long as all the rest, and the types of the test objects are known.
func (e *env) applyFile(file string, how ...string) {
	e.Helper()
	e.kubectl(append([]string{"apply", "--validate=ignore", "--openapi-patch=false", "-f", file}, how...)...)
}

// rolled waits with kubectl until a rollout is over.
func (e *env) rolled(what string) {
	e.Helper()
	e.kubectl("rollout", "status", what, "--timeout", waitLimit.String())
}

// update reads the writes since the last call.
func (e *env) update() {
	changes, err := e.world.recorder.History(e.namespace, e.seen+1)
	require.NoError(e, err)
	for _, c := range changes {
		e.state.Apply(c)
		e.seen = c.Revision
		if c.Resource != "nodes" {
			e.at = c.At
		}
	}
	e.history = append(e.history, changes...)
}

// wait waits until something has been written that makes a condition true. A condition is
// asked after all that was written at once, so it must be one that stays true.
func (e *env) wait(what string, condition func(s *cluster.State) bool) {
	e.Helper()
	deadline := time.After(waitLimit)
	for {
		changed := e.world.recorder.Changed()
		e.update()
		if condition(e.state) {
			return
		}
		select {
		case <-changed:
		case <-deadline:
			e.Fatalf("waited in vain for %s; there is\n%s", what, e.describe())
		}
	}
}

// quiet is how long nothing may change in a state that is settled.
const quiet = 700 * time.Millisecond

// mark records the state as soon as nothing changes any more. Both sides must have the same state
// at each mark.
func (e *env) mark() {
	e.Helper()
	e.settle()
	e.marks = append(e.marks, e.end())
}

// settle waits until all statuses are up to date, no pod is being deleted unless it is
// stuck, and nothing changes any more.
func (e *env) settle() {
	e.Helper()
	deadline := time.Now().Add(waitLimit)
	for {
		require.NoError(e, e.world.recorder.Sync(e.ctx))
		e.update()
		if time.Since(e.at) > quiet && observed(e.state) {
			return
		}
		if time.Now().After(deadline) {
			e.Fatalf("does not settle:\n%s", e.describe())
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// observed reports whether the statuses are up to date: the statuses of ReplicaSets with their
// pods, and the statuses of Deployments with their ReplicaSets.
func observed(s *cluster.State) bool {
	for _, d := range s.Deployments {
		if d.DeletionTimestamp == nil && (d.Status.ObservedGeneration != d.Generation || told(d.Status.Replicas, d.Status.ReadyReplicas, d.Status.TerminatingReplicas) != sum(s, d.Name)) {
			return false
		}
	}
	for _, rs := range s.ReplicaSets {
		if rs.DeletionTimestamp == nil && (rs.Status.ObservedGeneration != rs.Generation || told(rs.Status.Replicas, rs.Status.ReadyReplicas, rs.Status.TerminatingReplicas) != counted(s, rs)) {
			return false
		}
	}
	for _, rc := range s.Controllers {
		if rc.Status.ObservedGeneration != rc.Generation {
			return false
		}
	}
	for _, ds := range s.DaemonSets {
		if ds.Status.ObservedGeneration != ds.Generation {
			return false
		}
	}
	return true
}

// told are the numbers of a status: pods, ready pods, and pods that are being deleted.
func told(replicas, ready int32, terminating *int32) [3]int32 {
	if terminating == nil {
		terminating = new(int32)
	}
	return [3]int32{replicas, ready, *terminating}
}

// sum returns the sum of the statuses of a Deployment's ReplicaSets.
func sum(s *cluster.State, deployment string) (n [3]int32) {
	for _, rs := range s.ReplicaSets {
		if owner(rs) == deployment {
			for i, m := range told(rs.Status.Replicas, rs.Status.ReadyReplicas, rs.Status.TerminatingReplicas) {
				n[i] += m
			}
		}
	}
	return n
}

// counted returns the correct status of a ReplicaSet.
func counted(s *cluster.State, rs *appsv1.ReplicaSet) (n [3]int32) {
	for _, p := range s.Pods {
		switch {
		case ownerUID(p) != rs.UID:
		case p.DeletionTimestamp != nil:
			n[2]++
		case active(p):
			n[0]++
			if ready(p) {
				n[1]++
			}
		}
	}
	return n
}

func (e *env) describe() string {
	var b strings.Builder
	for name, d := range e.state.Deployments {
		fmt.Fprintf(&b, "deployment %s: %+v\n", name, d.Status)
	}
	for name, rs := range e.state.ReplicaSets {
		fmt.Fprintf(&b, "replicaset %s: %d wanted, %+v\n", name, *rs.Spec.Replicas, rs.Status)
	}
	for name, ds := range e.state.DaemonSets {
		fmt.Fprintf(&b, "daemonset %s: %+v\n", name, ds.Status)
	}
	for name, p := range e.state.Pods {
		fmt.Fprintf(&b, "pod %s on %s: ready %t, deleted %v\n", name, p.Spec.NodeName, ready(p), p.DeletionTimestamp)
	}
	return b.String()
}
