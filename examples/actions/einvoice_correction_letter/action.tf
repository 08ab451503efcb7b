# terraform apply -invoke=action.einvoice_correction_letter.volumes
action "einvoice_correction_letter" "volumes" {
  config {
    invoice_id = "7c9e6679-7425-40de-944b-e07fc1f90ae7"
    letter     = "Onde se lê 1 volume, leia-se 2 volumes."
  }
}
