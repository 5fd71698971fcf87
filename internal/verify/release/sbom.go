// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// sbom checks a bill of materials of a program, in the JSON of CycloneDX: NOTICE has to
// name the licence of each module in it. It returns the number of modules.
func sbom(root, file string) (int, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0, err
	}
	var bill struct {
		Format     string `json:"bomFormat"`
		Components []struct{ Name, Version string }
	}
	if err := json.Unmarshal(text, &bill); err != nil {
		return 0, err
	}
	if bill.Format != "CycloneDX" || len(bill.Components) == 0 {
		return 0, fmt.Errorf("%s lists nothing in the format of CycloneDX", file)
	}
	known, err := os.ReadFile(filepath.Join(root, "NOTICE"))
	if err != nil {
		return 0, err
	}
	modules := 0
	for _, c := range bill.Components {
		if isOurs(c.Name) || c.Name == "std" {
			continue
		}
		modules++
		if !strings.Contains(string(known), "\n"+c.Name+" "+c.Version+": ") {
			return 0, fmt.Errorf("%s %s is linked, and NOTICE does not name its licence", c.Name, c.Version)
		}
	}
	return modules, nil
}
