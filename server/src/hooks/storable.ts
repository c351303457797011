import { maskCardNumbers } from '../core/card-number.ts'

/** What an endpoint answered, as it may be kept: PostgreSQL's text holds no NUL, and nobody's card number may stay. */
export function storable(answer: string): string {
  return answer === '' ? '' : maskCardNumbers(answer.replaceAll('\0', '\uFFFD'))
}
