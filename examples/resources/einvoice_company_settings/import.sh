# By the id of the company.
terraform import einvoice_company_settings.branch 7c9e6679-7425-40de-944b-e07fc1f90ae7
