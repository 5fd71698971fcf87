// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/internal/verify/e2e/cluster"
)

// kplanPath builds the command as a plugin of kubectl, once, and returns where it is.
var kplanPath = sync.OnceValues(func() (string, error) {
	path := filepath.Join(filepath.Dir(shared.kubeconfig), "bin", "kubectl-kplan")
	cmd := exec.Command("go", "build", "-o", path, "./examples/kplan")
	cmd.Dir, cmd.Stderr = "../../..", os.Stderr
	return path, cmd.Run()
})

// A watch is a command with output that is read while it runs, such as a kplan that prints a new
// frame after every change.
type watch struct {
	*exec.Cmd
	mu     sync.Mutex
	text   strings.Builder
	drawn  chan struct{} // has something after more was drawn
	errors strings.Builder
	ended  chan struct{}
}

// start starts a command in a separate process group, which is killed at the latest when the test
// ends.
func start(t *testing.T, cmd *exec.Cmd) *watch {
	t.Helper()
	w := &watch{Cmd: cmd, drawn: make(chan struct{}, 1), ended: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = w, &w.errors
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	require.NoError(t, cmd.Start())
	go func() {
		_ = cmd.Wait()
		close(w.ended)
	}()
	t.Cleanup(func() {
		w.signal(syscall.SIGKILL)
		<-w.ended
	})
	return w
}

// signal sends a signal to all processes of the command, as a terminal does.
func (w *watch) signal(s syscall.Signal) { _ = syscall.Kill(-w.Process.Pid, s) }

func (w *watch) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	select {
	case w.drawn <- struct{}{}:
	default: // it was told already
	}
	return w.text.Write(b)
}

// frames returns the printed frames, one after the other.
func (w *watch) frames() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var frames []string
	for i, f := range strings.Split(w.text.String(), "\n--- ") {
		if i > 0 { // after the time
			_, f, _ = strings.Cut(f, "\n\n")
		}
		frames = append(frames, f)
	}
	return frames
}

// await waits until the last frame is as wanted.
func (w *watch) await(t *testing.T, wanted func(frame string) bool) {
	t.Helper()
	for deadline := time.After(waitLimit); ; {
		frames := w.frames()
		if wanted(frames[len(frames)-1]) {
			return
		}
		select {
		case <-w.drawn:
		case <-deadline:
			t.Fatalf("the last frame is\n%s%s", frames[len(frames)-1], w.errors.String())
		}
	}
}

// exit waits until the watch has ended and returns its exit status.
func (w *watch) exit(t *testing.T) int {
	t.Helper()
	select {
	case <-w.ended:
	case <-time.After(waitLimit):
		t.Fatalf("%s does not end", w.Cmd)
	}
	return w.ProcessState.ExitCode()
}

// watch starts kplan with --watch in the namespace.
func (e *env) watch(args ...string) *watch {
	e.Helper()
	return start(e.T, e.kplan(append(args, "--watch")...))
}

// only decodes the one answer of a list.
func only(t require.TestingT, text []byte, answer any, told string) {
	var list struct{ Items []json.RawMessage }
	require.NoError(t, json.Unmarshal(text, &list), told)
	require.Len(t, list.Items, 1, told)
	require.NoError(t, json.Unmarshal(list.Items[0], answer), told)
}

func (e *env) kplan(args ...string) *exec.Cmd {
	e.Helper()
	path, err := kplanPath()
	require.NoError(e, err)
	cmd := exec.Command(path, append(args, "-n", e.namespace)...)
	cmd.Env = append(os.Environ(), "KUBECONFIG="+e.world.kubeconfig)
	return cmd
}

// withoutEnding returns a plan without the number of terminating pods, which still changes after
// the end of a rollout ends a watch.
func withoutEnding(frame string) string {
	return regexp.MustCompile(`,\s+\d+\s+terminating`).ReplaceAllString(frame, "")
}

// A rollout is watched until it is complete: each frame follows from the state of the cluster, and
// the last one is the output of kplan without watching. The exit code shows that a watch was
// interrupted, or that its Deployment was deleted.
func TestWatched(t *testing.T) {
	both(t, script{rules: rolling, run: func(e *env) {
		complete := func(frame string) bool { return strings.Contains(frame, "Deployment "+e.namespace+"/web is complete.") }
		underway := func(frame string) bool { return frame != "" && !complete(frame) }
		e.apply(web(10, "1", threeAndTwo))
		e.rolled("deployment/web")
		require.Zero(e, e.watch("explain", "deployment/web").exit(e.T), "there is nothing to wait for")

		e.behave(cluster.Behaviour{Ready: -1}) // it does not end before it is watched
		e.apply(web(10, "2", threeAndTwo))
		plan, explain := e.watch("plan", "deployment/web"), e.watch("explain", "deployment/web")
		explain.await(e.T, underway)
		plan.await(e.T, func(frame string) bool { return frame != "" })
		e.behave(slow)
		e.rolled("deployment/web")
		require.Zero(e, explain.exit(e.T), explain.errors.String())
		require.Zero(e, plan.exit(e.T), plan.errors.String())
		explain.await(e.T, complete)
		end, err := e.kplan("plan", "deployment/web").Output()
		require.NoError(e, err)
		plan.await(e.T, func(frame string) bool { return withoutEnding(frame) == withoutEnding(string(end)) })
		require.Greater(e, len(plan.frames()), 1, "it moves")
		require.Empty(e, plan.errors.String()+explain.errors.String())

		e.behave(cluster.Behaviour{Ready: -1})
		e.apply(web(10, "3", threeAndTwo))
		interrupted, gone := e.watch("explain", "deployment/web"), e.watch("explain", "deployment/web")
		interrupted.await(e.T, underway)
		interrupted.signal(syscall.SIGINT)
		require.Equal(e, 130, interrupted.exit(e.T), interrupted.errors.String())
		gone.await(e.T, underway)
		e.kubectl("delete", "deployment/web")
		require.Equal(e, 1, gone.exit(e.T))
		require.Equal(e, "error: Deployment \"web\" is gone\n", gone.errors.String())
		e.wait("nothing", func(s *cluster.State) bool { return len(s.Pods)+len(s.ReplicaSets)+len(s.Deployments) == 0 })
	}})
}

// As kubectl-kplan in the path it is a command of kubectl.
func TestPlugin(t *testing.T) {
	both(t, script{sides: []side{ours}, rules: rolling, run: func(e *env) {
		e.apply(web(3, "1", threeAndTwo))
		e.rolled("deployment/web")
		e.settle()
		want, err := e.kplan("plan", "deployment/web").Output()
		require.NoError(e, err)
		cmd := exec.Command(kubectlPath, "kplan", "plan", "deployment/web", "-n", e.namespace)
		path, err := kplanPath()
		require.NoError(e, err)
		cmd.Env = append(os.Environ(), "KUBECONFIG="+e.world.kubeconfig, "PATH="+filepath.Dir(path)+":"+os.Getenv("PATH"))
		got, err := cmd.CombinedOutput()
		require.NoError(e, err, string(got))
		require.Equal(e, string(want), string(got))
	}})
}
