// The breaking of lines as a nested module: it starts processes as only Unix does, and is no part of what is released.
module github.com/einvoice-br/terraform-provider-einvoice/internal/tools/mutate

go 1.26.0
