// Joins the console's transactions and customers to the database.

import type { CustomerPorts } from './console/customers.ts'
import type { TransactionPorts } from './console/transactions.ts'
import type { Foundation } from './foundation.ts'
import { searchedSales } from './store/sale-finding.ts'
import { findSaleHistory } from './store/sale-history.ts'
import { listShownSales } from './store/sale-listing.ts'
import { findShownCustomer, listCustomers } from './store/shown-customers.ts'

/** Who searches for less than this many customers or offers finds what is theirs; each is looked at by itself. */
const foundMax = 200

export function transactionPorts({ sql, clock }: Foundation): TransactionPorts & CustomerPorts {
  return {
    sales: {
      list: (merchantId, choice, page) => listShownSales(sql, merchantId, choice, page),
      search: (merchantId, text) => searchedSales(sql, merchantId, text, foundMax),
      history: (merchantId, id) => findSaleHistory(sql, merchantId, id),
    },
    customers: {
      list: (merchantId, page) => listCustomers(sql, merchantId, { ...page, most: foundMax }),
      find: (merchantId, id) => findShownCustomer(sql, merchantId, id),
      now: clock.now,
    },
  }
}
