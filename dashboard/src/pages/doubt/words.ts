import { inBoth } from '../../words/language.tsx'

export const words = inBoth({
  en: {
    title: 'In doubt',
    lead: 'What no gateway has proven: it may have moved money, or not. Nothing is guessed here.',
    open: 'Open',
    settled: 'Settled by people',
    show: 'Show',
    none: 'Nothing is in doubt',
    noneSays:
      'When a gateway does not answer, what was asked of it is listed here until the gateway proves what happened, or an owner settles it.',
    noneSettled: 'Nobody has settled anything yet',
    noneSettledSays: 'What an owner settles is listed here, with who decided it and why.',
    kinds: { charge: 'Charge', capture: 'Capture', void: 'Void', refund: 'Refund' },
    what: 'What',
    amount: 'Amount',
    since: 'Since',
    state: 'State',
    gateway: 'Gateway',
    states: {
      asking: 'The gateway is asked',
      person: 'Needs you',
      succeeded: 'It succeeded',
      notMade: 'It was not made',
    },
    of: (kind: string, amount: string) => `${kind} of ${amount}`,
    transaction: 'Transaction',
    seeTransaction: 'See the transaction',
    operation: 'Operation',
    ref: 'Gateway’s reference',
    chargeRef: 'Reference of its charge',
    card: 'Card',
    cardEnding: (mask: string) => `ending in ${mask}`,
    sendings: 'Sent',
    times: (count: number) => (count === 1 ? 'once' : `${count} times`),
    nextAsk: 'Asked again',
    notAsked: 'Not asked again by itself',
    lastHeard: 'Last heard',
    why: 'Why only a person can settle it',
    known: 'What is known',
    lookFor: 'What to look for at the gateway',
    lookForSays: {
      charge: (amount: string) =>
        `Search there for a payment of ${amount} made about then. It is this one if it has one of these:`,
      refund: (amount: string) =>
        `Open the payment there and look for a refund of ${amount}. It is this one if it has one of these:`,
      capture: () => 'Open the payment there and see whether the authorised amount was captured.',
      void: () => 'Open the payment there and see whether the authorisation was voided.',
    },
    marks: {
      stripe: 'metadata tillbell_operation',
      braintree: 'order ID',
      test: 'operation id',
    },
    asked: 'Every ask, and what was heard',
    notAskedYet: 'It was not asked about again yet.',
    steps: {
      send_again: 'Sent again under the same id',
      fence_and_look_up: 'Fenced, then looked up',
      look_up: 'Looked up',
      leave_to_a_person: 'Left to a person',
    },
    ask: (number: number) => `Ask ${number}`,
    decided: 'Decided',
    settle: 'Settle it',
    settleLead: 'Look at the gateway first. What you decide is on record under your name and cannot be undone here.',
    onlyOwner: 'Only an owner may settle it.',
    mayProveItself:
      'The gateway is still asked by itself: mostly it proves within minutes what happened. Waiting is safe.',
    verdicts: { succeeded: 'It succeeded', not_made: 'It was not made', dismissed: 'Dismiss it' },
    effects: {
      charge: {
        succeeded: (amount: string) =>
          `${amount} counts as paid, the transaction becomes Successful (or Authorized), and your application gets the Transaction notification.`,
        not_made: (amount: string) =>
          `Nothing counts as paid: the transaction becomes Failed, your application gets the Error notification, and the customer may pay again. If the gateway took ${amount} after all, they would pay twice.`,
        dismissed: (amount: string) =>
          `The transaction stays as it is, and nothing is sent. Only do this after ${amount} was given back at the gateway.`,
      },
      refund: {
        succeeded: (amount: string) =>
          `${amount} counts as refunded, and your application gets the Update notification.`,
        not_made: (amount: string) =>
          `${amount} can be refunded again. If the gateway refunded it after all, a second refund would give it back twice.`,
        dismissed: () => 'The transaction stays as it is, and nothing is sent.',
      },
      capture: {
        succeeded: (amount: string) =>
          `${amount} counts as paid, the transaction becomes Successful, and your application gets the Transaction notification.`,
        not_made: () => 'The transaction stays Authorized, and can be captured or voided again.',
        dismissed: () => 'The transaction stays as it is, and nothing is sent.',
      },
      void: {
        succeeded: () => 'The transaction becomes Voided, and your application gets the Update notification.',
        not_made: () => 'The transaction stays Authorized, and can be captured or voided again.',
        dismissed: () => 'The transaction stays as it is, and nothing is sent.',
      },
    },
    dismissesWord:
      'The transaction stays as it is, and nothing is sent. Only this sentence is dismissed: if the gateway says something else, it is listed again.',
    inAnswerTo: 'In answer to',
    chooseSentence: 'Which one did you see to? Each is dismissed by itself.',
    chooseVerdict: 'What happened?',
    gatewayRef: 'Gateway’s reference',
    gatewayRefHint: 'As the gateway calls it, such as ch_… or pi_…. The gateway is asked whether it is the right one.',
    note: 'Why',
    noteHint: 'What you saw at the gateway. It is kept for ever; no card numbers.',
    recorded: 'It is on record.',
  },
  es: {
    title: 'En duda',
    lead: 'Lo que ninguna pasarela ha probado: pudo mover dinero o no. Aquí no se adivina nada.',
    open: 'Abiertas',
    settled: 'Resueltas por personas',
    show: 'Mostrar',
    none: 'No hay nada en duda',
    noneSays:
      'Cuando una pasarela no responde, lo que se le pidió aparece aquí hasta que pruebe qué pasó o un propietario lo resuelva.',
    noneSettled: 'Nadie ha resuelto nada todavía',
    noneSettledSays: 'Lo que resuelve un propietario aparece aquí, con quién lo decidió y por qué.',
    kinds: { charge: 'Cobro', capture: 'Captura', void: 'Anulación', refund: 'Reembolso' },
    what: 'Qué',
    amount: 'Importe',
    since: 'Desde',
    state: 'Estado',
    gateway: 'Pasarela',
    states: {
      asking: 'Se pregunta a la pasarela',
      person: 'Requiere su atención',
      succeeded: 'Se hizo',
      notMade: 'No se hizo',
    },
    of: (kind: string, amount: string) => `${kind} de ${amount}`,
    transaction: 'Transacción',
    seeTransaction: 'Ver la transacción',
    operation: 'Operación',
    ref: 'Referencia de la pasarela',
    chargeRef: 'Referencia de su cobro',
    card: 'Tarjeta',
    cardEnding: (mask: string) => `terminada en ${mask}`,
    sendings: 'Enviada',
    times: (count: number) => (count === 1 ? 'una vez' : `${count} veces`),
    nextAsk: 'Próxima pregunta',
    notAsked: 'Ya no se le pregunta automáticamente',
    lastHeard: 'Última respuesta',
    why: 'Por qué solo puede resolverlo una persona',
    known: 'Lo que se sabe',
    lookFor: 'Qué buscar en la pasarela',
    lookForSays: {
      charge: (amount: string) =>
        `Busque allí un pago de ${amount} hecho hacia esa hora. Es este si lleva uno de estos datos:`,
      refund: (amount: string) =>
        `Abra allí el pago y busque un reembolso de ${amount}. Es este si lleva uno de estos datos:`,
      capture: () => 'Abra allí el pago y compruebe si el importe autorizado fue capturado.',
      void: () => 'Abra allí el pago y compruebe si la autorización fue anulada.',
    },
    marks: {
      stripe: 'metadato tillbell_operation',
      braintree: 'ID de pedido',
      test: 'id de la operación',
    },
    asked: 'Cada pregunta y lo que se oyó',
    notAskedYet: 'Todavía no se ha vuelto a preguntar.',
    steps: {
      send_again: 'Enviada otra vez con el mismo id',
      fence_and_look_up: 'Bloqueada y luego consultada',
      look_up: 'Consultada',
      leave_to_a_person: 'Dejada a una persona',
    },
    ask: (number: number) => `Pregunta ${number}`,
    decided: 'Decidido',
    settle: 'Resolver',
    settleLead: 'Mire antes en la pasarela. Lo que decida queda registrado a su nombre y no se puede deshacer aquí.',
    onlyOwner: 'Solo un propietario puede resolverlo.',
    mayProveItself:
      'Todavía se pregunta a la pasarela automáticamente: casi siempre prueba en minutos qué pasó. Esperar es seguro.',
    verdicts: { succeeded: 'Se hizo', not_made: 'No se hizo', dismissed: 'Descartar' },
    effects: {
      charge: {
        succeeded: (amount: string) =>
          `${amount} cuenta como cobrado, la transacción pasa a Cobrada (o Autorizada) y su aplicación recibe la notificación de Transacción.`,
        not_made: (amount: string) =>
          `No cuenta nada como cobrado: la transacción pasa a Fallida, su aplicación recibe la notificación de Error y el cliente puede pagar otra vez. Si la pasarela tomó ${amount} de todos modos, pagaría dos veces.`,
        dismissed: (amount: string) =>
          `La transacción queda como está y no se envía nada. Hágalo solo después de devolver ${amount} en la pasarela.`,
      },
      refund: {
        succeeded: (amount: string) =>
          `${amount} cuenta como reembolsado y su aplicación recibe la notificación de Actualización.`,
        not_made: (amount: string) =>
          `${amount} se puede volver a reembolsar. Si la pasarela lo reembolsó de todos modos, un segundo reembolso lo devolvería dos veces.`,
        dismissed: () => 'La transacción queda como está y no se envía nada.',
      },
      capture: {
        succeeded: (amount: string) =>
          `${amount} cuenta como cobrado, la transacción pasa a Cobrada y su aplicación recibe la notificación de Transacción.`,
        not_made: () => 'La transacción sigue Autorizada y se puede volver a capturar o anular.',
        dismissed: () => 'La transacción queda como está y no se envía nada.',
      },
      void: {
        succeeded: () => 'La transacción pasa a Anulada y su aplicación recibe la notificación de Actualización.',
        not_made: () => 'La transacción sigue Autorizada y se puede volver a capturar o anular.',
        dismissed: () => 'La transacción queda como está y no se envía nada.',
      },
    },
    dismissesWord:
      'La transacción queda como está y no se envía nada. Solo se descarta este aviso: si la pasarela dice otra cosa, vuelve a aparecer.',
    inAnswerTo: 'En respuesta a',
    chooseSentence: '¿De cuál se ha ocupado? Cada aviso se descarta por separado.',
    chooseVerdict: '¿Qué pasó?',
    gatewayRef: 'Referencia de la pasarela',
    gatewayRefHint: 'Como la llama la pasarela, por ejemplo ch_… o pi_…. Se pregunta a la pasarela si es la correcta.',
    note: 'Por qué',
    noteHint: 'Lo que vio en la pasarela. Se guarda para siempre; sin números de tarjeta.',
    recorded: 'Queda registrado.',
  },
})
