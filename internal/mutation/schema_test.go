//go:build unix

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// sample has operators in every place that a schema treats in its own way.
const sample = `package sample

import "time"

const limit = 7 - 2

type weight int8

type pair struct {
	n [4 - 2]int
	p *int
}

func generic[T int | float64](a, b T) T { return a*b - a }

func choose(n int, w weight, d time.Duration, s string, p *pair) (out []any) {
	add := func(v ...any) { out = append(out, v...) }
	add(n < 5, 5 <= n, n+1 > n*2, n != limit, w*2-w/3, w%2 == 0 && n >= -1)
	add(p == nil, nil != p, p != nil && p.p == nil, s == "a", s+"b" == "ab", "a"+"b" != s)
	add(d > time.Second, d+2*time.Minute, -d, -n, -w, generic(n, 3), generic(1.5, float64(n)))
	for i := 0; i < 2 && n < 90; i++ {
		n++
		w--
	}
	for i := 3; i > 0 && i < 9 &&
		n > 0; i-- {
		if x := n * 2; x%3 == 0 || (struct{ a int }{x}) == (struct{ a int }{n}) {
			add(x, i)
		}
	}
	switch {
	case n < 0:
		w++
	case n >= 8, func() bool { return n+n == 4 }():
		add(n - -1)
	}
	switch n {
	case -2 + 4:
		add("two")
	case limit - 1:
		add("four")
	}
	q := pair{}
	q.n[1]++
	q.n[2-1]--
	return append(out, n, w, q.n, len(q.n)*2)
}

func Results() (out []any) {
	defer func() {
		if recover() != nil {
			out = append(out, "panic")
		}
	}()
	for i := range 15 {
		n := i - 3
		out = append(out, choose(n, weight(n), time.Duration(n)*time.Second, "a", &pair{})...)
	}
	return append(out, choose(2, 3, 4, "ab", nil)...)
}
`

// program prints the results of the package that its argument names.
const program = `package main

import (
	"fmt"
	"os"
	%s
)

func main() {
	fmt.Println(map[string]func() []any{%s}[os.Args[1]]())
}
`

// A package that asks at run time which mutant is on behaves as if that mutant were
// its source.
func TestSchema(t *testing.T) {
	dir, original := t.TempDir(), t.TempDir()
	write := func(name, text string) {
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o777))
		require.NoError(t, os.WriteFile(name, []byte(text), 0o666))
	}
	write(filepath.Join(original, "go.mod"), "module sample\n\ngo 1.26\n")
	write(filepath.Join(original, "sample.go"), sample)
	imports, err := setup{golang: "go"}.exports(original)
	require.NoError(t, err)
	s, err := parseSchema(original, imports)
	require.NoError(t, err)

	var lines, entries []string
	add := func(pkg string) {
		lines = append(lines, fmt.Sprintf("%s %q", pkg, "sample/"+pkg))
		entries = append(entries, fmt.Sprintf("%q: %s.Results", pkg, pkg))
	}
	write(filepath.Join(dir, "go.mod"), "module sample\n\ngo 1.26\n")
	write(filepath.Join(dir, "schema/sample.go"), string(s.edited(0)))
	write(filepath.Join(dir, "schema/switch.go"), s.switchSource())
	add("schema")
	ids := map[string]int{}
	for pkg, mutant := range textMutants() {
		write(filepath.Join(dir, pkg, "sample.go"), mutant)
		k, err := mutated(original, filepath.Join(dir, pkg))
		require.NoError(t, err)
		id, held := s.table[k]
		switch {
		case held && id == doesNotCompile:
			require.Error(t, exec.Command("go", "vet", filepath.Join(dir, pkg)).Run())
			fallthrough
		case !held:
			require.NoError(t, os.RemoveAll(filepath.Join(dir, pkg)))
		default:
			ids[pkg] = id
			add(pkg)
		}
	}
	require.Greater(t, len(ids), 60)
	write(filepath.Join(dir, "main.go"), fmt.Sprintf(program, strings.Join(lines, "\n\t"), strings.Join(entries, ", ")))

	build := exec.Command("go", "build", "-o", "program", ".")
	build.Dir, build.Env = dir, append(os.Environ(), "GOWORK=off")
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	results := func(pkg string, id int) string {
		cmd := exec.CommandContext(t.Context(), filepath.Join(dir, "program"), pkg)
		cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d", variable, id))
		out, err := cmd.Output()
		require.NoError(t, err)
		return string(out)
	}
	differ := 0
	for pkg, id := range ids {
		want := results(pkg, 0)
		require.Equal(t, want, results("schema", id), pkg)
		if want != results("schema", 0) {
			differ++
		}
	}
	require.Greater(t, differ, len(ids)*9/10)
}

// textMutants returns the sample with each operator changed in turn.
func textMutants() map[string]string {
	mutants := map[string]string{}
	offsets, tokens := lex([]byte(sample))
	for i, was := range tokens {
		for op, others := range mutations {
			if op.String() != was {
				continue
			}
			for _, to := range others {
				at := offsets[i]
				mutants[fmt.Sprintf("m%d_%d", i, int(to))] = sample[:at] + to.String() + sample[at+len(was):]
			}
		}
	}
	return mutants
}
