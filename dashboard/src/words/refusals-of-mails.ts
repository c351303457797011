// Why a customer's mail was not believed or came to nothing, and why it was not answered, in Spanish.

import type { Sentences } from './refusals.ts'

export const esMails: Sentences = [
  // Whether its sender is believed.
  ['No signature holds.', 'Ninguna firma es válida.'],
  ['The mail is not signed.', 'El correo no está firmado.'],
  ['There is more than one of: {1}.', 'Aparece más de una vez: {1}.'],
  ['It has no {1}.', 'Le falta {1}.'],
  ['There is not exactly one From.', 'No hay exactamente un encabezado From.'],
  ['From is not one plain address.', 'From no es una sola dirección sencilla.'],
  ['There is not exactly one address in From.', 'En From no hay exactamente una dirección.'],
  ['The name in From shows another address.', 'El nombre en From muestra otra dirección.'],
  ['From can be read in more than one way.', 'From se puede leer de más de una manera.'],
  ['To or Cc is not a list of plain addresses.', 'To o Cc no es una lista de direcciones sencillas.'],
  ['It was not sent to the payment address alone.', 'No se envió solo a la dirección de pago.'],
  ['It names more than one address of this service.', 'Nombra más de una dirección de este servicio.'],
  ['A part of it is in a charset that nobody knows.', 'Una parte usa un juego de caracteres desconocido.'],
  ['Its date cannot be read.', 'No se puede leer su fecha.'],
  ['Its date is not within 48 hours.', 'Su fecha se aparta más de 48 horas.'],
  ['The signature leaves a part of the body open.', 'La firma no cubre todo el cuerpo.'],
  ['The signature does not hold: {1}.', 'La firma no es válida: {1}.'],
  ['The signature has expired.', 'La firma ha caducado.'],
  ['The signature is only a trial, says its owner.', 'La firma es solo una prueba, según su dueño.'],
  ['The signature is not of the sender’s domain.', 'La firma no es del dominio del remitente.'],
  ['The signature does not cover the Subject.', 'La firma no cubre el asunto.'],
  ['The signature does not cover {1}.', 'La firma no cubre {1}.'],
  [
    'The mail quotes others, and the signature leaves open how it is to be read.',
    'El correo cita otros, y la firma no fija cómo debe leerse.',
  ],
  ['The signature does not say when it was made.', 'La firma no dice cuándo se hizo.'],
  ['The signature is from the future.', 'La firma es del futuro.'],
  ['The signature is older than 48 hours.', 'La firma tiene más de 48 horas.'],
  ['It has no sender to answer to.', 'No tiene un remitente al que responder.'],
  ['Its sender is a machine.', 'Su remitente es una máquina.'],
  ['It is from a machine.', 'Es de una máquina.'],
  ['It says it is automatic.', 'Dice que es automático.'],
  ['It is bulk mail.', 'Es un envío masivo.'],
  ['It comes from a mailing list.', 'Viene de una lista de correo.'],
  ['It wants no answer.', 'No quiere respuesta.'],
  ['It is an automatic answer.', 'Es una respuesta automática.'],
  ['It is a report.', 'Es un informe de entrega.'],
  ['It is from this service itself.', 'Es de este mismo servicio.'],

  // Whether its words say that its sender wants to pay.
  ['It answers or forwards another mail.', 'Responde a otro correo o lo reenvía.'],
  ['There is not exactly one Subject.', 'No hay exactamente un asunto.'],
  [
    'It is not plain text alone, or with an HTML part that says the same.',
    'No es solo texto sin formato, ni va con una parte HTML que diga lo mismo.',
  ],
  [
    'The signature leaves open how it is to be read, and without that it does not say just its words.',
    'La firma no fija cómo debe leerse, y sin eso no dice solo sus palabras.',
  ],
  ['Its token is not in each of its parts just once.', 'Su token no está una sola vez en cada una de sus partes.'],
  ['Its Sender is not its From.', 'Su remitente (Sender) no es el de su From.'],
  ['Its signature is for another user than its From.', 'Su firma es de otro usuario que el de su From.'],
  ['Its words are not those of a payment link.', 'Sus palabras no son las de un enlace de pago.'],

  // Why it came to nothing.
  ['Another copy of this mail proves its sender.', 'Otra copia de este correo prueba quién lo envió.'],
  ['A copy of this mail was paid before.', 'Una copia de este correo ya se pagó.'],
  ['Its token could not pay when it came, and it was refused.', 'Su token no podía pagar cuando llegó, y se rechazó.'],
  ['Its token was used or revoked before.', 'Su token ya se usó o se revocó.'],
  [
    'Its sender is not proven to be who is asked to confirm.',
    'No está probado que su remitente sea quien tiene que confirmar.',
  ],
  ['The payment that it confirms waits no more.', 'El pago que confirma ya no espera.'],
  [
    'Its sender has no card any more that can be charged by mail: they were asked for one by a link.',
    'El remitente ya no tiene ninguna tarjeta que se pueda cobrar por correo: se le pidió una mediante un enlace.',
  ],
  [
    'Its words are not those of its link: its sender was asked to confirm the payment by a link.',
    'Sus palabras no son las de su enlace: se pidió al remitente que confirme el pago con un enlace.',
  ],
  [
    'The offer may have been paid before: its sender was asked to confirm the payment by a link.',
    'La oferta puede haberse pagado antes: se pidió al remitente que confirme el pago con un enlace.',
  ],
  [
    'Something changed meanwhile: its sender was asked to confirm the payment by a link.',
    'Algo cambió mientras tanto: se pidió al remitente que confirmara el pago mediante un enlace.',
  ],

  // Why it was not answered.
  ['There is no relay.', 'No hay ningún servidor para enviar correo.'],
  ['There is nobody to answer.', 'No hay a quién responder.'],
  ['The merchant has turned it off.', 'El comercio lo ha desactivado.'],
  ['The payment has changed since.', 'El pago ha cambiado desde entonces.'],
]
