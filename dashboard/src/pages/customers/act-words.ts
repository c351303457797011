// What the dialogs on a customer's page say.

import { inBoth } from '../../words/language.tsx'

export const actWords = inBoth({
  en: {
    erase: 'Erase customer',
    eraseTitle: 'Erase this customer',
    eraseSays:
      'Names, addresses, cards and the texts of mails and notifications are deleted for ever, here and at the gateway. Amounts and dates of payments stay. Notifications that are still owed go out first.',
    typeEmail: (email: string) => `To confirm, type ${email}`,
    eraseAction: (email: string) => `Erase ${email}`,
    erased: 'The customer was erased.',
    removeTitle: 'Remove this card',
    removeSays: (card: string) =>
      `${card} is removed at the gateway and here. It cannot be charged any more; payments made with it can still be refunded.`,
    removeAction: (card: string) => `Remove ${card}`,
    removed: (card: string) => `${card} was removed.`,
    link: 'Link to add a card',
    linkTitle: 'A link for this customer',
    linkSays: (email: string) =>
      `Whoever opens it can store one card for ${email}. It works once: send it to nobody else.`,
    linkAction: 'Make the link',
    linkMade: 'The link',
    linkUntil: 'Good until',
    done: 'Done',
  },
  es: {
    erase: 'Borrar cliente',
    eraseTitle: 'Borrar este cliente',
    eraseSays:
      'Los nombres, direcciones, tarjetas y los textos de correos y notificaciones se eliminan para siempre, aquí y en la pasarela. Los importes y fechas de los pagos se conservan. Antes se envían las notificaciones pendientes.',
    typeEmail: (email: string) => `Para confirmar, escriba ${email}`,
    eraseAction: (email: string) => `Borrar ${email}`,
    erased: 'El cliente fue borrado.',
    removeTitle: 'Eliminar esta tarjeta',
    removeSays: (card: string) =>
      `${card} se elimina en la pasarela y aquí. Ya no se podrá cobrar en ella; los pagos hechos aún se pueden reembolsar.`,
    removeAction: (card: string) => `Eliminar ${card}`,
    removed: (card: string) => `Se eliminó ${card}.`,
    link: 'Enlace para añadir una tarjeta',
    linkTitle: 'Un enlace para este cliente',
    linkSays: (email: string) =>
      `Quien lo abra puede guardar una tarjeta para ${email}. Sirve una sola vez: no lo envíe a nadie más.`,
    linkAction: 'Crear el enlace',
    linkMade: 'El enlace',
    linkUntil: 'Válido hasta',
    done: 'Listo',
  },
})
