package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
)

// customers is a configuration of n customers as they usually are, but for their
// documents: check digits would make the configuration the dearest part.
func customers(n int) string {
	return fmt.Sprintf(`
resource "einvoice_customer" "test" {
  count              = %d
  name               = "Cliente ${count.index}"
  federal_tax_number = "UY-${100000 + count.index}"
  email              = "fiscal@cliente.example"
  address = {
    street      = "Rua Augusta"
    number      = "200"
    postal_code = "01304-000"
    city        = { code = "3550308" }
  }
}
`, n)
}

func products(n int) string {
	return fmt.Sprintf(`resource "einvoice_product" "test" {
  count = %d
  name = "Pão ${count.index}"
  code = "P-${count.index}"
  price = 1.5
}
`, n)
}

func webhooks(n int) string {
	return fmt.Sprintf(`resource "einvoice_webhook" "test" {
  count = %d
  event = "invoice.authorized"
  url = "https://hook.example/${count.index}"
}
`, n)
}

func companies(n int) string {
	numbers := make([]string, n)
	for i := range numbers {
		numbers[i] = fmt.Sprintf("%q", cnpj(i))
	}
	return fmt.Sprintf(`
resource "einvoice_company" "test" {
  count               = %d
  name                = "Filial ${count.index}"
  legal_name          = "Padaria Ltda"
  federal_tax_number  = [%s][count.index]
  deletion_protection = false
  address             = { city = { code = "3550308" } }
}
`, n, strings.Join(numbers, ", "))
}

// cnpj is the number of the i-th branch of a company that is made up.
func cnpj(i int) string {
	for digits := range 100 {
		if number := fmt.Sprintf("11222333%04d%02d", i+2, digits); fiscal.CheckTaxNumber(number) == nil {
			return number
		}
	}
	panic("no digits check")
}

func invoices(n int) string {
	return fmt.Sprintf(`
resource "einvoice_invoice_issuance" "test" {
  count          = %d
  model          = "serviceInvoice"
  integration_id = "order-${count.index}"
  payload_json = jsonencode({
    description        = "Consulting"
    federalServiceCode = "17.01"
    total              = { invoiceAmount = 100 }
  })
}
`, n)
}

// datedInvoices is a configuration of n invoices of one date.
func datedInvoices(n int, date time.Time) string {
	return fmt.Sprintf(`
resource "einvoice_invoice_issuance" "test" {
  count          = %d
  model          = "serviceInvoice"
  integration_id = "order-${count.index}"
  payload_json = jsonencode({
    description        = "Consulting"
    federalServiceCode = "17.01"
    effectiveDate      = %q
    total              = { invoiceAmount = 100 }
  })
}
`, n, date.Format(time.RFC3339))
}

// orders is a configuration of n orders, each of which the service invoices at once.
func orders(n int, _ time.Time) string {
	return fmt.Sprintf(`
resource "einvoice_order" "test" {
  count          = %d
  transaction_id = "sale-${count.index}"
  amount         = 100
  customer       = { name = "Maria", federal_tax_number = "52998224725" }
  items = [{
    quantity = 4
    price    = 25
    amount   = 100
    product  = { code = "S1", name = "Consulta", invoice_model = "serviceInvoice" }
  }]
}
`, n)
}
