package certificate

import (
	"crypto/x509"
	"testing"
	"time"

	"software.sslmate.com/src/go-pkcs12"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

func TestReadExpiry_findsTheCertificateOfTheKey(t *testing.T) {
	t.Parallel()
	expires := time.Date(2027, 3, 1, 12, 0, 0, 0, time.UTC)
	authority, certificate, key := fixture.CertificateChain(t, fixture.TestOwner, expires)
	encode := func(with *pkcs12.Encoder, first *x509.Certificate, others ...*x509.Certificate) []byte {
		t.Helper()
		file, err := with.Encode(key, first, others, fixture.TestPFXPassword)
		expect.NoError(t, err)
		return file
	}
	none := time.Time{}
	for _, test := range []struct {
		name     string
		file     []byte
		password string
		want     time.Time
	}{
		{"one of today", encode(pkcs12.Modern, certificate, authority), fixture.TestPFXPassword, expires},
		{"one of the authorities' old programs", encode(pkcs12.LegacyRC2, certificate, authority), fixture.TestPFXPassword, expires},
		{"one with 3DES", encode(pkcs12.LegacyDES, certificate), fixture.TestPFXPassword, expires},
		{"one with the authority first", encode(pkcs12.Modern, authority, certificate), fixture.TestPFXPassword, expires},
		{"a wrong password", encode(pkcs12.Modern, certificate), "wrong", none},
		{"no PKCS #12 file", []byte("\x30\x82a"), fixture.TestPFXPassword, none},
		{"nothing", nil, fixture.TestPFXPassword, none},
	} {
		if got := readExpiry(test.file, test.password); !got.Equal(test.want) {
			t.Errorf("%s: it expires at %s, want %s", test.name, got, test.want)
		}
	}
}

func TestAmong_findsTheCertificateOfTheFile(t *testing.T) {
	t.Parallel()
	flag := func(f einvoice.Flag) *einvoice.Flag { return &f }
	held := func(id, end einvoice.Text, active *einvoice.Flag) *einvoice.Certificate {
		return &einvoice.Certificate{ID: id, ExpirationAt: end, IsActive: active}
	}
	expires := time.Date(2027, 3, 1, 12, 0, 0, 0, time.UTC)
	const same, other = "2027-03-01", "2026-03-01"
	for _, test := range []struct {
		name    string
		expires time.Time
		listed  []*einvoice.Certificate
		want    einvoice.Text
		certain bool
	}{
		{"none", expires, nil, "", false},
		{"the one that ends when the file does", expires, []*einvoice.Certificate{held("a", other, flag(true)), held("b", same, flag(false))}, "b", true},
		{"one that ends then in another zone", expires, []*einvoice.Certificate{held("a", "2027-03-01T09:00:00", nil), held("b", other, flag(true))}, "a", true},
		{"the only one that it may be", expires, []*einvoice.Certificate{held("a", other, flag(true)), held("b", "", flag(false))}, "b", true},
		{"the only one, whatever the file is", time.Time{}, []*einvoice.Certificate{held("a", other, nil)}, "a", true},
		{"the active one of two that it may be", expires, []*einvoice.Certificate{held("a", "", flag(false)), held("b", same, flag(true)), held("c", other, flag(true))}, "b", false},
		{"two that are active", time.Time{}, []*einvoice.Certificate{held("a", same, flag(true)), held("b", other, flag(true))}, "", false},
		{"two that are not", time.Time{}, []*einvoice.Certificate{held("a", same, flag(false)), held("b", other, nil)}, "", false},
		{"others alone", expires, []*einvoice.Certificate{held("a", other, flag(true))}, "", false},
	} {
		found, certain := among(test.listed, test.expires)
		if found == nil {
			found = &einvoice.Certificate{}
		}
		if found.ID != test.want || certain != test.certain {
			t.Errorf("%s: found %q, certain %t; want %q, %t", test.name, found.ID, certain, test.want, test.certain)
		}
	}
}
