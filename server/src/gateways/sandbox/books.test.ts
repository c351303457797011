import { memoryBooks } from './books.ts'
import { sandboxBooksConformance } from './books-conformance.ts'

sandboxBooksConformance('books in memory', async () => memoryBooks())
