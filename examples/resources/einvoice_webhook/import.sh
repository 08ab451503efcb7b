# By id.
terraform import einvoice_webhook.authorized 7c9e6679-7425-40de-944b-e07fc1f90ae7

# By event and URL, in this order: reads the list of webhooks. Plans show the import ID,
# so import by id if the URL contains a secret.
terraform import einvoice_webhook.authorized 'event=invoice.authorized,url=https://erp.example/hooks/invoices'
