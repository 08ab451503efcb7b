# By id.
terraform import einvoice_webhook.authorized 7c9e6679-7425-40de-944b-e07fc1f90ae7

# By event and URL, in this order: the account's webhooks are walked. Plans show an
# import ID, so take the id where the URL holds a secret.
terraform import einvoice_webhook.authorized 'event=invoice.authorized,url=https://erp.example/hooks/invoices'
