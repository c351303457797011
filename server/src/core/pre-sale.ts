// What the merchant's endpoints said before the sale. Any error outweighs any stop, and any stop outweighs consent:
// the gateway is called only when nobody objected and everybody answered.

import type { PreSaleAnswer } from './ports.ts'
import { type Failure, failureCodes } from './transaction.ts'

type Answered = Pick<PreSaleAnswer, 'status'>

export function preSaleVerdict(answers: readonly Answered[]): 'passed' | 'stopped' | 'error' {
  if (answers.some(({ status }) => status === null || (status >= 500 && status <= 599))) return 'error'
  return answers.every(saidYes) ? 'passed' : 'stopped'
}

export function saidYes({ status }: Answered): boolean {
  return status !== null && status >= 200 && status <= 299
}

export function preSaleFailure(verdict: 'stopped' | 'error'): Failure {
  const code = verdict === 'stopped' ? 'pre_sale_stopped' : 'pre_sale_error'
  return { code, sentence: failureCodes[code] }
}
