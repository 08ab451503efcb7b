import {
  to = einvoice_order.flour
  id = "transaction_id=sale-2026-0001"
}
