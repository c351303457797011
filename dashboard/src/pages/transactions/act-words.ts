// What one transaction's page says, and the dialogs that do something to it.

import { inBoth } from '../../words/language.tsx'

interface OfAct {
  readonly button: string
  readonly title: string
  readonly says: (card: string) => string
  readonly action: (amount: string, mask: string) => string
  readonly done: (amount: string) => string
  readonly inDoubt: (amount: string) => string
}

interface Sentences {
  readonly title: string
  readonly of: (amount: string) => string
  readonly ofPart: (captured: string, amount: string) => string
  readonly settle: string
  readonly seeDoubt: string
  readonly back: string
  readonly acts: { readonly [act in 'refund' | 'capture' | 'void']: OfAct }
  readonly amount: string
  readonly atMost: (amount: string) => string
  readonly notAnAmount: (example: string) => string
  readonly reason: string
  readonly reasonHint: string
  readonly declined: string
  readonly notNow: string
  readonly notReached: string
  readonly unknown: string
  readonly tooLate: string
  readonly facts: string
  readonly id: string
  readonly customer: string
  readonly erased: string
  readonly card: string
  readonly offer: string
  readonly refId: string
  readonly source: string
  readonly gateway: string
  readonly net: string
  readonly captured: string
  readonly left: string
  readonly customData: string
  readonly billing: string
  readonly shipping: string
  readonly payAt: string
  readonly raw: string
  readonly record: string
  readonly viewerOnly: string
}

export const actWords = inBoth<Sentences>({
  en: {
    title: 'Payment',
    of: amount => `Payment ${amount}`,
    ofPart: (captured, amount) => `Payment ${captured} captured of ${amount}`,
    settle: 'Settle it',
    seeDoubt: 'See what is in doubt',
    back: 'Transactions',
    acts: {
      refund: {
        button: 'Refund',
        title: 'Refund this payment',
        says: card => `The money goes back to ${card}. This cannot be undone.`,
        action: (amount, mask) => `Refund ${amount} to •••• ${mask}`,
        done: amount => `${amount} was refunded.`,
        inDoubt: amount =>
          `The gateway has not said yet whether it refunded ${amount}. The amount is reserved, and the gateway is asked again by itself.`,
      },
      capture: {
        button: 'Capture',
        title: 'Capture this payment',
        says: card => `The amount is taken from ${card}. What is not captured now is released.`,
        action: (amount, mask) => `Capture ${amount} from •••• ${mask}`,
        done: amount => `${amount} was captured.`,
        inDoubt: amount =>
          `The gateway has not said yet whether it captured ${amount}. It is asked again by itself: do not capture once more.`,
      },
      void: {
        button: 'Void',
        title: 'Void this payment',
        says: card => `The authorisation on ${card} is released, and nothing is charged. This cannot be undone.`,
        action: (amount, mask) => `Release ${amount} on •••• ${mask}`,
        done: amount => `${amount} was released.`,
        inDoubt: amount => `The gateway has not said yet whether it released ${amount}. It is asked again by itself.`,
      },
    },
    amount: 'Amount',
    atMost: amount => `At most ${amount}.`,
    notAnAmount: example => `Write an amount such as ${example}.`,
    reason: 'Reason',
    reasonHint: 'For your records: it stands in the story of this payment.',
    declined: 'The gateway declined it; nothing was moved.',
    notNow: 'This is not possible any more: the payment changed meanwhile.',
    notReached: 'The gateway was not reached; nothing was moved. Try again.',
    unknown:
      'It is not known yet whether this was done. Press the button again: it is done only once. For anything else, close this, look at the payment, and load the page again.',
    tooLate: 'It was too long ago to ask for the same again. Close this, look at the payment, and load the page again.',
    facts: 'Facts',
    id: 'Id',
    customer: 'Customer',
    erased: 'Erased',
    card: 'Card',
    offer: 'Offer',
    refId: 'Your reference',
    source: 'Source',
    gateway: 'Gateway',
    net: 'Net',
    captured: 'Captured',
    left: 'Left to refund',
    customData: 'Data',
    billing: 'Billing address',
    shipping: 'Shipping address',
    payAt: 'The customer goes on at',
    raw: 'As REST shows it',
    record: 'Transaction record',
    viewerOnly: 'Your role may look at payments, not change them.',
  },
  es: {
    title: 'Pago',
    of: amount => `Pago de ${amount}`,
    ofPart: (captured, amount) => `Pago de ${captured} capturados de ${amount}`,
    settle: 'Resolver la duda',
    seeDoubt: 'Ver la duda',
    back: 'Transacciones',
    acts: {
      refund: {
        button: 'Reembolsar',
        title: 'Reembolsar este pago',
        says: card => `El dinero vuelve a ${card}. No se puede deshacer.`,
        action: (amount, mask) => `Reembolsar ${amount} a •••• ${mask}`,
        done: amount => `Se reembolsaron ${amount}.`,
        inDoubt: amount =>
          `La pasarela aún no ha dicho si reembolsó ${amount}. El importe queda reservado y se le volverá a preguntar automáticamente.`,
      },
      capture: {
        button: 'Capturar',
        title: 'Capturar este pago',
        says: card => `El importe se cobra en ${card}. Lo que no se capture ahora se libera.`,
        action: (amount, mask) => `Capturar ${amount} de •••• ${mask}`,
        done: amount => `Se capturaron ${amount}.`,
        inDoubt: amount =>
          `La pasarela aún no ha dicho si capturó ${amount}. Se le volverá a preguntar automáticamente: no lo capture otra vez.`,
      },
      void: {
        button: 'Anular',
        title: 'Anular este pago',
        says: card => `Se libera la autorización en ${card} y no se cobra nada. No se puede deshacer.`,
        action: (amount, mask) => `Liberar ${amount} en •••• ${mask}`,
        done: amount => `Se liberaron ${amount}.`,
        inDoubt: amount =>
          `La pasarela aún no ha dicho si liberó ${amount}. Se le volverá a preguntar automáticamente.`,
      },
    },
    amount: 'Importe',
    atMost: amount => `Como máximo ${amount}.`,
    notAnAmount: example => `Escriba un importe como ${example}.`,
    reason: 'Motivo',
    reasonHint: 'Para su registro: queda en la historia de este pago.',
    declined: 'La pasarela lo rechazó; no se movió nada.',
    notNow: 'Ya no es posible: el pago cambió entretanto.',
    notReached: 'No se pudo contactar con la pasarela; no se movió nada. Inténtelo de nuevo.',
    unknown:
      'Aún no se sabe si esto se hizo. Pulse otra vez el botón: se hace una sola vez. Para cualquier otra cosa, cierre esta ventana, mire el pago y cargue la página de nuevo.',
    tooLate:
      'Ha pasado demasiado tiempo para pedir lo mismo. Cierre esta ventana, mire el pago y cargue la página de nuevo.',
    facts: 'Datos',
    id: 'Id',
    customer: 'Cliente',
    erased: 'Borrado',
    card: 'Tarjeta',
    offer: 'Oferta',
    refId: 'Su referencia',
    source: 'Origen',
    gateway: 'Pasarela',
    net: 'Neto',
    captured: 'Capturado',
    left: 'Reembolsable',
    customData: 'Información',
    billing: 'Dirección de facturación',
    shipping: 'Dirección de envío',
    payAt: 'El cliente continúa en',
    raw: 'Tal como lo muestra REST',
    record: 'Registro de la transacción',
    viewerOnly: 'Su rol puede ver los pagos, no modificarlos.',
  },
})
