// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"flag"
	"fmt"
	"os"
	"strconv"
	"testing"

	"github.com/go-logr/logr"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/kplan-go/kplan/internal/verify/e2e/cluster"
)

// testsAtOnce is how many tests run at the same time: they wait most of it.
const testsAtOnce = 6

func TestMain(m *testing.M) {
	ctrl.SetLogger(logr.Discard())
	cluster.Main(map[string]func() error{ours.name: child(ours), upstream.name: child(upstream), fenced.name: child(fenced)})
	flag.Parse()
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func run(m *testing.M) (int, error) {
	if f := flag.Lookup("test.parallel"); f.Value.String() == f.DefValue {
		_ = f.Value.Set(strconv.Itoa(testsAtOnce))
	}
	dir, err := os.MkdirTemp("", "e2e")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	logs, err := cluster.LogTo(dir)
	if err != nil {
		return 0, err
	}
	defer logs.Close()
	if err := buildKubectl(); err != nil {
		return 0, err
	}
	var stop func()
	if shared, stop, err = newWorld(dir, true); err != nil {
		return 0, err
	}
	defer stop()
	return m.Run(), nil
}
