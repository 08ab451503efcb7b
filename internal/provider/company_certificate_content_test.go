package provider

import (
	"crypto/x509"
	"fmt"
	"regexp"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"software.sslmate.com/src/go-pkcs12"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
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
		{"no PKCS #12 file", fixture.CertificateFileNamed("a"), fixture.TestPFXPassword, certificateContent{}},
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
		name                     string
		content                  certificateContent
		subject, end             string
		other, same, namesOthers bool
	}{
		{"the same", content, "CN=PADARIA CENTRAL LTDA:11222333000181, O=ICP-Brasil, C=BR", "2027-03-01T12:00:00Z", false, true, false},
		{"a day alone, and the name alone", content, "Padaria Central Ltda", "2027-03-01", false, true, false},
		{"the number alone, punctuated", content, "11.222.333/0001-81", "2027-03-01T09:00:00", false, true, false},
		{"the one of last year", content, "CN=PADARIA CENTRAL LTDA:11222333000181", "2026-03-01T12:00:00Z", true, false, false},
		{"another company's", content, "CN=OUTRA LTDA:45997418000153", "2027-03-01T12:00:00Z", false, false, true},
		{"an answer without an end", content, "CN=PADARIA CENTRAL LTDA:11222333000181", "", false, false, false},
		{"an answer without a subject", content, "", "2027-03-01T12:00:00Z", false, true, false},
		{"a file that cannot be read", certificateContent{}, "CN=OUTRA LTDA", "2020-01-01", false, false, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			held := &einvoice.Certificate{Subject: einvoice.Text(test.subject), ExpirationAt: einvoice.Text(test.end)}
			if got := test.content.isOther(held); got != test.other {
				t.Errorf("isOther is %t", got)
			}
			if got := test.content.isOf(held); got != test.same {
				t.Errorf("isOf is %t", got)
			}
			if got := test.content.namesAnother(held); got != test.namesOthers {
				t.Errorf("namesAnother is %t", got)
			}
		})
	}
}

func TestAccCompanyCertificate_anAnswerAboutAnotherIsNotBelieved(t *testing.T) {
	expires := time.Now().AddDate(1, 0, 0).UTC().Truncate(time.Second)
	older := fmt.Sprintf(`{"id":"old-1","subject":"CN=%s","issuer":"CN=AC TESTE","expirationAt":%q,"isActive":true}`, fixture.TestOwner, expires.AddDate(-1, 0, 20).Format(time.RFC3339))
	for _, test := range []struct {
		name  string
		kind  sandbox.FaultKind
		taken bool
	}{
		{"the uploaded one is in the list", sandbox.FaultBody, true},
		{"the uploaded one is nowhere", sandbox.FaultStatus, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := sandbox.Start(t, sandbox.Options{})
			file := fixture.CertificateIssuedTo(t, fixture.TestOwner, expires)
			s.ExpectCertificate(file, fixture.TestPFXPassword, "CN="+fixture.TestOwner, "CN=AC TESTE", expires)
			s.Inject(sandbox.Fault{Kind: test.kind, Method: "POST", Path: fixture.CertificatesPath, Status: 200, Body: older})
			step := resource.TestStep{Config: certificateConfig(s, file, fixture.TestPFXPassword, "1")}
			if test.taken {
				step.ConfigStateChecks = []statecheck.StateCheck{expectCertificate("expires_at", knownvalue.StringRegexp(regexp.MustCompile("^"+expires.Format("2006-01-02T15:04:05"))))}
			} else {
				step.ExpectError = regexp.MustCompile(`Upload answered with another certificate: company(.|\n)*old-1(.|\n)*run\s+apply\s+again`)
			}
			testCertificate(t, step)
			if n := countUploads(s); n != 1 {
				t.Errorf("%d uploads, want 1", n)
			}
		})
	}
}

func TestAccCompanyCertificate_adoptsTheOneThatTheFileSays(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	expires := time.Now().AddDate(1, 0, 0).UTC().Truncate(time.Second)
	file := fixture.CertificateIssuedTo(t, fixture.TestOwner, expires)
	s.ExpectCertificate(file, fixture.TestPFXPassword, "CN="+fixture.TestOwner, "CN=AC TESTE", expires)
	uploadOutside(t, s, file)
	id := s.Objects(sandbox.KindCertificates)[0]["id"].(string)
	later := fixture.CertificateIssuedTo(t, fixture.TestOwner, expires.AddDate(1, 0, 0))
	s.ExpectCertificate(later, fixture.TestPFXPassword, "CN="+fixture.TestOwner, "CN=AC TESTE", expires.AddDate(1, 0, 0))
	uploadOutside(t, s, later)
	testCertificate(t, resource.TestStep{
		Config: certificateConfig(s, file, fixture.TestPFXPassword, "1"),
		ConfigStateChecks: []statecheck.StateCheck{
			expectCertificate("id", knownvalue.StringExact(id)), expectCertificate("is_active", knownvalue.Bool(false)),
		},
	})
}

func TestAccCompanyCertificate_saysWhereTheSubjectDiffers(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	expires := time.Now().AddDate(1, 0, 0)
	file := fixture.CertificateIssuedTo(t, fixture.TestOwner, expires)
	s.ExpectCertificate(file, fixture.TestPFXPassword, "CN=OUTRA LTDA:45997418000153", "CN=AC TESTE", expires)
	output := certificateWorkspace(t, s, file, fixture.TestPFXPassword).mustApply()
	if !regexp.MustCompile(`Warning: Subject of the certificate differs(.|\n)*PADARIA(.|\n)*OUTRA`).MatchString(output) {
		t.Errorf("nothing is said of another subject:\n%s", output)
	}
}
