// SPDX-License-Identifier: Apache-2.0

package house

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

const root = "../../.."

// tree returns the source files of this module. Nested modules have rules of their
// own and are left out, except that checkPlace holds for them too.
func tree(t *testing.T, nested bool) []file {
	t.Helper()
	files, err := trees[nested]()
	require.NoError(t, err)
	require.NotEmpty(t, files)
	return slices.Clone(files)
}

// trees parses the files once for all tests.
var trees = map[bool]func() ([]file, error){
	false: sync.OnceValues(func() ([]file, error) { return readTree(false) }),
	true:  sync.OnceValues(func() ([]file, error) { return readTree(true) }),
}

func readTree(nested bool) (files []file, err error) {
	err = filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			return skip(name, d, nested)
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		below, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		f, err := parse(filepath.ToSlash(below), string(text))
		files = append(files, f)
		return err
	})
	return files, err
}

func skip(name string, d fs.DirEntry, nested bool) error {
	if name == root {
		return nil
	}
	if d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") {
		return filepath.SkipDir
	}
	if _, err := os.Stat(filepath.Join(name, "go.mod")); err == nil && !nested {
		return filepath.SkipDir
	}
	return nil
}

func TestHouse(t *testing.T) {
	for name, rule := range rules {
		t.Run(name, func(t *testing.T) {
			for _, f := range tree(t, name == "place" || name == "modules") {
				for _, v := range rule(f) {
					t.Error(v)
				}
			}
		})
	}
}

// The rules cover core files only, so there must be some.
func TestCoreIsSeen(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range tree(t, false) {
		if isCore(f) {
			seen[f.pkg()] = true
		}
	}
	for _, pkg := range []string{"internal/base/field", "revision", "podorder", "rollout", "replicaset", "deploy"} {
		require.True(t, seen[pkg], pkg)
	}
}

// A consumer of the core gains no other module.
func TestDependencies(t *testing.T) {
	var packages []string
	for pkg := range imports {
		if _, err := os.Stat(filepath.Join(root, pkg)); err == nil {
			packages = append(packages, module+"/"+pkg)
		}
	}
	slices.Sort(packages)
	require.NotEmpty(t, packages)
	require.Empty(t, foreign(t, packages...))
	require.Contains(t, foreign(t, "github.com/stretchr/testify/require"), "github.com/stretchr/testify/assert",
		"a package that has dependencies shows them")
}

// A test that imports a test package gains rapid and no other module.
func TestDependenciesOfTests(t *testing.T) {
	require.NotEmpty(t, forTests)
	for pkg := range forTests {
		require.Equal(t, []string{rapid}, foreign(t, module+"/"+pkg), pkg)
	}
}

// foreign returns the dependencies of packages that are neither in the standard library nor ours.
func foreign(t *testing.T, packages ...string) []string {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}"}, packages...)...)
	cmd.Dir = root
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	require.NoError(t, err)
	var others []string
	for _, p := range strings.Fields(string(out)) {
		if _, own := ours(p); !own {
			others = append(others, p)
		}
	}
	return others
}

// Each case breaks one rule, once, unless it shows allowed code.
func TestRules(t *testing.T) {
	lines := func(n int) string { return strings.Repeat("\n", n) }
	for _, c := range []struct {
		rule, path, text string
		want             string // part of the one violation, or "" for none
	}{
		{"own imports", "rollout/x.go", `package rollout; import "github.com/kplan-go/kplan/podorder"`, "rollout may not import podorder"},
		{"own imports", "rollout/x.go", `package rollout; import "github.com/kplan-go/kplan/rollout/partition"`, "rollout may not import rollout/partition"},
		{"own imports", "rollout/workload/x.go", `package workload; import "github.com/kplan-go/kplan/revision"`, ""},
		{"own imports", "rollout/argo/x.go", `package argo; import "github.com/kplan-go/kplan/rollout/workload"`, "rollout/argo may not import rollout/workload"},
		{"own imports", "selector/x.go", `package selector; import "github.com/kplan-go/kplan/revision"`, "selector may not import revision"},
		{"own imports", "selector/x.go", `package selector; import "github.com/kplan-go/kplan/internal/base/paged"`, "selector may not import internal/base/paged"},
		{"own imports", "podorder/x.go", `package podorder; import "github.com/kplan-go/kplan/selector"`, ""},
		{"own imports", "internal/base/field/x.go", `package field; import "github.com/kplan-go/kplan/rollout"`, "internal/base/field may not import rollout"},
		{"own imports", "replicaset/x.go", `package replicaset; import "github.com/kplan-go/kplan/deploy"`, "replicaset may not import deploy"},
		{"own imports", "daemonset/x.go", `package daemonset; import "github.com/kplan-go/kplan/deploy"`, "daemonset may not import deploy"},
		{"own imports", "deploy/x.go", `package deploy; import "github.com/kplan-go/kplan/replicaset"`, ""},
		{"own imports", "deploy/x.go", `package deploy; import "github.com/kplan-go/kplan/deploy/reason"`, ""},
		{"own imports", "deploy/x.go", `package deploy; import "github.com/kplan-go/kplan/daemonset/reason"`, "deploy may not import daemonset/reason"},
		{"own imports", "deploy/reason/x.go", `package reason; import "github.com/kplan-go/kplan/deploy"`, "deploy/reason may not import deploy"},
		{"own imports", "deploy/x.go", `package deploy; import "github.com/kplan-go/kplan/internal/verify/scenario"`, "deploy may not import internal/verify/scenario"},
		{"own imports", "deploy/x_test.go", `package deploy; import "github.com/kplan-go/kplan/internal/verify/purity"`, ""},
		{"own imports", "internal/verify/scenario/x.go", `package scenario; import "github.com/kplan-go/kplan/deploy"`, ""},
		{"own imports", "examples/simulator/x.go", `package main; import "github.com/kplan-go/kplan/deploy"`, ""},
		{"own imports", "deploy/x.go", `package deploy; import "github.com/kplan-go/kplan/deploy/deploytest"`, "deploy may not import deploy/deploytest"},
		{"own imports", "deploy/deploytest/x.go", `package deploytest; import "github.com/kplan-go/kplan/deploy"`, ""},
		{"own imports", "deploy/deploytest/x.go", `package deploytest; import "github.com/kplan-go/kplan/internal/verify/scenario"`, "deploy/deploytest may not import internal/verify/scenario"},
		{"own imports", "internal/new/x.go", `package new`, "not in the table"},

		{"own imports", "deploy/x.go", `package deploy; import "github.com/kplan-go/kplan"`, ""},
		{"own imports", "x.go", `package kplan; import "github.com/kplan-go/kplan/selector"`, ". may not import selector"},

		{"aliases", "deploy/x.go", `package deploy; type Event = kplan.Event`, "alias Event"},
		{"aliases", "deploy/x.go", `package deploy; type Hold = kplan.Hold[Reason]`, "alias Hold"},
		{"aliases", "deploy/x.go", `package deploy; type Planner = func(Snapshot) Plan; type event = kplan.Event`, ""},

		{"modules", "kube/x.go", `package kube; import "github.com/kplan-go/kplan/internal/base/ptr"`, "the module kube imports internal/base/ptr"},
		{"modules", "examples/kplan/x.go", `package main; import "github.com/kplan-go/kplan/rollout/sim/internal/store"`, "the module examples/kplan imports rollout/sim/internal/store"},
		{"modules", "kube/argo/x.go", `package argo; import "github.com/kplan-go/kplan/kube/internal/valid"`, ""},
		{"modules", "kube/x_test.go", `package kube; import "github.com/kplan-go/kplan/internal/verify/total"`, ""},
		{"modules", "examples/simulator/x.go", `package main; import "github.com/kplan-go/kplan/internal/base/ptr"`, ""},

		{"other imports", "deploy/x.go", `package deploy; import "github.com/kplan-go/kplan"`, ""},
		{"other imports", "deploy/x.go", `package deploy; import "os"`, "import of os"},
		{"other imports", "deploy/x.go", `package deploy; import "math/rand"`, "import of math/rand"},
		{"other imports", "deploy/x.go", `package deploy; import "reflect"`, "import of reflect"},
		{"other imports", "deploy/x.go", `package deploy; import "sort"`, "import of sort"},
		{"other imports", "deploy/x.go", `package deploy; import "github.com/google/go-cmp/cmp"`, "go-cmp"},
		{"other imports", "deploy/x.go", `package deploy; import "pgregory.net/rapid"`, "import of pgregory.net/rapid"},
		{"other imports", "deploy/deploytest/x.go", `package deploytest; import "pgregory.net/rapid"`, ""},
		{"other imports", "deploy/deploytest/x.go", `package deploytest; import "github.com/google/go-cmp/cmp"`, "go-cmp"},
		{"other imports", "deploy/deploytest/x.go", `package deploytest; import "os"`, "import of os"},
		{"other imports", "deploy/x.go", `package deploy; import clock "time"`, "name of its own"},
		{"other imports", "deploy/x.go", `package deploy; import . "time"`, "name of its own"},
		{"other imports", "deploy/x.go", `package deploy; import "time"; import "hash/fnv"; import "github.com/kplan-go/kplan/rollout"`, ""},
		{"other imports", "deploy/x_test.go", `package deploy; import "os"`, ""},
		{"other imports", "internal/verify/purity/x.go", `package purity; import "reflect"`, ""},
		{"other imports", "internal/base/union/x.go", `package union; import "reflect"`, ""},
		{"other imports", "internal/base/union/x.go", `package union; import "unsafe"`, "import of unsafe"},

		{"pure", "deploy/x.go", `package deploy; import "time"; func f() time.Time { return time.Now() }`, "time.Now"},
		{"pure", "deploy/x.go", `package deploy; import "time"; var f = time.Now`, "time.Now"},
		{"pure", "deploy/x.go", `package deploy; import "time"; func f(t time.Time) bool { return time.Since(t) > 0 }`, "time.Since"},
		{"pure", "deploy/x.go", `package deploy; import "time"; func f(t time.Time) bool { return time.Until(t) > 0 }`, "time.Until"},
		{"pure", "deploy/x.go", `package deploy; import "time"; func f() { time.After(1) }`, "time.After"},
		{"pure", "deploy/x.go", `package deploy; import "time"; func f() { time.Tick(1) }`, "time.Tick"},
		{"pure", "deploy/x.go", `package deploy; import "time"; func f() { time.Sleep(1) }`, "time.Sleep"},
		{"pure", "deploy/x.go", `package deploy; import "time"; func f() { time.NewTimer(1) }`, "time.NewTimer"},
		{"pure", "deploy/x.go", `package deploy; import "time"; func f(t time.Time) { _ = t.Local() }`, "Local"},
		{"pure", "deploy/x.go", `package deploy; import "time"; func f(t time.Time) bool { return t.After(t) }`, ""},
		{"pure", "deploy/x.go", `package deploy; type c struct{}; func (c) Now() {}; func f(time c) { time.Now() }`, ""},
		{"pure", "deploy/x.go", `package deploy; func f() { go f() }`, "go statement"},
		{"pure", "deploy/x.go", `package deploy; func f(c <-chan int) {}`, "channel"},
		{"pure", "deploy/x.go", `package deploy; func f() { select {} }`, "select"},
		{"pure", "deploy/x.go", `package deploy; func f() { c <- 1 }`, "send"},
		{"pure", "deploy/x.go", `package deploy; func f() { <-c }`, "receive"},
		{"pure", "deploy/x.go", `package deploy; import "fmt"; func f() { fmt.Println() }`, "fmt.Println"},
		{"pure", "deploy/x.go", `package deploy; import "fmt"; func f() { fmt.Printf("") }`, "fmt.Printf"},
		{"pure", "deploy/x.go", `package deploy; import "fmt"; func f() { fmt.Scan() }`, "fmt.Scan"},
		{"pure", "deploy/x.go", `package deploy; import "fmt"; func f() { fmt.Sprintf("") }`, ""},
		{"pure", "deploy/x.go", `package deploy; func f() { print() }`, "print"},
		{"pure", "deploy/x.go", `package deploy; func f() { println() }`, "println"},
		{"pure", "deploy/x.go", `package deploy; func f() { panic("") }`, "panic"},
		{"pure", "internal/base/tracked/x.go", `package tracked; func f() { panic("") }`, "panic"},
		{"pure", "internal/base/tracked/self.go", `package tracked; func f() { panic("") }`, ""},
		{"pure", "internal/base/tracked/self.go", `package tracked; func f() { recover() }`, "recover"},
		{"pure", "deploy/x.go", `package deploy; func f() { recover() }`, "recover"},
		{"pure", "deploy/x_test.go", `package deploy; func f() { panic("") }`, ""},
		{"pure", "kube/x.go", `package kube; func f() { panic("") }`, ""},

		{"state", "deploy/x.go", `package deploy; var cache = map[string]int{}`, "package variable cache"},
		{"state", "deploy/x.go", `package deploy; var n int`, "package variable n"},
		{"state", "deploy/x.go", `package deploy; var errs = 1`, "package variable errs"},
		{"state", "deploy/x.go", `package deploy; var ErrFoo = f()`, "package variable ErrFoo"},
		{"state", "deploy/x.go", `package deploy; var ErrFoo error`, "package variable ErrFoo"},
		{"state", "deploy/x.go", `package deploy; var _ = f()`, "package variable _"},
		{"state", "deploy/x.go", `package deploy; import "errors"; var ErrFoo = errors.New("foo")`, ""},
		{"state", "deploy/x.go", `package deploy; var ErrInvalid = kplan.ErrInvalid`, "package variable ErrInvalid"},
		{"state", "deploy/x.go", `package deploy; var _ Action = Scale{}`, ""},
		{"state", "deploy/x.go", `package deploy; func f() { var n int; _ = n }`, ""},
		{"state", "deploy/x.go", `package deploy; func init() {}`, "init"},
		{"state", "deploy/x.go", `package deploy; type t int; func (t) init() {}`, ""},

		{"size", "deploy/x.go", "package deploy\nfunc f() {" + lines(60) + "}\n", "function f has 61 lines"},
		{"size", "deploy/x.go", "package deploy\nfunc f() {" + lines(59) + "}\n", ""},
		{"size", "deploy/x.go", "package deploy" + lines(401), "401 lines"},
		{"size", "deploy/x.go", "package deploy" + lines(400), ""},
		{"size", "deploy/x_test.go", "package deploy" + lines(500), ""},

		{"place", "x.go", `package kplan`, ""},
		{"place", "deploy/util/x.go", `package util`, "package name util"},
		{"place", "kube/types/x.go", `package kubetypes`, "package name types"},
		{"place", "deploy/x.go", `package common`, "package name common"},
		{"place", "deploy/helpers/x_test.go", `package helpers_test`, "package name helpers"},
		{"place", "deploy/api/v1/x.go", `package v1`, "package name api"},
		{"place", "deploy/x.go", `package deploy`, ""},

		{"comments", "deploy/x.go", "package deploy\nfunc F() {}", "comment of F"},
		{"comments", "deploy/deploytest/x.go", "package deploytest\nfunc F() {}", "comment of F"},
		{"comments", "deploy/x.go", "package deploy\n// Returns 1.\nfunc F() {}", "comment of F"},
		{"comments", "deploy/x.go", "package deploy\n// F\nfunc F() {}", "comment of F"},
		{"comments", "deploy/x.go", "package deploy\n// F returns.\nfunc F() {}", ""},
		{"comments", "deploy/x.go", "package deploy\n// T is.\ntype T int\nfunc (t *T) F() {}", "comment of F"},
		{"comments", "deploy/x.go", "package deploy\ntype t int\nfunc (t) F() {}\nfunc f() {}", ""},
		{"comments", "deploy/x.go", "package deploy\ntype T int", "comment of T"},
		{"comments", "deploy/x.go", "package deploy\n// A T is.\ntype T int", ""},
		{"comments", "deploy/x.go", "package deploy\n// Both.\ntype (\n// T is.\nT int\nU int\n)", "comment of U"},
		{"comments", "deploy/x.go", "package deploy\nconst C = 1", "comment of C"},
		{"comments", "deploy/x.go", "package deploy\n// C is.\nconst C = 1", ""},
		{"comments", "deploy/x.go", "package deploy\nconst (\nC = 1\n)", "comment of C"},
		{"comments", "deploy/x.go", "package deploy\nconst (\nC = 1 // one\n)", ""},
		{"comments", "deploy/x.go", "package deploy\n// All of them.\nconst (\nC = 1\nD = 2\n)", ""},
		{"comments", "deploy/x.go", "package deploy\n// All of them.\nconst (\n// Another is.\nC = 1\n)", "comment of C"},
		{"comments", "deploy/x.go", "package deploy\nvar ErrX = f()", "comment of ErrX"},
	} {
		t.Run(c.rule+" "+c.want, func(t *testing.T) {
			f, err := parse(c.path, c.text)
			require.NoError(t, err)
			got := rules[c.rule](f)
			if c.want == "" {
				require.Empty(t, got, c.text)
				return
			}
			require.Len(t, got, 1, c.text)
			require.Contains(t, got[0], c.want)
			require.True(t, strings.HasPrefix(got[0], c.path+":"), "a violation names its place: %s", got[0])
		})
	}
}
