// SPDX-License-Identifier: Apache-2.0

//go:build js && wasm

// Command wasm is the playground in a browser. It adds a function kplan to the page, which takes
// an input as JSON and returns the output as JSON.
package main

import (
	"encoding/json"
	"syscall/js"

	"github.com/kplan-go/kplan/examples/kplan/internal/playground"
)

func main() {
	js.Global().Set("kplan", js.FuncOf(func(_ js.Value, args []js.Value) any {
		var in playground.Input
		var out playground.Output
		if err := json.Unmarshal([]byte(args[0].String()), &in); err != nil {
			out.Error = err.Error()
		} else {
			out = playground.Answer(in)
		}
		text, err := json.Marshal(out)
		if err != nil {
			panic(err) // impossible: Output has only strings
		}
		return string(text)
	}))
	select {}
}
