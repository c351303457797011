// The sandbox's books in PostgreSQL keep the same promises as those in memory.

import { after } from 'node:test'
import { sandboxBooksConformance } from '../../test/gateways/conformance/books.ts'
import { freshDatabase, type TestDatabase } from '../../test/support/database.ts'
import type { Entry, VaultCard } from '../gateways/sandbox/books.ts'
import { sandboxBooks } from './sandbox-books.ts'

const databases: TestDatabase[] = []
after(async () => {
  for (const database of databases) await database.drop()
})

sandboxBooksConformance('sandbox books in PostgreSQL', async () => {
  const database = await freshDatabase()
  databases.push(database)
  return sandboxBooks<Entry, VaultCard>(database.sql)
})
