// What the pages about customers say.

import { inBoth } from '../../words/language.tsx'

interface Sentences {
  readonly title: string
  readonly lead: string
  readonly search: string
  readonly searchHint: string
  readonly customer: string
  readonly email: string
  readonly name: string
  readonly cards: string
  readonly newest: string
  readonly never: string
  readonly since: string
  readonly erased: string
  readonly noMatch: string
  readonly noMatchSays: string
  readonly tooMany: string
  readonly tooManySays: string
  readonly nothing: string
  readonly nothingSays: string
  readonly about: string
  readonly phone: string
  readonly billing: string
  readonly shipping: string
  readonly erasedSays: string
  readonly card: string
  readonly expires: string
  readonly expired: string
  readonly byMail: string
  readonly notConfirmed: string
  readonly stored: string
  readonly remove: string
  readonly noCards: string
  readonly noCardsSays: string
  readonly payments: string
  readonly allPayments: string
  readonly noPayments: string
  readonly letters: string
  readonly noLetters: string
  readonly proven: string
  readonly notProven: string
  readonly received: string
  readonly sender: string
  readonly became: string
  readonly payment: string
  readonly waiting: string
}

export const words = inBoth<Sentences>({
  en: {
    title: 'Customers',
    lead: 'Everybody who paid you or left a card, by email address.',
    search: 'Search',
    searchHint: 'Beginning of an email',
    customer: 'Customer',
    email: 'Email',
    name: 'Name',
    cards: 'Cards',
    newest: 'Newest payment',
    never: 'None',
    since: 'Since',
    erased: 'Erased',
    noMatch: 'No customer fits',
    noMatchSays: 'The search finds addresses by their beginning. Check what you wrote, or clear it.',
    tooMany: 'Too many customers fit',
    tooManySays: 'Write more of the email address, or all of it.',
    nothing: 'No customers yet',
    nothingSays: 'Whoever pays, or leaves a card, appears here.',
    about: 'About them',
    phone: 'Phone',
    billing: 'Billing address',
    shipping: 'Shipping address',
    erasedSays: 'This customer was erased. Amounts stay; who they were is gone.',
    card: 'Card',
    expires: 'Expires',
    expired: 'Expired',
    byMail: 'Pays by mail',
    notConfirmed: 'Email not confirmed',
    stored: 'Stored',
    remove: 'Remove',
    noCards: 'No card is stored',
    noCardsSays: 'Send the customer a link, and they enter one themselves.',
    payments: 'Payments',
    allPayments: 'All payments',
    noPayments: 'No payment yet.',
    letters: 'Mails from them',
    noLetters: 'No mail that asks to pay.',
    proven: 'Proven',
    notProven: 'Not proven',
    received: 'Received',
    sender: 'Sender',
    became: 'What became of it',
    payment: 'A payment',
    waiting: 'It waits its turn.',
  },
  es: {
    title: 'Clientes',
    lead: 'Todas las personas que le han pagado o han guardado una tarjeta, por dirección de correo.',
    search: 'Buscar',
    searchHint: 'Comienzo de un correo',
    customer: 'Cliente',
    email: 'Correo',
    name: 'Nombre',
    cards: 'Tarjetas',
    newest: 'Último pago',
    never: 'Ninguno',
    since: 'Desde',
    erased: 'Borrado',
    noMatch: 'Ningún cliente coincide',
    noMatchSays: 'La búsqueda encuentra direcciones por su comienzo. Revise lo que escribió o quítelo.',
    tooMany: 'Coinciden demasiados clientes',
    tooManySays: 'Escriba más de la dirección de correo, o entera.',
    nothing: 'Aún no hay clientes',
    nothingSays: 'Quien paga o guarda una tarjeta aparece aquí.',
    about: 'Sus datos',
    phone: 'Teléfono',
    billing: 'Dirección de facturación',
    shipping: 'Dirección de envío',
    erasedSays: 'Este cliente fue borrado. Los importes se conservan; su identidad, no.',
    card: 'Tarjeta',
    expires: 'Vence',
    expired: 'Vencida',
    byMail: 'Paga por correo',
    notConfirmed: 'Correo sin confirmar',
    stored: 'Guardada',
    remove: 'Eliminar',
    noCards: 'No hay ninguna tarjeta guardada',
    noCardsSays: 'Envíe un enlace al cliente para que introduzca una.',
    payments: 'Pagos',
    allPayments: 'Todos los pagos',
    noPayments: 'Aún no hay pagos.',
    letters: 'Sus correos',
    noLetters: 'Ningún correo que pida pagar.',
    proven: 'Verificado',
    notProven: 'Sin verificar',
    received: 'Recibido',
    sender: 'Remitente',
    became: 'En qué quedó',
    payment: 'Un pago',
    waiting: 'Espera su turno.',
  },
})
