// The REST resources, as the dashboard uses them: whom each needs, what the audit log calls it, and what it may keep of the body.
// They are the very routes of /api/v5/rest; what is not in this table does not register.

import type { FastifyContextConfig } from 'fastify'

type Needs = Pick<FastifyContextConfig, 'needs' | 'action' | 'keeps' | 'names' | 'onlyAsks'>

const looks: Needs = { needs: 'viewer' }
const does = (action: string, keeps: readonly string[] = []): Needs => ({ needs: 'developer', action, keeps })

export const restNeeds: { readonly [route: string]: Needs } = {
  'POST /transactions': does('transaction_created', ['service_offer', 'quantity', 'authorization_only']),
  'GET /transactions': looks,
  'GET /transactions/:id': looks,
  'POST /transactions/refunds': { ...does('transaction_refunded', ['amount']), names: 'user' },
  'POST /transactions/:id/capture': does('transaction_captured', ['amount']),
  'POST /transactions/:id/void': does('transaction_voided'),
  'POST /offers': does('offer_created', ['title', 'amount', 'currency', 'ref_id', 'stock', 'expires_at', 'gateway']),
  'GET /offers': looks,
  'GET /offers/:id': looks,
  'DELETE /offers/:id': does('offer_deactivated'),
  'POST /offers/:id/links': does('offer_link_created'),
  'POST /tokens/revocations': does('token_revoked'),
  'POST /tokens/inspections': { needs: 'viewer', onlyAsks: true },
  'GET /credit_cards': looks,
  'POST /credit_cards': does('card_stored', ['gateway']),
  'POST /credit_cards/links': does('card_link_created', ['gateway']),
  'GET /credit_cards/:service_token': looks,
  'DELETE /credit_cards/:service_token': does('card_removed'),
  'GET /gateways': looks,
  'POST /gateways': does('gateway_connected', ['type', 'default', 'status', 'fallback']),
  'PATCH /gateways/:id': does('gateway_changed', ['default', 'status', 'fallback']),
  'GET /payment_page': looks,
  'PATCH /payment_page': does('branding_changed', [
    ...['name', 'button_color', 'background_color', 'support_email', 'return_url', 'frame_ancestors'],
  ]),
  'GET /mail_settings': looks,
  'PATCH /mail_settings': does('mail_settings_changed', [
    ...['payments', 'amount_max', 'day_amount_max', 'day_payments_max', 'receipts', 'further_actions', 'errors'],
    'unsigned_authorizations',
    ...['public_charge_at_once', 'personal_charge_at_once', 'sentences'],
  ]),
  'POST /customers/erasures': does('customer_erased'),
  'GET /hook_endpoints': looks,
  'POST /hook_endpoints': does('endpoint_added', ['kind', 'url', 'status', 'timeout_s', 'standard_webhooks']),
  'GET /hook_endpoints/:id': looks,
  'PATCH /hook_endpoints/:id': does('endpoint_changed', ['url', 'status', 'timeout_s', 'standard_webhooks']),
  'DELETE /hook_endpoints/:id': does('endpoint_deleted'),
  'POST /hook_endpoints/:id/rotate_secret': does('endpoint_secret_rotated'),
  'POST /hook_endpoints/:id/test': does('endpoint_tested'),
  'GET /hook_deliveries': looks,
  'GET /hook_deliveries/:id': looks,
  'POST /hook_deliveries/:id/resend': does('hook_resent'),
  'POST /hook_deliveries/resend': does('hooks_resent', ['endpoint', 'created_after', 'created_before', 'state']),
  'GET /letters': looks,
  'GET /letters/:id': looks,
  'POST /sandbox/clock': does('clock_advanced', ['advance_s']),
  'POST /sandbox/cards': does('test_card_stored'),
  'POST /sandbox/disputes': does('test_dispute_made', ['status', 'amount']),
}

/** Those that only REST has: what the audit log calls them, where somebody looks for who gets a copy of the hooks. */
export const restAlone: { readonly [route: string]: Needs } = {
  'POST /hook_listeners': does('listener_started', ['name', 'kinds', 'backfill_s']),
  'DELETE /hook_listeners/:id': does('listener_ended'),
}
