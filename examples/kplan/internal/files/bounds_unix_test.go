// SPDX-License-Identifier: Apache-2.0

//go:build unix

package files

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

const small = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {selector: {matchLabels: {app: web}}}\n"

// pass takes objects and does nothing with them.
func pass(*unstructured.Unstructured, string) error { return nil }

// endless gives a text again and again.
type endless struct{ text string }

func (e endless) Read(b []byte) (n int, err error) {
	for n < len(b) {
		n += copy(b[n:], e.text)
	}
	return n, nil
}

// TestBoundedInput: what has no end, or is too large, ends with one line that says so.
func TestBoundedInput(t *testing.T) {
	defer func(d time.Duration) { pipeTimeout = d }(pipeTimeout)
	pipeTimeout = 50 * time.Millisecond
	dir := t.TempDir()
	fifo, silent := filepath.Join(dir, "fifo"), filepath.Join(dir, "silent")
	require.NoError(t, syscall.Mkfifo(fifo, 0o600))
	require.NoError(t, syscall.Mkfifo(silent, 0o600))
	writer, err := os.OpenFile(silent, os.O_RDWR, 0)
	require.NoError(t, err)
	defer writer.Close()
	large := strings.Repeat("x", maxObject)
	for name, tt := range map[string]struct {
		file  string
		stdin io.Reader
		want  string
	}{
		"zeros":         {"/dev/zero", nil, "/dev/zero: is no text: it has a NUL byte"},
		"no writer":     {fifo, nil, fifo + ": nothing came through this pipe for 50ms"},
		"silent writer": {silent, nil, silent + ": nothing came through this pipe for 50ms"},
		"one line":      {"-", endless{"x"}, "standard input: " + errLarge.Error()},
		"many lines":    {"-", endless{"a: b\n"}, "standard input: " + errLarge.Error()},
		"JSON":          {"-", io.MultiReader(strings.NewReader(`{"a": [`), endless{"1, "}), "standard input: " + errLarge.Error()},
		"large value":   {"-", strings.NewReader(small + "---\ndata: " + large), "standard input: " + errLarge.Error()},
		"large item":    {"-", strings.NewReader(`{"items": [{"kind": "X", "data": "` + large + `"}]}`), "standard input: " + errLarge.Error()},
	} {
		t.Run(name, func(t *testing.T) {
			begin := time.Now()
			err := Source{Names: []string{tt.file}, Stdin: tt.stdin}.Each(pass)
			require.EqualError(t, err, tt.want)
			require.Less(t, time.Since(begin), time.Minute, "machines differ, but it ends")
		})
	}
}

// TestPipeWithoutWriter: the user is told, once, that nobody has written to a pipe, and the writer
// may still come.
func TestPipeWithoutWriter(t *testing.T) {
	defer func(d time.Duration) { waitingDelay = d }(waitingDelay)
	waitingDelay = 50 * time.Millisecond
	for _, silent := range []bool{false, true} {
		fifo := filepath.Join(t.TempDir(), "fifo")
		require.NoError(t, syscall.Mkfifo(fifo, 0o600))
		if silent { // one that does not write yet
			writer, err := os.OpenFile(fifo, os.O_RDWR, 0)
			require.NoError(t, err)
			defer writer.Close()
		}
		told, n := 0, 0
		waiting := func(file string) {
			require.Equal(t, fifo, file)
			told++
			go func() { _ = os.WriteFile(fifo, []byte(small+"---\n"), 0) }()
		}
		err := Source{Names: []string{fifo}, Waiting: waiting}.Each(func(*unstructured.Unstructured, string) error { n++; return io.EOF })
		require.ErrorIs(t, err, io.EOF)
		require.Equal(t, []int{1, 1}, []int{told, n})
	}
}

// TestPipe: a pipe is read to its end although its writer comes late.
func TestPipe(t *testing.T) {
	fifo := filepath.Join(t.TempDir(), "fifo")
	require.NoError(t, syscall.Mkfifo(fifo, 0o600))
	go func() {
		time.Sleep(60 * time.Millisecond)
		_ = os.WriteFile(fifo, []byte(small), 0)
	}()
	n := 0
	require.NoError(t, Source{Names: []string{fifo}}.Each(func(*unstructured.Unstructured, string) error { n++; return nil }))
	require.Equal(t, 1, n)
}

// TestSplit: lists are the same, however they are written.
func TestSplit(t *testing.T) {
	read := func(text string) (names []string) {
		r := &reader{file: "f", use: func(u *unstructured.Unstructured, _ string) error {
			names = append(names, u.GetAPIVersion()+" "+u.GetKind()+" "+u.GetName())
			return nil
		}}
		require.NoError(t, r.end(split(strings.NewReader(text), r.add)), text)
		return names
	}
	one := "apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n"
	kubectl := "apiVersion: v1\nitems:\n- apiVersion: v1\n  kind: Pod\n  metadata:\n    name: a\n    text: |\n      - b\n      items:\n# comment\n\n- apiVersion: v1\n  kind: Pod\n  metadata:\n    name: b\nkind: List\nmetadata:\n  items: x\n"
	for text, want := range map[string][]string{
		"{kind: Pod, metadata: {name: a}}\n---\n{kind: Pod}": {" Pod a", " Pod "},
		one: {"v1 Pod a"}, one + "--- # next\n" + one: {"v1 Pod a", "v1 Pod a"}, "---\n\n---\n# nothing\n": nil, "": nil, "\n\n  \n": nil,
		kubectl: {"v1 Pod a", "v1 Pod b"},
		strings.ReplaceAll(kubectl, "\n", "\r\n"):                                                    {"v1 Pod a", "v1 Pod b"},
		kubectl + "---\n" + kubectl:                                                                  {"v1 Pod a", "v1 Pod b", "v1 Pod a", "v1 Pod b"},
		"kind: List\nitems:\n  - kind: Pod\n    metadata: {name: a}\n":                               {" Pod a"},
		"items: []\nkind: List\n":                                                                    nil,
		"apiVersion: v1\nitems:\n- metadata: {name: a}\n- metadata: {name: b}\nkind: PodList\n":      {"v1 Pod a", "v1 Pod b"},
		`{"apiVersion":"v1","items":[{"metadata":{"name":"a"}}],"kind":"PodList"}{"kind":"Pod"}`:     {"v1 Pod a", " Pod "},
		`{"kind":"List","items":[{"kind":"List","items":[{"kind":"Pod","metadata":{"name":"a"}}]}]}`: {" Pod a"},
		"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\nitems: null\n":                        {"v1 ConfigMap a"},
		`{"apiVersion":"v1","kind":"ConfigMap","items":null,"metadata":{"name":"a"}}`:                {"v1 ConfigMap a"},
		"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\nitems: 3\n":                           {"v1 ConfigMap a"},
	} {
		require.Equal(t, want, read(text), text)
	}
	for _, file := range []string{"live/history.yaml", "rollout/traffic.yaml", "daemonset/surge.yaml"} {
		text, err := os.ReadFile("../../testdata/" + file)
		require.NoError(t, err)
		asJSON, err := yaml.YAMLToJSON(text)
		require.NoError(t, err)
		require.Equal(t, read(string(asJSON)), read(string(text)), file)
		require.Greater(t, len(read(string(text))), 5)
	}
}

// TestSyntaxLine: an error names the line of the file.
func TestSyntaxLine(t *testing.T) {
	err := Source{Names: []string{"-"}, Stdin: strings.NewReader(small + "---\n" + small + "a: b: c\n")}.Each(pass)
	require.EqualError(t, err, "standard input: yaml: line 10: mapping values are not allowed in this context")
	for _, line := range []string{"replicas: {{ .Values.replicas }}", "{{- if .Values.enabled }}"} {
		err := Source{Names: []string{"-"}, Stdin: strings.NewReader(small + line + "\n")}.Each(pass)
		require.EqualError(t, err, "standard input: looks like a Helm template; render it first, as with helm template")
	}
}

// TestMemory: a large file of many objects takes no more memory at once than twice its
// length.
func TestMemory(t *testing.T) {
	for _, form := range []string{"documents", "list", "JSON"} {
		var text bytes.Buffer
		for i := range 6_000 {
			item := fmt.Sprintf("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c%d\n  namespace: default\ndata:\n  a: %s\n", i, strings.Repeat("x", 3000))
			switch form {
			case "documents":
				text.WriteString("---\n" + item)
			case "list":
				text.WriteString("- " + strings.ReplaceAll(strings.TrimSpace(item), "\n", "\n  ") + "\n")
			case "JSON":
				b, err := yaml.YAMLToJSON([]byte(item))
				require.NoError(t, err)
				text.Write(append(b, ",\n"...))
			}
		}
		size := uint64(text.Len())
		in := io.Reader(&text)
		switch form {
		case "list":
			in = io.MultiReader(strings.NewReader("apiVersion: v1\nitems:\n"), in, strings.NewReader("kind: List\n---\n"+small))
		case "JSON":
			in = io.MultiReader(strings.NewReader(`{"items": [`), in, strings.NewReader(`{"kind":"End"}], "kind": "List"}`))
		}
		most, before := uint64(0), heap()
		n := 0
		r := &reader{file: "f", use: func(*unstructured.Unstructured, string) error {
			if n++; n%100 == 0 {
				most = max(most, heap())
			}
			return nil
		}}
		require.NoError(t, r.end(split(in, r.add)))
		require.GreaterOrEqual(t, n, 6_000, form)
		t.Logf("%s: %d MB, of memory %d MB more", form, size>>20, (most-min(most, before))>>20)
		require.Less(t, most-min(most, before), size, form) // what was written to memory as the file is not counted
	}
}

// heap returns how much memory is in use.
func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
