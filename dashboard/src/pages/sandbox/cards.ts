// The test cards, as docs/sandbox.md lists them; cards.test.ts compares the two.

export type Does =
  | 'succeeds'
  | 'declined'
  | 'slow'
  | 'silent'
  | 'silent_once'
  | 'reset_once'
  | 'twice'
  | 'wrong_amount'
  | 'three_d_secure'

export interface TestCard {
  readonly number: string
  readonly brand: string
  readonly does: Does
  /** Of a decline. */
  readonly code?: string
}

const declined = (number: string, brand: string, code: string): TestCard => ({ number, brand, does: 'declined', code })

export const testCards: readonly TestCard[] = [
  { number: '4111111111111111', brand: 'visa', does: 'succeeds' },
  { number: '5555555555554444', brand: 'master', does: 'succeeds' },
  { number: '6011111111111117', brand: 'discover', does: 'succeeds' },
  { number: '378282246310005', brand: 'american_express', does: 'succeeds' },
  declined('4012888888881881', 'visa', 'card_declined'),
  declined('5105105105105100', 'master', 'card_declined'),
  declined('6011000990139424', 'discover', 'card_declined'),
  declined('371449635398431', 'american_express', 'card_declined'),
  declined('4000001000001008', 'visa', 'insufficient_funds'),
  declined('4000001000002006', 'visa', 'expired_card'),
  declined('4000001000003004', 'visa', 'incorrect_cvc'),
  declined('4000001000004002', 'visa', 'lost_card'),
  declined('4000001000005009', 'visa', 'stolen_card'),
  declined('4000001000006007', 'visa', 'fraud_suspected'),
  declined('4000001000007005', 'visa', 'limit_exceeded'),
  declined('4000001000008003', 'visa', 'card_not_supported'),
  declined('4000001000009001', 'visa', 'processing_error'),
  { number: '4000001000010009', brand: 'visa', does: 'slow' },
  { number: '4000001000011007', brand: 'visa', does: 'silent' },
  { number: '4000001000012005', brand: 'visa', does: 'silent_once' },
  { number: '4000001000013003', brand: 'visa', does: 'reset_once' },
  { number: '4000001000014001', brand: 'visa', does: 'twice' },
  { number: '4000001000015008', brand: 'visa', does: 'wrong_amount' },
  { number: '4000001000016006', brand: 'visa', does: 'three_d_secure' },
]
