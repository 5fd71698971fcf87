// SPDX-License-Identifier: Apache-2.0

package chart

import (
	"fmt"
	"strings"
	"time"
)

// A tick is a labelled position on an axis.
type tick struct {
	Value float64
	Label string
}

// timeTicks returns ticks at round times, with labels such as 1m30s.
func timeTicks(least, most float64) []tick {
	const labels = 8
	step := 1.0
	for _, candidate := range []float64{1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 6 * 3600, 86400} {
		step = candidate
		if (most-least)/candidate <= labels {
			break
		}
	}
	return ticks(least, most, step, func(v float64) string {
		text := (time.Duration(v) * time.Second).String()
		if strings.HasSuffix(text, "m0s") {
			text = strings.TrimSuffix(text, "0s")
		}
		if strings.HasSuffix(text, "h0m") {
			text = strings.TrimSuffix(text, "0m")
		}
		return text
	})
}

// wholeTicks returns ticks at whole numbers: the first, and at most the given number of others.
func wholeTicks(least, most float64, labels int) []tick {
	step := 1.0
	for i := 0; (most-least)/step > float64(labels); i++ {
		step *= []float64{2, 2.5, 2}[i%3] // 1, 2, 5, 10 and so on
	}
	return ticks(least, most, step, func(v float64) string { return fmt.Sprint(int64(v)) })
}

func ticks(least, most, step float64, label func(float64) string) []tick {
	var list []tick
	for i := 0; least+float64(i)*step <= most; i++ {
		v := least + float64(i)*step
		list = append(list, tick{Value: v, Label: label(v)})
	}
	return list
}
