// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

const root = "../../.."

// terminals returns the commands that the README says to type, one text for each terminal.
func terminals(t *testing.T) []string {
	readme, err := os.ReadFile(root + "/examples/controller/README.md")
	require.NoError(t, err)
	_, section, _ := strings.Cut(string(readme), "## Try it without a cluster\n")
	section, _, _ = strings.Cut(section, "\n## ")
	var texts []string
	for _, block := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(section, -1) {
		texts = append(texts, block[1])
	}
	return texts
}

// terminal types a text into a shell at the root of the repository.
func terminal(t *testing.T, text, path string) *watch {
	t.Helper()
	cmd := exec.Command("bash", "-e", "-c", text)
	cmd.Dir, cmd.Env = root, append(os.Environ(), "PATH="+path+":"+os.Getenv("PATH"))
	return start(t, cmd)
}

// compile makes go run of a command fast: go caches the built program.
func compile(dir, command string) error {
	cmd := exec.Command("go", "run", command, "--help")
	cmd.Dir = filepath.Join(root, dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

// The commands of the README work as they are typed.
func TestReadme(t *testing.T) {
	compiled := make(chan error, 1) // while tests that run alone wait for their servers
	go func() {
		compiled <- errors.Join(compile("internal/verify/e2e", "./cmd/testserver"), compile(".", "./examples/kplan"))
	}()
	t.Parallel()
	texts := terminals(t)
	require.Len(t, texts, 3)
	require.NoError(t, <-compiled)
	path := t.TempDir()
	require.NoError(t, os.Symlink(kubectlPath, filepath.Join(path, "kubectl")))

	server := terminal(t, texts[0], path)
	server.await(t, func(s string) bool { return strings.Contains(s, "stop with Ctrl-C") })
	kplan := terminal(t, texts[1], path)
	kplan.await(t, func(frame string) bool { return strings.Contains(frame, "Deployment default/web: 10 replicas") })
	rollout := terminal(t, texts[2], path)
	require.Zero(t, rollout.exit(t), rollout.errors.String())
	require.Contains(t, rollout.text.String(), `deployment "web" successfully rolled out`)

	plugin, err := kplanPath()
	require.NoError(t, err)
	once := exec.Command(plugin, "plan", "deployment/web", "--kubeconfig", root+"/internal/verify/e2e/kubeconfig")
	end, err := once.Output()
	require.NoError(t, err)
	kplan.await(t, func(frame string) bool { return strings.HasSuffix(withoutEnding(frame), withoutEnding(string(end))) })
	for _, w := range []*watch{kplan, server} {
		w.signal(syscall.SIGINT)
		w.exit(t) // with the status of go run, which is 1 if it is interrupted
	}
	require.NoFileExists(t, root+"/internal/verify/e2e/kubeconfig")
}
