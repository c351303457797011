// What mails to customers say, in Spanish.

import { bdi, html } from '../html.ts'
import type { enMail } from './mail-en.ts'
import { said } from './said.ts'

export const esMail: typeof enMail = {
  to: 'Comercio',
  number: 'Número de pago',
  ignore: 'Si no ha sido usted, ignore este mensaje. No se cobra nada.',
  nothingYet: 'No se ha cobrado nada.',
  payOnPage: 'Pagar en nuestra página',

  proof: {
    subject: merchant => `Su enlace para pagar a ${merchant}`,
    heading: 'Continúe con su pago',
    asks: (merchant, title) =>
      html`Alguien, probablemente usted, está a punto de hacer un pago a ${bdi(merchant)} por «${bdi(title)}» y ha pedido usar una tarjeta guardada con esta dirección de correo.`,
    how: 'Para continuar, abra este enlace en el navegador en el que está pagando y pulse el botón que aparece.',
    button: 'Continuar',
    until:
      'El enlace sirve una sola vez y caduca al cabo de una hora. Si no hay ninguna tarjeta guardada, podrá introducir una.',
    notYou: 'Si no ha sido usted, ignore este mensaje. No se cobra nada y nadie ve sus datos.',
  },

  savedCard: {
    subject: merchant => `Confirme su dirección de correo para ${merchant}`,
    heading: 'Confirme su dirección de correo',
    asks: (merchant, title) =>
      html`Alguien, probablemente usted, ha pagado a ${bdi(merchant)} por «${bdi(title)}» y ha guardado una tarjeta con esta dirección de correo.`,
    how: 'Para volver a pagar con esa tarjeta, abra este enlace en el navegador en el que pagó y pulse el botón que aparece.',
    button: 'Confirmar',
    until: 'El enlace sirve una sola vez y caduca al cabo de una hora. Con él no se cobra nada.',
    notYou: 'Si no ha sido usted, ignore este mensaje. No se cobra nada y nadie ve sus datos.',
  },

  receipt: {
    subject: (merchant, amount) => `Su recibo: ${amount} a ${merchant}`,
    paid: merchant => said('Pago realizado', html`Gracias. ${bdi(merchant)} ha recibido su pago.`),
    keep: 'Guarde este mensaje: es su recibo.',
    reservedSubject: (merchant, amount) => `Reservado: ${amount} para ${merchant}`,
    keepReserved: 'Guarde este mensaje: es su confirmación.',
    notYou: merchant => html`Si usted no ha hecho este pago, avise a ${bdi(merchant)} cuanto antes.`,
  },

  furtherAction: {
    subject: merchant => `Su pago a ${merchant}: falta un paso`,
    heading: 'Falta un paso',
    someoneAsked: merchant => html`Un correo enviado desde su dirección pidió pagar a ${bdi(merchant)}.`,
    noCard: merchant =>
      html`Usted pidió por correo pagar a ${bdi(merchant)}. Allí no hay ninguna tarjeta guardada con su dirección que se pueda usar por correo.`,
    somethingAsked: merchant =>
      html`Usted pidió por correo pagar a ${bdi(merchant)}, que necesita algo más de usted, como una dirección.`,
    how: 'Para continuar, abra el enlace de abajo: allí podrá comprobarlo todo antes de pagar.',
    button: 'Continuar',
    until: 'El enlace sirve una sola vez y caduca a los 7 días.',
  },

  confirm: {
    subject: (merchant: string) => `Confirme su pago a ${merchant}`,
    asks: (merchant: string) =>
      said(
        '¿Quiere pagar?',
        html`Un correo desde su dirección pidió pagar a ${bdi(merchant)}.`,
        'Para pagar, abra el enlace y pulse el botón de esa página.',
      ),
    button: 'Revisar el pago',
    doNothing: 'Si no quería pagar, no haga nada.',
  },

  limit: {
    subject: merchant => `Confirme su pago a ${merchant}`,
    asks: merchant =>
      said(
        'Confirme su pago',
        html`Usted pidió por correo pagar a ${bdi(merchant)}. El pago supera el límite de los pagos por correo, así que le pedimos que lo confirme.`,
        'Para confirmarlo, abra el enlace de abajo y envíe el correo que se abre, antes de una hora.',
      ),
    button: 'Confirmar por correo',
    orPage: 'También puede pagar en nuestra página. El enlace sirve una sola vez y caduca a los 7 días:',
  },

  bank: {
    subject: merchant => `Su banco le pide que confirme su pago a ${merchant}`,
    asks: merchant =>
      said(
        'Confirme su pago',
        html`Usted pidió por correo pagar a ${bdi(merchant)} y su banco le pide que lo confirme.`,
      ),
    button: 'Confirmar este pago',
    until: 'Confírmelo antes de 30 minutos, por favor.',
  },

  error: {
    subject: merchant => `Su pago a ${merchant} no se ha realizado`,
    asked: merchant => said('Su pago no se ha realizado', html`Usted pidió por correo pagar a ${bdi(merchant)}.`),
  },
}
