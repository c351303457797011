// What the pages about offers, gateways, branding and mail ask beside the resources of REST.

export type OfferState = 'active' | 'inactive' | 'expired' | 'used_up'

/** GET /console/offers */
export interface OfferRow {
  readonly offer_id: string
  readonly title: string
  readonly amount: string
  readonly currency: string
  readonly ref_id: string | null
  readonly state: OfferState
  readonly stock: number | null
  readonly created_at: string
  readonly sold: {
    readonly count: number
    readonly amount: string
    /** It sold more often than is counted here. */
    readonly at_least: boolean
  }
}

/** GET /console/offers/:id/sales */
export interface OfferSales {
  readonly state: OfferState
  readonly currency: string
  readonly sold: number
  readonly units: number
  readonly amount: string
  readonly refunded: string
  /** Held on cards, to be captured. */
  readonly reserved: string
  readonly failed: number
  readonly last_sale_at: string | null
  readonly stock: number | null
  /** There are more than are counted here. */
  readonly at_least: boolean
}

/** GET /console/offers/:id/token */
export interface OfferToken {
  /** Null: its amount is too large for a token. */
  readonly content: string | null
  /** Where a mail with it is sent; null: no mail comes to this service. */
  readonly address: string | null
}

/** POST /console/offers/preview and /console/payment_page/preview */
export interface PagePreview {
  /** A whole page, which has no scripts. */
  readonly html: string
  /** Whether an active gateway takes cards for it. */
  readonly can_be_paid: boolean
}

/** POST /console/gateways/:id/test */
export interface GatewayTest {
  readonly result: 'opens' | 'refused' | 'other_account' | 'no_answer'
  readonly says: string
}

/** GET /console/mail_samples?kind=&language= is a page of its own. */
export type MailSampleKind =
  | 'receipt'
  | 'reserved'
  | 'further_action'
  | 'confirm'
  | 'confirm_by_mail'
  | 'bank'
  | 'error'
