import {
  to = einvoice_product.bread
  id = "code=PAO-001" # or the id of the product
}
