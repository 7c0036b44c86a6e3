package main

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Terms of the transaction that is about to be signed. Take them from the transaction, not from the permit.
type Terms struct {
	WithdrawalID string `json:"withdrawal_id,omitempty"`
	Chain        string `json:"chain"`
	Coin         string `json:"coin"`
	ToAddress    string `json:"to_address"`
	Amount       string `json:"amount"`
	Memo         string `json:"memo,omitempty"`
}

// Result of a verification. Only OK permits signing. Field is the header, claim or term at fault, if any.
type Result struct {
	OK    bool   `json:"ok"`
	Code  string `json:"code,omitempty"`
	Field string `json:"field,omitempty"`
}

func refused(code, field string) Result { return Result{Code: code, Field: field} }

// KeySet is the gate's /.well-known/jwks.json.
type KeySet struct {
	Keys []struct {
		Kty, Crv, Use, Alg, Kid, X string
	} `json:"keys"`
}

// Find returns the Ed25519 key of that name, or nil.
func (set KeySet) Find(kid string) ed25519.PublicKey {
	for _, key := range set.Keys {
		if key.Kid != kid || key.Kty != "OKP" || key.Crv != "Ed25519" || (key.Use != "" && key.Use != "sig") || (key.Alg != "" && key.Alg != "EdDSA") {
			continue
		}
		if raw, ok := decode(key.X); ok && len(raw) == ed25519.PublicKeySize {
			return raw
		}
	}
	return nil
}

const maxPermitLength = 4096
const aheadSeconds = 5

// Verify says whether the gate of the keys allowed exactly these terms, and whether the permit is valid at now, in Unix seconds.
// It cannot know whether the permit was used or revoked: redeem it before signing.
func Verify(permit string, keys KeySet, issuer string, expected Terms, now float64) Result {
	parts := strings.Split(permit, ".")
	if len(permit) > maxPermitLength || len(parts) != 3 {
		return refused("MALFORMED", "")
	}
	header, err1 := parseExact(parts[0])
	claims, err2 := parseExact(parts[1])
	signature, ok := decode(parts[2])
	if err1 != nil || err2 != nil || !ok {
		return refused("MALFORMED", "")
	}
	// Before the key is looked up: the permit's own algorithm must not choose how it is verified.
	if header["alg"] != "EdDSA" {
		return refused("WRONG_ALGORITHM", "alg")
	}
	if header["typ"] != "weir-permit+jwt" {
		return refused("NOT_UNDERSTOOD", "typ")
	}
	for name := range header {
		if !slices.Contains([]string{"alg", "kid", "typ"}, name) {
			return refused("NOT_UNDERSTOOD", name)
		}
	}
	kid, isString := header["kid"].(string)
	if !isString || kid == "" {
		return refused("NOT_UNDERSTOOD", "kid")
	}
	key := keys.Find(kid)
	if key == nil {
		return refused("UNKNOWN_KEY", "")
	}
	if len(signature) != ed25519.SignatureSize || !ed25519.Verify(key, []byte(parts[0]+"."+parts[1]), signature) {
		return refused("BAD_SIGNATURE", "")
	}
	if field := faultyClaim(claims); field != "" {
		return refused("NOT_UNDERSTOOD", field)
	}
	if claims["iss"] != issuer {
		return refused("WRONG_ISSUER", "iss")
	}
	if iat, _ := count(claims["iat"]); float64(iat) > now+aheadSeconds {
		return refused("NOT_YET_VALID", "iat")
	}
	if exp, _ := count(claims["exp"]); now >= float64(exp) {
		return refused("EXPIRED", "exp")
	}
	if field := mismatch(claims, expected); field != "" {
		return refused("MISMATCH", field)
	}
	return Result{OK: true}
}

// Each claim that a permit must have, and what it may be. A permit with another claim is of another version.
var claimChecks = []struct {
	name    string
	isRight func(any) bool
}{
	{"iss", isText},
	{"sub", isText},
	{"jti", isID},
	{"iat", isCount},
	{"exp", isCount},
	// Empty for an unknown coin without a chain, which a reviewer may have allowed.
	{"chain", func(value any) bool { return value == "" || isText(value) }},
	{"coin", isText},
	{"to_address", isText},
	{"amount", func(value any) bool { text, ok := value.(string); return ok && canonicalAmount(text) == text }},
	{"screening_id", isID},
	{"revision", isCount},
}

func faultyClaim(claims map[string]any) string {
	for name := range claims {
		known := name == "memo"
		for _, check := range claimChecks {
			known = known || check.name == name
		}
		if !known {
			return name
		}
	}
	if memo, has := claims["memo"]; has && !isText(memo) {
		return "memo"
	}
	for _, check := range claimChecks {
		if value, has := claims[check.name]; !has || !check.isRight(value) {
			return check.name
		}
	}
	return ""
}

func isText(value any) bool {
	text, ok := value.(string)
	return ok && text != "" && len(utf16.Encode([]rune(text))) <= 256
}

var idShape = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)

func isID(value any) bool {
	text, ok := value.(string)
	return ok && idShape.MatchString(text)
}

func isCount(value any) bool {
	_, ok := count(value)
	return ok
}

func count(value any) (int64, bool) {
	number, ok := value.(json.Number)
	if !ok {
		return 0, false
	}
	parsed, err := strconv.ParseInt(number.String(), 10, 64)
	return parsed, err == nil && parsed > 0 && parsed <= 1<<53-1
}

func mismatch(claims map[string]any, expected Terms) string {
	memo, _ := claims["memo"].(string)
	switch {
	case expected.WithdrawalID != "" && claims["sub"] != expected.WithdrawalID:
		return "withdrawal_id"
	case claims["chain"] != expected.Chain:
		return "chain"
	case claims["coin"] != expected.Coin:
		return "coin"
	case claims["to_address"] != normalAddress(expected.ToAddress):
		return "to_address"
	case memo != expected.Memo:
		return "memo"
	case claims["amount"] != canonicalAmount(expected.Amount):
		return "amount"
	}
	return ""
}

var amountShape = regexp.MustCompile(`^(0|[1-9][0-9]{0,77})(?:\.([0-9]{1,36}))?$`)

// canonicalAmount returns the amount without superfluous zeros, or "" when the text is no decimal number.
func canonicalAmount(text string) string {
	match := amountShape.FindStringSubmatch(text)
	if match == nil {
		return ""
	}
	if digits := strings.TrimRight(match[2], "0"); digits != "" {
		return match[1] + "." + digits
	}
	return match[1]
}

var caseless = regexp.MustCompile(`(?i)^(0x([0-9a-f]{40}|[0-9a-f]{64})|(bc|ltc|addr|cosmos)1[02-9ac-hj-np-z]+|bitcoincash:[02-9ac-hj-np-z]+)$`)

// normalAddress writes hexadecimal and bech32 in lower case, as the gate does. Other forms must be the gate's own.
func normalAddress(address string) string {
	lower := strings.ToLower(address)
	isOneCase := strings.HasPrefix(lower, "0x") || address == lower || address == strings.ToUpper(address)
	if caseless.MatchString(address) && isOneCase {
		return lower
	}
	return address
}

// decode reads base64url without padding. It refuses line ends and bits that do not count, so that a permit has one spelling.
func decode(text string) ([]byte, bool) {
	raw, err := base64.RawURLEncoding.DecodeString(text)
	return raw, err == nil && text != "" && base64.RawURLEncoding.EncodeToString(raw) == text
}

// parseExact reads one flat JSON object in the gate's own encoding: no blanks, no name twice. Readers differ about anything else.
func parseExact(part string) (map[string]any, error) {
	wrong := errors.New("not in the encoding of the gate")
	raw, ok := decode(part)
	if !ok || !utf8.Valid(raw) {
		return nil, wrong
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	if token, err := decoder.Token(); err != nil || token != json.Delim('{') {
		return nil, wrong
	}
	values := map[string]any{}
	var fields []string
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return nil, err
		}
		value, err := decoder.Token()
		if err != nil {
			return nil, err
		}
		text, isName := name.(string)
		if _, isDelim := value.(json.Delim); isDelim || !isName {
			return nil, wrong
		}
		values[text] = value
		fields = append(fields, encode(text)+":"+encode(value))
	}
	if _, err := decoder.Token(); err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, wrong
	}
	if len(values) != len(fields) || "{"+strings.Join(fields, ",")+"}" != string(raw) {
		return nil, wrong
	}
	return values, nil
}

func encode(value any) string {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if encoder.Encode(value) != nil {
		return ""
	}
	// JSON.stringify leaves these two as they are.
	return strings.NewReplacer(`\u2028`, "\u2028", `\u2029`, "\u2029").Replace(strings.TrimSuffix(out.String(), "\n"))
}
