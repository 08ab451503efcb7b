// Command compare writes tax numbers, access keys and municipal codes with this provider's verdicts, for compare.mjs,
// which asks two public libraries about the same. It reads the municipal codes from stdin.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
)

const count = 5000

type verdict struct {
	Number string `json:"number"`
	Valid  bool   `json:"valid"`
}

func main() {
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // The same numbers each time.
	numbers := map[string][]verdict{}
	for i := range count {
		sound := i%2 == 0
		cpf := number(random, 11, isTaxNumber, sound)
		cnpj := number(random, 14, isTaxNumber, sound)
		key := fmt.Sprintf("35%02d%02d", random.IntN(27), 1+random.IntN(12)) + number(random, 14, isTaxNumber, true) +
			fmt.Sprintf("55%03d%09d1%08d", random.IntN(900), 1+random.IntN(1e8), random.IntN(1e8))
		numbers["cpf"] = append(numbers["cpf"], verdict{cpf, isTaxNumber(cpf)})
		numbers["cnpj"] = append(numbers["cnpj"], verdict{cnpj, isTaxNumber(cnpj)})
		whole := completed(random, key, 1, isAccessKey, sound)
		numbers["accessKey"] = append(numbers["accessKey"], verdict{whole, isAccessKey(whole)})
	}
	cities := []verdict{}
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		cities = append(cities, verdict{lines.Text(), isCity(lines.Text())})
	}
	if err := json.NewEncoder(os.Stdout).Encode(map[string]any{"numbers": numbers, "cities": cities}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// number is a random one, which has its check digits if it is to be sound.
func number(random *rand.Rand, length int, valid func(string) bool, sound bool) string {
	digits := make([]byte, length-2)
	for i := range digits {
		digits[i] = byte('0' + random.IntN(10))
	}
	return completed(random, string(digits), 2, valid, sound)
}

// completed appends the last digits: those that are right, or random ones.
func completed(random *rand.Rand, begun string, missing int, valid func(string) bool, sound bool) string {
	limit := 10
	if missing == 2 {
		limit = 100
	}
	for n := range limit {
		if whole := begun + fmt.Sprintf("%0*d", missing, n); sound && valid(whole) {
			return whole
		}
	}
	return begun + fmt.Sprintf("%0*d", missing, random.IntN(limit))
}

func isTaxNumber(s string) bool {
	return fiscal.CheckTaxNumber(s) == nil && fiscal.TaxNumberKind(s) != fiscal.KindForeign
}

func isAccessKey(s string) bool {
	_, err := fiscal.ParseAccessKey(s)
	return err == nil
}

func isCity(code string) bool {
	place := map[string]any{
		"description": "x", "federalServiceCode": "1.07", "cityServiceCode": "1",
		"total": map[string]any{"invoiceAmount": json.Number("1")}, "location": map[string]any{"code": json.Number(code)},
	}
	return len(fiscal.CheckPayload("serviceInvoice", place, "", "")) == 0
}
