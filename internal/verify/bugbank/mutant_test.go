// SPDX-License-Identifier: Apache-2.0

package bugbank_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"
)

const root = "../../.."

// A mutant is a change of the sources that brings a bug back. It identifies code by its content, so
// that it survives moves and renamed variables.
type mutant struct {
	// place is a folder, followed by a colon and a function or method if the code also occurs
	// elsewhere: "deploy:state.scale".
	place string
	// old is an expression or statements that occur once in the place. As in the rules of "gofmt
	// -r", a name of one lower-case letter matches any expression, everywhere the same, except
	// after a dot.
	old string
	// becomes is the replacement, with the same letters.
	becomes string
}

// apply returns a file, and its text with the bug.
func (m mutant) apply() (file, text string, err error) {
	pattern, err := parsePattern(m.old)
	if err != nil {
		return "", "", err
	}
	folder, function, _ := strings.Cut(m.place, ":")
	files, err := filepath.Glob(filepath.Join(root, folder, "*.go"))
	if err != nil {
		return "", "", err
	}
	var found []string
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		source, err := os.ReadFile(name)
		if err != nil {
			return "", "", err
		}
		places, err := pattern.search(string(source), function)
		if err != nil {
			return "", "", err
		}
		for _, p := range places {
			found = append(found, name)
			file, text = name, string(source[:p.from])+p.fill(m.becomes)+string(source[p.to:])
		}
	}
	if len(found) != 1 {
		return "", "", fmt.Errorf("%s has %q %d times, not once: %q", m.place, m.old, len(found), found)
	}
	if unchanged, err := os.ReadFile(file); err != nil || string(unchanged) == text {
		return "", "", fmt.Errorf("%s: the mutant changes nothing (%v)", m.place, err)
	}
	return file, text, nil
}

// A pattern is code with letters that match expressions.
type pattern struct {
	expression ast.Expr // or
	statements []ast.Stmt
}

func parsePattern(code string) (pattern, error) {
	if x, err := parser.ParseExpr(code); err == nil {
		return pattern{expression: x}, nil
	}
	list, err := parser.ParseFile(token.NewFileSet(), "", "package p\nfunc _() {\n"+code+"\n}", parser.SkipObjectResolution)
	if err != nil {
		return pattern{}, fmt.Errorf("%q is neither an expression nor statements: %w", code, err)
	}
	return pattern{statements: list.Decls[0].(*ast.FuncDecl).Body.List}, nil
}

// An occurrence is a match of a pattern in a source, with the expressions of its letters.
type occurrence struct {
	from, to int
	letters  map[string]string
}

// fill returns code with the letters replaced.
func (o occurrence) fill(code string) string {
	var out strings.Builder
	before := ""
	for word := range words(code) {
		if text, ok := o.letters[word]; ok && !strings.HasSuffix(before, ".") {
			out.WriteString(text)
		} else {
			out.WriteString(word)
		}
		before = word
	}
	return out.String()
}

// words splits code into names and the text between them.
func words(code string) func(func(string) bool) {
	return func(yield func(string) bool) {
		letter := func(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
		for code != "" {
			first := letter([]rune(code)[0])
			n := strings.IndexFunc(code, func(r rune) bool { return letter(r) != first })
			if n < 0 {
				n = len(code)
			}
			if !yield(code[:n]) {
				return
			}
			code = code[n:]
		}
	}
}

// search returns where the pattern occurs in a function, or in all.
func (p pattern) search(source, function string) (found []occurrence, err error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "", source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	add := func(from, to token.Pos, ok bool, m *matcher) {
		if ok {
			found = append(found, occurrence{files.Position(from).Offset, files.Position(to).Offset, m.letters})
		}
	}
	for _, d := range file.Decls {
		if function != "" && function != nameOf(d) {
			continue
		}
		ast.Inspect(d, func(n ast.Node) bool {
			m := &matcher{files: files, source: source, letters: map[string]string{}}
			if x, ok := n.(ast.Expr); ok && p.expression != nil {
				add(n.Pos(), n.End(), m.match(reflect.ValueOf(p.expression), reflect.ValueOf(x)), m)
				return true
			}
			list := statementsOf(n)
			for i := 0; p.expression == nil && i+len(p.statements) <= len(list); i++ {
				m := &matcher{files: files, source: source, letters: map[string]string{}}
				part := list[i : i+len(p.statements)]
				add(part[0].Pos(), part[len(part)-1].End(), m.match(reflect.ValueOf(p.statements), reflect.ValueOf(part)), m)
			}
			return true
		})
	}
	return found, nil
}

func statementsOf(n ast.Node) []ast.Stmt {
	switch n := n.(type) {
	case *ast.BlockStmt:
		return n.List
	case *ast.CaseClause:
		return n.Body
	case *ast.CommClause:
		return n.Body
	}
	return nil
}

// nameOf returns the name of a function, or of a method with its type.
func nameOf(d ast.Decl) string {
	f, ok := d.(*ast.FuncDecl)
	if !ok {
		return ""
	}
	if f.Recv == nil {
		return f.Name.Name
	}
	t := f.Recv.List[0].Type
	if star, ok := t.(*ast.StarExpr); ok {
		t = star.X
	}
	if generic, ok := t.(*ast.IndexExpr); ok {
		t = generic.X
	}
	return t.(*ast.Ident).Name + "." + f.Name.Name
}

// A matcher compares syntax, and records the expressions of letters.
type matcher struct {
	files   *token.FileSet
	source  string
	letters map[string]string
}

var (
	positionType = reflect.TypeFor[token.Pos]()
	commentType  = reflect.TypeFor[*ast.CommentGroup]()
)

// match reports whether b is a, apart from positions and comments.
func (m *matcher) match(a, b reflect.Value) bool {
	if a.Kind() == reflect.Interface {
		a = a.Elem()
	}
	if b.Kind() == reflect.Interface {
		b = b.Elem()
	}
	if !a.IsValid() || !b.IsValid() {
		return a.IsValid() == b.IsValid()
	}
	if name, ok := a.Interface().(*ast.Ident); ok && name != nil && len(name.Name) == 1 && unicode.IsLower(rune(name.Name[0])) {
		return m.learn(name.Name, b)
	}
	if a.Type() != b.Type() {
		return false
	}
	if field, ok := a.Interface().(ast.SelectorExpr); ok { // a field is no letter
		other := b.Interface().(ast.SelectorExpr)
		return field.Sel.Name == other.Sel.Name && m.match(reflect.ValueOf(field.X), reflect.ValueOf(other.X))
	}
	switch a.Type() {
	case positionType:
		return a.Int() > 0 == (b.Int() > 0) // such as the "=" of an alias, or "..."
	case commentType:
		return true
	}
	switch a.Kind() {
	case reflect.Pointer:
		return a.IsNil() == b.IsNil() && (a.IsNil() || m.match(a.Elem(), b.Elem()))
	case reflect.Struct:
		for i := range a.NumField() {
			if !m.match(a.Field(i), b.Field(i)) {
				return false
			}
		}
		return true
	case reflect.Slice:
		for i := range a.Len() {
			if i >= b.Len() || !m.match(a.Index(i), b.Index(i)) {
				return false
			}
		}
		return a.Len() == b.Len()
	default:
		return a.Equal(b)
	}
}

func (m *matcher) learn(letter string, b reflect.Value) bool {
	x, ok := b.Interface().(ast.Expr)
	if !ok {
		return false
	}
	text := m.source[m.files.Position(x.Pos()).Offset:m.files.Position(x.End()).Offset]
	known, ok := m.letters[letter]
	m.letters[letter] = text
	return !ok || known == text
}

func TestMutantsAreFound(t *testing.T) {
	const source = "package p\n\nfunc (st *state) f() int {\n\tif st.n > 0 {\n\t\tst.plan = st.plan[:0]\n\t\treturn st.m\n\t}\n\treturn min(st.m, 0)\n}\n\nfunc g(n, m int) int { return min(m, 0) }\n"
	for name, c := range map[string]struct {
		old, function, becomes string
		want                   []string
	}{
		"an expression, whatever the variable": {"s.n > 0", "", "s.n > 1", []string{"st.n > 1"}},
		"the same letter, the same code":       {"s.plan = s.plan[:0]\nreturn s.m", "", "return 7", []string{"return 7"}},
		"another code":                         {"s.plan = t.n", "", "", nil},
		"twice":                                {"min(m, 0)", "", "m", []string{"st.m", "m"}},
		"once in a function":                   {"min(m, 0)", "g", "m", []string{"m"}},
		"once in a method":                     {"min(m, 0)", "state.f", "m", []string{"st.m"}},
		"a field is no letter":                 {"s.k > 0", "", "", nil},
		"nor is a longer name":                 {"state.n > 0", "", "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := parsePattern(c.old)
			require.NoError(t, err)
			found, err := p.search(source, c.function)
			require.NoError(t, err)
			var got []string
			for _, o := range found {
				got = append(got, o.fill(c.becomes))
			}
			require.ElementsMatch(t, c.want, got)
		})
	}
	_, err := parsePattern("if {")
	require.Error(t, err)
}
