// SPDX-License-Identifier: Apache-2.0

package kubectl_test

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/revision/kubectl"
)

func cause(text string) func(*revision.Entry) {
	return annotation(kubectl.AnnotationChangeCause, text)
}

func templateCause(text string) func(*revision.Entry) {
	return func(e *revision.Entry) { e.TemplateAnnotations = texts{kubectl.AnnotationChangeCause: text} }
}

func TestChangeCause(t *testing.T) {
	for _, c := range []struct {
		why  string
		e    revision.Entry
		want string
	}{
		{"none", revision.Entry{}, ""},
		{"its own", entry("a", "1", cause("x")), "x"},
		{"its own comes first", entry("a", "1", cause("x"), templateCause("y")), "x"},
		{"else that of its template", entry("a", "1", templateCause("y")), "y"},
		{"an empty one is none", entry("a", "1", cause(""), templateCause("y")), "y"},
	} {
		requireSame(t, c.why, c.want, kubectl.ChangeCause(c.e))
	}
}

func TestHistory(t *testing.T) {
	for _, c := range []struct {
		why     string
		list    []revision.Entry
		want    []kubectl.Row
		skipped string
	}{
		{"nothing", nil, []kubectl.Row{}, ""},
		{"lowest first", entries("3", "1"), []kubectl.Row{{Number: 1, Source: 1}, {Number: 3}}, ""},
		{"missing is 0", entries("1", "-"), []kubectl.Row{{Source: 1}, {Number: 1}}, ""},
		{"one that does not parse is skipped", entries("bad", "1", ""), []kubectl.Row{{Number: 1, Source: 1}}, "a c"},
		{"of equal ones the youngest", entries("1", "1"), []kubectl.Row{{Number: 1, Source: 1}}, ""},
		{"or the current one", []revision.Entry{entry("x", "1", at(0), cause("current")), entry("b", "1", at(1))},
			[]kubectl.Row{{Number: 1, Cause: "current"}}, ""},
	} {
		t.Run(c.why, func(t *testing.T) {
			rows, skipped := kubectl.History(c.list, template("x"))
			if len(c.want) == 0 {
				require.Empty(t, rows, c.why)
			} else {
				requireSame(t, c.why, c.want, rows)
			}
			requireSame(t, c.why, c.skipped, named(c.list, skipped))
		})
	}
}

func TestShow(t *testing.T) {
	rows := []kubectl.Row{{Number: 1}, {Number: 3, Cause: "x"}}
	all, err := kubectl.Show(rows, 0)
	require.NoError(t, err)
	require.Equal(t, rows, all, "0 is all of them")
	one, err := kubectl.Show(rows, 3)
	require.NoError(t, err)
	require.Equal(t, rows[1:], one)
	_, err = kubectl.Show(rows, 2)
	require.EqualError(t, err, "unable to find the specified revision")
	_, err = kubectl.Show(nil, 1)
	require.EqualError(t, err, "unable to find the specified revision")
	_, err = kubectl.Show(rows, -1)
	require.EqualError(t, err, "revision must be a positive integer: -1")
}

func TestFormatTable(t *testing.T) {
	for _, c := range []struct {
		why  string
		rows []kubectl.Row
		want string
	}{
		{"nothing is a sentence without an end of line", nil, "No rollout history found."},
		{"columns are two blanks apart", []kubectl.Row{{Number: 1}, {Number: 3, Cause: "foo change cause"}},
			"REVISION  CHANGE-CAUSE\n1         <none>\n3         foo change cause\n"},
		{"long numbers widen the first column", []kubectl.Row{{Number: 1 << 40, Cause: "x"}},
			"REVISION       CHANGE-CAUSE\n1099511627776  x\n"},
		{"a tab in a cause begins a column", []kubectl.Row{{Number: 1, Cause: "a\tb"}, {Number: 2, Cause: "longer\tc"}},
			"REVISION  CHANGE-CAUSE\n1         a       b\n2         longer  c\n"},
		{"a line break in a cause ends all columns", []kubectl.Row{{Number: 1, Cause: "a\nb"}, {Number: 2, Cause: "c"}},
			"REVISION  CHANGE-CAUSE\n1         a\nb\n2  c\n"},
		{"characters are counted, not bytes", []kubectl.Row{{Number: 1, Cause: "éé\tb"}, {Number: 2, Cause: "abc\tc"}},
			"REVISION  CHANGE-CAUSE\n1         éé   b\n2         abc  c\n"},
	} {
		t.Run(c.why, func(t *testing.T) {
			requireSame(t, c.why, c.want, kubectl.FormatTable(c.rows))
			requireSame(t, c.why, c.want, slowTable(c.rows))
		})
	}
}

// slowTable is the table as the standard library sets it.
func slowTable(rows []kubectl.Row) string {
	if len(rows) == 0 {
		return "No rollout history found."
	}
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 8, 2, ' ', 0)
	fmt.Fprint(w, "REVISION\tCHANGE-CAUSE\n")
	for _, row := range rows {
		text := row.Cause
		if text == "" {
			text = "<none>"
		}
		fmt.Fprintf(w, "%d\t%s\n", row.Number, text)
	}
	w.Flush()
	return b.String()
}

func TestFormatTableOracle(t *testing.T) {
	causes := rapid.StringMatching("[a-cé\t\n\v\f]{0,8}")
	rapid.Check(t, func(t *rapid.T) {
		var rows []kubectl.Row
		for range rapid.IntRange(0, 5).Draw(t, "rows") {
			rows = append(rows, kubectl.Row{Number: rapid.Int64().Draw(t, "number"), Cause: causes.Draw(t, "cause")})
		}
		if got, want := kubectl.FormatTable(rows), slowTable(rows); got != want {
			t.Fatalf("got\n%q\nwant\n%q", got, want)
		}
	})
}

func FuzzFormatTable(f *testing.F) {
	f.Add(int64(1), "a\tb\nc", "")
	f.Add(int64(-1), "\f\v\t\t", "é")
	f.Fuzz(func(t *testing.T, number int64, cause1, cause2 string) {
		if strings.Contains(cause1+cause2, "\xff") {
			t.Skip("the byte that no text has is an escape in the standard library")
		}
		rows := []kubectl.Row{{Number: number, Cause: cause1}, {Number: 2, Cause: cause2}}
		require.Equal(t, slowTable(rows), kubectl.FormatTable(rows))
	})
}

func TestReport(t *testing.T) {
	status := func(replicas, updated, available int32) kubectl.DeploymentStatus {
		return kubectl.DeploymentStatus{Replicas: replicas, UpdatedReplicas: updated, AvailableReplicas: available}
	}
	late := status(3, 3, 3)
	late.ProgressingReason = "ProgressDeadlineExceeded"
	waiting := func(what string) string {
		return `Waiting for deployment "web" rollout to finish: ` + what + "...\n"
	}
	for _, c := range []struct {
		why      string
		r        kubectl.Deployment
		revision int64
		text     string
		done     bool
		err      string
	}{
		{"done", kubectl.Deployment{Replicas: ptr.To(int32(3)), Status: status(3, 3, 3)}, 0, "deployment \"web\" successfully rolled out\n", true, ""},
		{"not seen yet", kubectl.Deployment{Generation: 1, Status: late}, 0, "Waiting for deployment spec update to be observed...\n", false, ""},
		{"too late", kubectl.Deployment{Replicas: ptr.To(int32(3)), Status: late}, 0, "", false, `deployment "web" exceeded its progress deadline`},
		{"not all are new", kubectl.Deployment{Replicas: ptr.To(int32(3)), Status: status(4, 2, 2)}, 0,
			waiting("2 out of 3 new replicas have been updated"), false, ""},
		{"unset replicas are not compared", kubectl.Deployment{Status: status(2, 2, 2)}, 0, "deployment \"web\" successfully rolled out\n", true, ""},
		{"old ones are left", kubectl.Deployment{Replicas: ptr.To(int32(3)), Status: status(5, 3, 1)}, 0,
			waiting("2 old replicas are pending termination"), false, ""},
		{"not all are available", kubectl.Deployment{Replicas: ptr.To(int32(3)), Status: status(3, 3, 1)}, 0,
			waiting("1 of 3 updated replicas are available"), false, ""},
		{"another revision, before all else", kubectl.Deployment{Generation: 1, Annotations: annotated("4"), Status: late}, 3, "", false,
			"desired revision (3) is different from the running revision (4)"},
		{"this revision", kubectl.Deployment{Annotations: annotated("4")}, 4, "deployment \"web\" successfully rolled out\n", true, ""},
		{"no revision is 0", kubectl.Deployment{}, 1, "", false, "desired revision (1) is different from the running revision (0)"},
		{"one that does not parse", kubectl.Deployment{Annotations: annotated("bad")}, 1, "", false,
			`cannot get the revision of deployment "web": strconv.ParseInt: parsing "bad": invalid syntax`},
		{"it matters only if one is asked for", kubectl.Deployment{Annotations: annotated("bad")}, 0,
			"deployment \"web\" successfully rolled out\n", true, ""},
	} {
		t.Run(c.why, func(t *testing.T) {
			c.r.Name = "web"
			text, done, err := c.r.Report(c.revision)
			requireSame(t, c.why, c.text, text)
			requireSame(t, c.why, c.done, done)
			if c.err != "" {
				require.EqualError(t, err, c.err, c.why)
				return
			}
			require.NoError(t, err, c.why)
		})
	}
	_, _, err := kubectl.Deployment{Annotations: annotated("bad")}.Report(1)
	require.ErrorAs(t, err, new(*strconv.NumError), "the cause can be found")
}

func TestPauseResumeRestart(t *testing.T) {
	require.NoError(t, kubectl.Pause(false))
	require.EqualError(t, kubectl.Pause(true), "is already paused")
	require.NoError(t, kubectl.Resume(true))
	require.EqualError(t, kubectl.Resume(false), "is not paused")
	now := time.Date(2026, 3, 4, 5, 6, 7, 8, time.FixedZone("", 3600))
	set, err := kubectl.Restart(false, now)
	require.NoError(t, err)
	require.Equal(t, texts{"kubectl.kubernetes.io/restartedAt": "2026-03-04T05:06:07+01:00"}, set)
	set, err = kubectl.Restart(true, now)
	require.EqualError(t, err, "can't restart paused deployment (run rollout resume first)")
	require.Nil(t, set)
}

func TestRefusalText(t *testing.T) {
	require.EqualError(t, &kubectl.Refusal{Reason: "Unheard of"}, "Unheard of", "one that this package does not make")
	require.EqualError(t, &kubectl.Refusal{Reason: kubectl.RefusedNoHistory, Name: `a"b`}, `no rollout history found for deployment "a\"b"`)
	require.NotErrorIs(t, &kubectl.Refusal{Reason: kubectl.RefusedPaused}, kplan.ErrInvalid, "nothing was wrong with the input")
	require.NoError(t, errors.Unwrap(&kubectl.Refusal{}))
}
