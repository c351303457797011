// The states and kinds that several pages show, by the words the service has for them.
//
// What Spanish calls things, here and on the pages for customers (server/src/pages/words/es.ts):
//   dashboard panel · sandbox entorno de pruebas · settings ajustes · audit log registro de cambios · alert alerta
//   merchant comercio · customer cliente · owner propietario · developer desarrollador · viewer lector
//   offer oferta · payment pago · charge cobro (to charge: cobrar) · refund reembolso · capture captura · void anulación
//   held on the card reservado · dispute disputa · in doubt en duda · to settle resolver · Pre-Sale preventa (Pre-Sale)
//   hook hook · endpoint endpoint · notification notificación · delivery entrega · attempt intento · to resend reenviar
//   dropped abandonada · paused en pausa · gateway pasarela · API key clave de API · Private Key clave privada · secret secreto
//   mail correo · header encabezado · sender proven remitente verificado · to erase borrar · to delete eliminar
//   An offer or a link expires: caduca. A card expires: vence.

import type { DeliveryState, HookKind, TransactionStatus } from '../../../server/src/console/contract/records.ts'
import { inBoth } from './language.tsx'

interface States {
  readonly transaction: { readonly [status in TransactionStatus]: string }
  readonly inDoubt: string
  readonly delivery: { readonly [state in DeliveryState]: string }
  readonly hook: { readonly [kind in HookKind]: string }
}

export const states = inBoth<States>({
  en: {
    transaction: {
      Processing: 'Processing',
      Successful: 'Successful',
      Authorized: 'Authorized',
      Failed: 'Failed',
      'Further Action Required': 'Further action required',
      Voided: 'Voided',
      'Partially Refunded': 'Partially refunded',
      Refunded: 'Refunded',
    },
    inDoubt: 'In doubt',
    delivery: { pending: 'Pending', delivered: 'Delivered', dropped: 'Dropped', canceled: 'Canceled' },
    hook: {
      pre_sale: 'Pre-Sale',
      transaction: 'Transaction',
      far: 'Further Action Required',
      error: 'Error',
      generic: 'Generic',
      update: 'Update',
    },
  },
  es: {
    transaction: {
      Processing: 'En proceso',
      Successful: 'Cobrada',
      Authorized: 'Autorizada',
      Failed: 'Fallida',
      'Further Action Required': 'Requiere otra acción',
      Voided: 'Anulada',
      'Partially Refunded': 'Reembolsada en parte',
      Refunded: 'Reembolsada',
    },
    inDoubt: 'En duda',
    delivery: { pending: 'Pendiente', delivered: 'Entregada', dropped: 'Abandonada', canceled: 'Cancelada' },
    hook: {
      pre_sale: 'Preventa (Pre-Sale)',
      transaction: 'Transacción',
      far: 'Otra acción requerida (FAR)',
      error: 'Error',
      generic: 'Genérico',
      update: 'Actualización',
    },
  },
})
