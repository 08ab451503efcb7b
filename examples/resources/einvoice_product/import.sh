# By id.
terraform import einvoice_product.bread 7c9e6679-7425-40de-944b-e07fc1f90ae7

# By code: reads the list of products.
terraform import einvoice_product.bread code=PAO-001
