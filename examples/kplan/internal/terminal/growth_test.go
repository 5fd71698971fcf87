// SPDX-License-Identifier: Apache-2.0

package terminal

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// longTexts are texts of so many characters that lines are broken in all ways: anywhere, between
// words, behind what people break at, and in blanks.
func longTexts(n int) map[string]string {
	return map[string]string{
		"one word":    strings.Repeat("x", n),
		"words":       strings.Repeat("seven ", n/6),
		"image":       strings.Repeat("x/", n/2),
		"blanks":      "x" + strings.Repeat(" ", n-2) + "y",
		"wide":        strings.Repeat("漢", n),
		"hidden":      strings.Repeat("\u200b", n/6),
		"word, words": strings.Repeat("x", n/2) + strings.Repeat(" y", n/4),
	}
}

// writers write a text in each of the ways that commands have.
var writers = map[string]func(w *Writer, text string){
	"first column": func(w *Writer, text string) {
		t := NewTable("A", "B")
		t.Row(text, "b")
		t.WriteTo(w)
	},
	"last column": func(w *Writer, text string) {
		t := NewTable("A", "B", "C")
		t.Row("a", "b", text)
		t.WriteTo(w)
	},
	"both": func(w *Writer, text string) {
		t := NewTable("A", "B")
		t.Row(text, text)
		t.WriteTo(w)
	},
	"line":  func(w *Writer, text string) { w.Printf("It is %s.\n", text) },
	"label": func(w *Writer, text string) { w.Printf("Label:  %s\n", text) },
	"parts": func(w *Writer, text string) {
		w.Printf("It is %s", text)
		w.Printf(", and %v", Text{Bad, text})
		w.Printf(".\n")
	},
	"lines": func(w *Writer, text string) { w.Lines("  ", text+"\n"+text) },
	"JSON":  func(w *Writer, text string) { w.JSON(map[string]string{"a": text}) },
	"YAML":  func(w *Writer, text string) { w.YAML(map[string]string{"a": text}) },
}

// work returns how many characters a writer measures for a text, and how many bytes it allocates,
// which is how many it copies.
func work(write func(*Writer, string), text string, width int) (measured, copied int) {
	defer func() { measure = nextCells }()
	measure = func(text string) (cells, size int) {
		measured++
		return nextCells(text)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	write(NewWriter(io.Discard).Within(width), text)
	runtime.ReadMemStats(&after)
	return measured, int(after.TotalAlloc - before.TotalAlloc)
}

// TestWorkGrowsAsTheText: a text that is eight times as long takes eight times the work, and not
// sixty-four times, wherever it stands and however it can be broken.
func TestWorkGrowsAsTheText(t *testing.T) {
	const short, times, most = 5_000, 8, 16
	for what, write := range writers {
		for kind, text := range longTexts(short) {
			for _, width := range []int{0, 60} {
				measured, copied := work(write, text, width)
				more, copies := work(write, longTexts(short * times)[kind], width)
				require.Less(t, more, most*max(measured, short), "%s, %s, width %d: characters measured", what, kind, width)
				require.Less(t, copies, most*max(copied, 64*short), "%s, %s, width %d: bytes copied", what, kind, width)
			}
		}
	}
}

// TestOneLongCellOfManyRows: where lines have no limit, one long cell makes no other row as long.
func TestOneLongCellOfManyRows(t *testing.T) {
	table := NewTable("A", "B")
	table.Row(strings.Repeat("x", 100_000), "long")
	for range 1000 {
		table.Row("y", "short")
	}
	text := written(0, false, table.WriteTo)
	require.Less(t, len(text), 100_000+1001*(mostAligned+20))
	require.Contains(t, text, "x  long\n")
	require.Contains(t, text, "\ny"+strings.Repeat(" ", mostAligned+gap-1)+"short\n")
}

// BenchmarkText writes a word of so many characters in each way.
func BenchmarkText(b *testing.B) {
	for what, write := range writers {
		for n := 1000; n <= 1_000_000; n *= 10 {
			b.Run(fmt.Sprintf("%s/%d", strings.ReplaceAll(what, " ", "-"), n), func(b *testing.B) {
				text := strings.Repeat("x", n)
				b.ReportAllocs()
				b.SetBytes(int64(n))
				for range b.N {
					write(NewWriter(io.Discard).Within(80), text)
				}
			})
		}
	}
}
