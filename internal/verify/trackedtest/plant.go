// SPDX-License-Identifier: Apache-2.0

package trackedtest

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// planted is the environment variable with the number of the active bug.
const planted = "KPLAN_PLANTED"

// plant compiles the tests of the package in the working directory with all bugs, and returns the
// program; [planted] selects the bug. Compiling takes longer than finding most bugs, so one program
// has a function body for each bug, and one without.
func plant(t *testing.T, bugs []Bug) string {
	dir := t.TempDir()
	replace := map[string]string{}
	write := func(path, text string) {
		if replace[path] != "" {
			return // planted.go, once per package
		}
		to := filepath.Join(dir, fmt.Sprint(len(replace), ".go"))
		require.NoError(t, os.WriteFile(to, []byte(text), 0o600))
		replace[path] = to
	}
	files := map[string][]int{}
	for i := range bugs {
		path, err := filepath.Abs(bugs[i][1])
		require.NoError(t, err)
		files[path] = append(files[path], i)
	}
	for path, list := range files {
		text, name := bodies(t, path, bugs, list)
		write(path, text)
		write(filepath.Join(filepath.Dir(path), "planted.go"), fmt.Sprintf(
			"package %s\nimport (\"os\"; \"strconv\")\nvar planted, _ = strconv.Atoi(os.Getenv(%q))\n", name, planted))
	}
	list, err := json.Marshal(map[string]any{"Replace": replace})
	require.NoError(t, err)
	overlay, program := filepath.Join(dir, "overlay.json"), filepath.Join(dir, "planted.test")
	require.NoError(t, os.WriteFile(overlay, list, 0o600))
	out, err := exec.Command("go", "test", "-c", "-vet=off", "-ldflags=-s -w", "-overlay", overlay, "-o", program, ".").CombinedOutput()
	require.NoError(t, err, "%s", out)
	return program
}

// bodies returns a file with a function body for each bug, by number, and the name of its package.
func bodies(t *testing.T, path string, bugs []Bug, list []int) (text, name string) {
	source, err := os.ReadFile(path)
	require.NoError(t, err)
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, path, source, 0)
	require.NoError(t, err)
	text = string(source)
	for k := len(file.Decls) - 1; k >= 0; k-- { // from the end, so that earlier offsets stay valid
		f, is := file.Decls[k].(*ast.FuncDecl)
		if !is {
			continue
		}
		begin, end := fset.Position(f.Body.Lbrace).Offset+1, fset.Position(f.Body.Rbrace).Offset
		body, others := string(source[begin:end]), ""
		for _, i := range list {
			if !strings.Contains(body, bugs[i][2]) {
				continue
			}
			others += fmt.Sprintf("\nif planted == %d {%s", i+1, strings.Replace(body, bugs[i][2], bugs[i][3], 1))
			if f.Type.Results == nil {
				others += "\nreturn\n"
			}
			others += "}\n"
		}
		text = text[:begin] + others + text[begin:]
	}
	return text, file.Name.Name
}
