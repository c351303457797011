// What the story of a transaction says, moment by moment.

import type {
  AskedAgain,
  Created,
  Disputed,
  Mailed,
  OperationEnded,
  OperationKind,
  PreSaleAsked,
  Resolved,
} from '../../../../server/src/console/contract/transactions.ts'
import { inBoth } from '../../words/language.tsx'

/** A charge that only holds the amount takes nothing, and is not called one. */
export type ShownOperation = OperationKind | 'hold'

interface Sentences {
  readonly title: string
  readonly letter: (from: string | null) => string
  readonly proven: string
  readonly notProven: string
  readonly created: { readonly [way in Created['way']]: string }
  readonly units: (count: number) => string
  readonly authorizeOnly: string
  readonly preSale: { readonly [state in PreSaleAsked['state']]: string }
  readonly begun: { readonly [what in ShownOperation]: (amount: string) => string }
  readonly byWhom: (by: string) => string
  readonly because: (reason: string) => string
  readonly inDoubt: string
  readonly pending: string
  readonly heard: (heard: string) => string
  readonly forPerson: string
  readonly settle: string
  readonly readLetter: string
  readonly nextAsk: string
  readonly askedAgain: { readonly [step in AskedAgain['step']]: string }
  readonly resolved: { readonly [verdict in Resolved['verdict']]: (by: string) => string }
  readonly ended: { readonly [outcome in OperationEnded['outcome']]: { readonly [what in ShownOperation]: string } }
  readonly reference: (ref: string) => string
  readonly status: (from: string, to: string) => string
  readonly notified: (kind: string) => string
  readonly nobodyToTell: string
  readonly attempts: (count: number) => string
  readonly resend: string
  readonly nextAttempt: string
  readonly mailed: { readonly [mail in Mailed['mail']]: string }
  readonly mailState: { readonly [state in Mailed['state']]: string }
  readonly dispute: { readonly [status in Disputed['status']]: (amount: string) => string }
  readonly expires: string
}

export const storyWords = inBoth<Sentences>({
  en: {
    title: 'What happened',
    letter: from => (from === null ? 'A mail came' : `A mail came from ${from}`),
    proven: 'The sender is proven.',
    notProven: 'The sender is not proven.',
    created: {
      rest: 'Created by REST',
      page: 'Created on the payment page',
      web: 'Created by REST or on a page',
      mail: 'Created by mail',
    },
    units: count => `${count} units`,
    authorizeOnly: 'To be authorised now and captured later.',
    preSale: {
      pending: 'Pre-Sale is being asked',
      let_through: 'Pre-Sale let it through',
      stopped: 'Pre-Sale stopped it',
      no_answer: 'Pre-Sale gave no answer',
    },
    begun: {
      hold: amount => `Gateway asked to hold ${amount} on the card`,
      charge: amount => `Gateway asked to charge ${amount}`,
      capture: amount => `Gateway asked to capture ${amount}`,
      void: amount => `Gateway asked to release ${amount}`,
      refund: amount => `Gateway asked to refund ${amount}`,
    },
    byWhom: by => `By ${by}.`,
    because: reason => `Reason: ${reason}`,
    inDoubt: 'The gateway has not said what became of it.',
    pending: 'Under way.',
    heard: heard => `Last heard: ${heard}`,
    forPerson: 'It waits for a person:',
    settle: 'Look at the doubt',
    readLetter: 'Read the mail',
    nextAsk: 'The gateway is asked again',
    askedAgain: {
      send_again: 'In doubt: sent again under the same id',
      fence_and_look_up: 'In doubt: blocked at the gateway, then looked up',
      look_up: 'In doubt: looked up at the gateway',
      leave_to_a_person: 'In doubt: left to a person',
    },
    resolved: {
      succeeded: by => `${by} settled it: it was made`,
      not_made: by => `${by} settled it: it was not made`,
      dismissed: by => `${by} dismissed the doubt`,
    },
    ended: {
      succeeded: {
        hold: 'The amount is held on the card; nothing was charged',
        charge: 'The card was charged',
        capture: 'The amount was captured',
        void: 'The authorisation was released',
        refund: 'The refund was made',
      },
      declined: {
        hold: 'The gateway declined to hold the amount',
        charge: 'The gateway declined the charge',
        capture: 'The gateway declined the capture',
        void: 'The gateway declined the release',
        refund: 'The gateway declined the refund',
      },
      not_sent: {
        hold: 'The amount was not held',
        charge: 'The charge was not made',
        capture: 'The capture was not made',
        void: 'The release was not made',
        refund: 'The refund was not made',
      },
    },
    reference: ref => `At the gateway: ${ref}`,
    status: (from, to) => `${from} → ${to}`,
    notified: kind => `Notification: ${kind}`,
    nobodyToTell: 'No endpoint was set up for it.',
    attempts: count => (count === 1 ? '1 attempt' : `${count} attempts`),
    resend: 'sent again by hand',
    nextAttempt: 'Next attempt',
    mailed: {
      receipt: 'Receipt to the customer',
      further_action: 'Mail to the customer: something is needed',
      error: 'Mail to the customer: it failed',
    },
    mailState: { waiting: 'Waiting', sent: 'Sent', dropped: 'Given up', skipped: 'Not sent' },
    dispute: {
      open: amount => `The customer disputes ${amount}`,
      won: amount => `Dispute of ${amount}: won`,
      lost: amount => `Dispute of ${amount}: lost`,
    },
    expires: 'It fails if the customer has not acted by then',
  },
  es: {
    title: 'Qué ha pasado',
    letter: from => (from === null ? 'Llegó un correo' : `Llegó un correo de ${from}`),
    proven: 'El remitente está verificado.',
    notProven: 'El remitente no está verificado.',
    created: {
      rest: 'Creada por REST',
      page: 'Creada en la página de pago',
      web: 'Creada por REST o en una página',
      mail: 'Creada por correo',
    },
    units: count => `${count} unidades`,
    authorizeOnly: 'Se autoriza ahora y se captura después.',
    preSale: {
      pending: 'Se está preguntando a la preventa (Pre-Sale)',
      let_through: 'La preventa (Pre-Sale) dejó pasar la venta',
      stopped: 'La preventa (Pre-Sale) detuvo la venta',
      no_answer: 'La preventa (Pre-Sale) no respondió',
    },
    begun: {
      hold: amount => `Se pidió a la pasarela reservar ${amount} en la tarjeta`,
      charge: amount => `Se pidió a la pasarela cobrar ${amount}`,
      capture: amount => `Se pidió a la pasarela capturar ${amount}`,
      void: amount => `Se pidió a la pasarela liberar ${amount}`,
      refund: amount => `Se pidió a la pasarela reembolsar ${amount}`,
    },
    byWhom: by => `Por ${by}.`,
    because: reason => `Motivo: ${reason}`,
    inDoubt: 'La pasarela no ha dicho qué ocurrió.',
    pending: 'En curso.',
    heard: heard => `Lo último que se supo: ${heard}`,
    forPerson: 'Solo puede resolverlo una persona:',
    settle: 'Examinar la duda',
    readLetter: 'Leer el correo',
    nextAsk: 'Se vuelve a preguntar a la pasarela',
    askedAgain: {
      send_again: 'En duda: se reenvió con el mismo id',
      fence_and_look_up: 'En duda: se bloqueó en la pasarela y se consultó',
      look_up: 'En duda: se consultó en la pasarela',
      leave_to_a_person: 'En duda: se dejó a una persona',
    },
    resolved: {
      succeeded: by => `${by} lo resolvió: se hizo`,
      not_made: by => `${by} lo resolvió: no se hizo`,
      dismissed: by => `${by} descartó la duda`,
    },
    ended: {
      succeeded: {
        hold: 'El importe queda reservado en la tarjeta; no se cobró nada',
        charge: 'Se cobró en la tarjeta',
        capture: 'Se capturó el importe',
        void: 'Se liberó la autorización',
        refund: 'Se hizo el reembolso',
      },
      declined: {
        hold: 'La pasarela rechazó la reserva',
        charge: 'La pasarela rechazó el cobro',
        capture: 'La pasarela rechazó la captura',
        void: 'La pasarela rechazó la anulación',
        refund: 'La pasarela rechazó el reembolso',
      },
      not_sent: {
        hold: 'La reserva no se hizo',
        charge: 'El cobro no se hizo',
        capture: 'La captura no se hizo',
        void: 'La anulación no se hizo',
        refund: 'El reembolso no se hizo',
      },
    },
    reference: ref => `En la pasarela: ${ref}`,
    status: (from, to) => `${from} → ${to}`,
    notified: kind => `Notificación: ${kind}`,
    nobodyToTell: 'No había ningún endpoint para ella.',
    attempts: count => (count === 1 ? '1 intento' : `${count} intentos`),
    resend: 'reenviado a mano',
    nextAttempt: 'Próximo intento',
    mailed: {
      receipt: 'Recibo para el cliente',
      further_action: 'Correo al cliente: falta algo',
      error: 'Correo al cliente: el pago falló',
    },
    mailState: { waiting: 'En espera', sent: 'Enviado', dropped: 'Abandonado', skipped: 'No enviado' },
    dispute: {
      open: amount => `El cliente disputa ${amount}`,
      won: amount => `Disputa de ${amount}: ganada`,
      lost: amount => `Disputa de ${amount}: perdida`,
    },
    expires: 'Fallará si el cliente no ha actuado para entonces',
  },
})
