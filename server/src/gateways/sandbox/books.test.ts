import { sandboxBooksConformance } from '../../../test/gateways/conformance/books.ts'
import { memoryBooks } from './books.ts'

sandboxBooksConformance('books in memory', async () => memoryBooks())
