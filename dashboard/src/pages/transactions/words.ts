// What the list of transactions says.

import type { SaleNeed, Told } from '../../../../server/src/console/contract/transactions.ts'
import { inBoth } from '../../words/language.tsx'

interface Sentences {
  readonly title: string
  readonly lead: string
  readonly exportAll: string
  readonly search: string
  readonly searchHint: string
  readonly status: string
  readonly anyStatus: string
  readonly chosen: (count: number) => string
  readonly source: string
  readonly anySource: string
  readonly web: string
  readonly mail: string
  readonly needs: string
  readonly anyNeed: string
  readonly need: { readonly [need in SaleNeed]: string }
  readonly offer: string
  readonly customer: string
  readonly onlyOffer: string
  readonly onlyCustomer: string
  readonly from: string
  readonly to: string
  readonly amount: string
  readonly captured: (captured: string, of: string) => string
  readonly refunded: (amount: string) => string
  readonly card: string
  readonly noCard: string
  readonly hooks: string
  readonly created: string
  readonly erased: string
  readonly told: { readonly [told in Told]: string }
  readonly noMatch: string
  readonly noMatchSays: string
  readonly tooMany: string
  readonly tooManySays: string
  readonly tooShort: string
  readonly nothing: string
  readonly nothingSays: string
  readonly toOffers: string
}

export const words = inBoth<Sentences>({
  en: {
    title: 'Transactions',
    lead: 'Every payment that was asked for, by REST, on a page or by mail.',
    exportAll: 'Export as CSV',
    search: 'Search',
    searchHint: 'Id, email or ref_id',
    status: 'Status',
    anyStatus: 'Any status',
    chosen: count => `${count} chosen`,
    source: 'Source',
    anySource: 'Any source',
    web: 'Web',
    mail: 'Email',
    needs: 'Needs a look',
    anyNeed: 'Whether or not',
    need: {
      in_doubt: 'In doubt',
      disputed: 'Disputed',
      untold: 'Paid, and nobody told',
      dropped: 'Some endpoint not told',
    },
    offer: 'Offer',
    customer: 'Customer',
    onlyOffer: 'Only of one offer',
    onlyCustomer: 'Only of one customer',
    from: 'From',
    to: 'To',
    amount: 'Amount',
    captured: (captured, of) => `${captured} captured of ${of}`,
    refunded: amount => `${amount} refunded`,
    card: 'Card',
    noCard: 'No card yet',
    hooks: 'Your endpoints',
    created: 'Created',
    erased: 'Erased',
    told: { none: 'Nothing to tell', delivered: 'Told', pending: 'Being told', dropped: 'Not told' },
    noMatch: 'No transaction fits',
    noMatchSays: 'Check the search and the filters above, or clear them.',
    tooMany: 'Too many customers fit',
    tooManySays: 'Write more of the email address, or all of it.',
    tooShort: 'Write at least three characters.',
    nothing: 'No transactions yet',
    nothingSays: 'A payment appears here as soon as it is asked for. Make an offer and open its page to try one.',
    toOffers: 'Go to offers',
  },
  es: {
    title: 'Transacciones',
    lead: 'Todos los pagos solicitados, por REST, en una página o por correo.',
    exportAll: 'Exportar como CSV',
    search: 'Buscar',
    searchHint: 'Id, correo o ref_id',
    status: 'Estado',
    anyStatus: 'Cualquier estado',
    chosen: count => `${count} elegidos`,
    source: 'Origen',
    anySource: 'Cualquier origen',
    web: 'Web',
    mail: 'Correo',
    needs: 'Requiere atención',
    anyNeed: 'Todas',
    need: {
      in_doubt: 'En duda',
      disputed: 'En disputa',
      untold: 'Cobrada y sin avisar a nadie',
      dropped: 'Algún endpoint sin avisar',
    },
    offer: 'Oferta',
    customer: 'Cliente',
    onlyOffer: 'Solo de una oferta',
    onlyCustomer: 'Solo de un cliente',
    from: 'Desde',
    to: 'Hasta',
    amount: 'Importe',
    captured: (captured, of) => `${captured} capturados de ${of}`,
    refunded: amount => `${amount} reembolsados`,
    card: 'Tarjeta',
    noCard: 'Aún sin tarjeta',
    hooks: 'Sus endpoints',
    created: 'Creada',
    erased: 'Borrado',
    told: { none: 'Nada que avisar', delivered: 'Avisado', pending: 'Avisando', dropped: 'Sin avisar' },
    noMatch: 'Ninguna transacción coincide',
    noMatchSays: 'Revise la búsqueda y los filtros, o quítelos.',
    tooMany: 'Coinciden demasiados clientes',
    tooManySays: 'Escriba más de la dirección de correo, o entera.',
    tooShort: 'Escriba al menos tres caracteres.',
    nothing: 'Aún no hay transacciones',
    nothingSays: 'Cada pago aparece aquí en cuanto se solicita. Cree una oferta y abra su página para probarlo.',
    toOffers: 'Ir a las ofertas',
  },
})
