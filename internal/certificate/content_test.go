package certificate

import (
	"crypto/x509"
	"testing"
	"time"

	"software.sslmate.com/src/go-pkcs12"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

func TestReadCertificate_findsTheOneOfTheKey(t *testing.T) {
	t.Parallel()
	expires := time.Date(2027, 3, 1, 12, 0, 0, 0, time.UTC)
	authority, certificate, key := fixture.CertificateChain(t, fixture.TestOwner, expires)
	encode := func(with *pkcs12.Encoder, first *x509.Certificate, others ...*x509.Certificate) []byte {
		t.Helper()
		file, err := with.Encode(key, first, others, fixture.TestPFXPassword)
		if err != nil {
			t.Fatal(err)
		}
		return file
	}
	want := certificateContent{owner: fixture.TestOwner, expires: expires}
	for _, test := range []struct {
		name     string
		file     []byte
		password string
		want     certificateContent
	}{
		{"one of today", encode(pkcs12.Modern, certificate, authority), fixture.TestPFXPassword, want},
		{"one of the authorities' old programs", encode(pkcs12.LegacyRC2, certificate, authority), fixture.TestPFXPassword, want},
		{"one with 3DES", encode(pkcs12.LegacyDES, certificate), fixture.TestPFXPassword, want},
		{"one with the authority first", encode(pkcs12.Modern, authority, certificate), fixture.TestPFXPassword, want},
		{"a wrong password", encode(pkcs12.Modern, certificate), "wrong", certificateContent{}},
		{"no PKCS #12 file", []byte("\x30\x82a"), fixture.TestPFXPassword, certificateContent{}},
		{"nothing", nil, fixture.TestPFXPassword, certificateContent{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := readCertificate(test.file, test.password); got.owner != test.want.owner || !got.expires.Equal(test.want.expires) {
				t.Errorf("read %+v, want %+v", got, test.want)
			}
		})
	}
}

func TestCertificateContent_isComparedWithAnAnswer(t *testing.T) {
	t.Parallel()
	content := certificateContent{owner: fixture.TestOwner, expires: time.Date(2027, 3, 1, 12, 0, 0, 0, time.UTC)}
	for _, test := range []struct {
		name         string
		content      certificateContent
		subject, end string
		match        match
		namesOthers  bool
	}{
		{"the same", content, "CN=MATRIZ DE TESTE LTDA:98765432000198, O=ICP-Brasil, C=BR", "2027-03-01T12:00:00Z", certain, false},
		{"a day alone, and the name alone", content, "Matriz de Teste Ltda", "2027-03-01", certain, false},
		{"the number alone, punctuated", content, "98.765.432/0001-98", "2027-03-01T09:00:00", certain, false},
		{"the one of last year", content, "CN=MATRIZ DE TESTE LTDA:98765432000198", "2026-03-01T12:00:00Z", different, false},
		{"another company's", content, "CN=OUTRA LTDA:45997418000153", "2027-03-01T12:00:00Z", possible, true},
		{"an answer without an end", content, "CN=MATRIZ DE TESTE LTDA:98765432000198", "", possible, false},
		{"an answer without a subject", content, "", "2027-03-01T12:00:00Z", certain, false},
		{"a file that cannot be read", certificateContent{}, "CN=OUTRA LTDA", "2020-01-01", possible, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			held := &einvoice.Certificate{Subject: einvoice.Text(test.subject), ExpirationAt: einvoice.Text(test.end)}
			if got := test.content.match(held); got != test.match {
				t.Errorf("match is %d, want %d", got, test.match)
			}
			if got := test.content.namesAnother(held); got != test.namesOthers {
				t.Errorf("namesAnother is %t", got)
			}
		})
	}
}

func TestCertificateContent_isFoundAmongSeveral(t *testing.T) {
	t.Parallel()
	flag := func(f einvoice.Flag) *einvoice.Flag { return &f }
	held := func(id, end string, active *einvoice.Flag) *einvoice.Certificate {
		return &einvoice.Certificate{ID: einvoice.Text(id), ExpirationAt: einvoice.Text(end), IsActive: active}
	}
	content := certificateContent{owner: fixture.TestOwner, expires: time.Date(2027, 3, 1, 12, 0, 0, 0, time.UTC)}
	const same, other = "2027-03-01", "2026-03-01"
	for _, test := range []struct {
		name    string
		content certificateContent
		listed  []*einvoice.Certificate
		want    string
		certain bool
	}{
		{"none", content, nil, "", false},
		{"the one that ends when the file does", content, []*einvoice.Certificate{held("a", other, flag(true)), held("b", same, flag(false)), held("c", "", nil)}, "b", true},
		{"the only one that it may be", content, []*einvoice.Certificate{held("a", other, flag(true)), held("b", "", flag(false))}, "b", true},
		{"the only one, whatever the file is", certificateContent{}, []*einvoice.Certificate{held("a", other, nil)}, "a", true},
		{"the active one of two that it may be", content, []*einvoice.Certificate{held("a", "", flag(false)), held("b", "", flag(true)), held("c", other, flag(true))}, "b", false},
		{"two that end when the file does, one of them active", content, []*einvoice.Certificate{held("a", same, flag(true)), held("b", same, nil)}, "a", false},
		{"two that are active", certificateContent{}, []*einvoice.Certificate{held("a", same, flag(true)), held("b", other, flag(true))}, "", false},
		{"two that are not", certificateContent{}, []*einvoice.Certificate{held("a", same, flag(false)), held("b", other, nil)}, "", false},
		{"others alone", content, []*einvoice.Certificate{held("a", other, flag(true))}, "", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			found, certain := test.content.among(test.listed)
			if found == nil {
				found = &einvoice.Certificate{}
			}
			if string(found.ID) != test.want || certain != test.certain {
				t.Errorf("found %q, certain %t; want %q, %t", found.ID, certain, test.want, test.certain)
			}
		})
	}
}
