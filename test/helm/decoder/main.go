// Decodes objects of Kubernetes strictly. Reads a JSON array from stdin and writes a JSON array of problems to stdout.
package main

import (
	"encoding/json"
	"fmt"
	"os"

	monitoring "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/kubernetes/scheme"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	if err := monitoring.AddToScheme(scheme.Scheme); err != nil {
		return err
	}
	decoder := serializer.NewCodecFactory(scheme.Scheme, serializer.EnableStrict).UniversalDeserializer()
	var objects []json.RawMessage
	if err := json.NewDecoder(os.Stdin).Decode(&objects); err != nil {
		return err
	}
	problems := []string{}
	for _, object := range objects {
		if _, _, err := decoder.Decode(object, nil, nil); err != nil {
			var named struct {
				Kind     string
				Metadata struct{ Name string }
			}
			_ = json.Unmarshal(object, &named)
			problems = append(problems, fmt.Sprintf("%s %s: %v", named.Kind, named.Metadata.Name, err))
		}
	}
	return json.NewEncoder(os.Stdout).Encode(problems)
}
