// A sample of a signer: it signs a transaction only under a permit of Weir's gate. It needs nothing but Go's standard library.
//
//	signer vectors vectors.json    verifies test vectors and prints the results
//	signer sign < request.json     verifies and redeems {"permit": …, "terms": {…}} at GATE_URL with the token GATE_TOKEN, then would sign
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"
)

func main() {
	var err error
	switch {
	case len(os.Args) == 3 && os.Args[1] == "vectors":
		err = verifyVectors(os.Args[2])
	case len(os.Args) == 2 && os.Args[1] == "sign":
		err = sign(os.Stdin)
	default:
		err = errors.New("usage: signer vectors FILE, or signer sign < request.json")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "signer:", err)
		os.Exit(1)
	}
}

type vectors struct {
	JWKS   KeySet `json:"jwks"`
	Issuer string `json:"issuer"`
	Cases  []struct {
		Name     string  `json:"name"`
		Permit   string  `json:"permit"`
		Expected Terms   `json:"expected"`
		Now      float64 `json:"now"`
	} `json:"cases"`
}

func verifyVectors(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var given vectors
	if err := json.Unmarshal(text, &given); err != nil {
		return err
	}
	results := []Result{}
	for _, each := range given.Cases {
		results = append(results, Verify(each.Permit, given.JWKS, given.Issuer, each.Expected, each.Now))
	}
	return json.NewEncoder(os.Stdout).Encode(results)
}

type request struct {
	Permit string `json:"permit"`
	Terms  Terms  `json:"terms"`
}

var client = &http.Client{
	Timeout:       5 * time.Second,
	CheckRedirect: func(*http.Request, []*http.Request) error { return errors.New("a redirect is not followed") },
}

func sign(input io.Reader) error {
	var wanted request
	if err := json.NewDecoder(io.LimitReader(input, 65_536)).Decode(&wanted); err != nil {
		return fmt.Errorf("the request is not readable: %w", err)
	}
	gate := os.Getenv("GATE_URL")
	var keys KeySet
	if err := ask("GET", gate+"/.well-known/jwks.json", nil, &keys); err != nil {
		return fmt.Errorf("not signed: KEYS_UNAVAILABLE: %w", err)
	}
	now := float64(time.Now().UnixMilli()) / 1000
	if result := Verify(wanted.Permit, keys, "weir", wanted.Terms, now); !result.OK {
		return fmt.Errorf("not signed: %s %s", result.Code, result.Field)
	}
	// Last before the signature: the gate answers 200 once for each withdrawal, and knows what was revoked.
	redemption := map[string]string{
		"permit": wanted.Permit, "chain": wanted.Terms.Chain, "coin": wanted.Terms.Coin,
		"to_address": wanted.Terms.ToAddress, "amount": wanted.Terms.Amount,
	}
	if wanted.Terms.Memo != "" {
		redemption["memo"] = wanted.Terms.Memo
	}
	if err := ask("POST", gate+"/v1/permits/redeem", redemption, nil); err != nil {
		return fmt.Errorf("not signed: %w", err)
	}
	fmt.Println("redeemed: sign and send")
	return nil
}

func ask(method, url string, body, answer any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	asked, err := http.NewRequest(method, url, bytes.NewReader(text))
	if err != nil {
		return err
	}
	asked.Header.Set("Content-Type", "application/json")
	asked.Header.Set("Authorization", "Bearer "+os.Getenv("GATE_TOKEN"))
	response, err := client.Do(asked)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	read, err := io.ReadAll(io.LimitReader(response.Body, 65_536))
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		var problem struct{ Code string }
		_ = json.Unmarshal(read, &problem)
		return fmt.Errorf("HTTP %d %s", response.StatusCode, problem.Code)
	}
	if answer == nil {
		return nil
	}
	return json.Unmarshal(read, answer)
}
