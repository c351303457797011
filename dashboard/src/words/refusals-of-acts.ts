// Why something cannot be done, or not now: refusals that are about what is there, in Spanish.

import type { Sentences } from './refusals.ts'

export const esActs: Sentences = [
  // People and sessions.
  ['Sign in first.', 'Inicie sesión primero.'],
  ['This must be asked from the dashboard.', 'Esto solo se puede pedir desde el panel.'],
  ['X-CSRF-Token is missing or wrong: load the page again.', 'La página es demasiado antigua: vuelva a cargarla.'],
  ['The header Host is missing.', 'Falta la cabecera Host.'],
  ['Only an owner may do this.', 'Solo un propietario puede hacerlo.'],
  ['The address must not hold NUL (%00).', 'La dirección no debe contener el carácter NUL (%00).'],
  ['Only an owner or a developer may do this.', 'Solo un propietario o un desarrollador puede hacerlo.'],
  ['The email address or the password is wrong.', 'El correo o la contraseña no son correctos.'],
  ['That is not your password.', 'Esa no es su contraseña.'],
  ['The password is wrong.', 'La contraseña no es correcta.'],
  ['Enter the code from your authenticator.', 'Escriba el código de su autenticador.'],
  ['That code is wrong or was used before.', 'Ese código no es correcto o ya se usó.'],
  ['A password must have at least {1} characters.', 'La contraseña debe tener {1} caracteres como mínimo.'],
  ['A password must have at most {1} bytes.', 'La contraseña debe ocupar {1} bytes como máximo.'],
  ['That password is too close to the email address.', 'Esa contraseña se parece demasiado al correo.'],
  [
    'That password is too simple: use more different characters, in no obvious order.',
    'Esa contraseña es demasiado simple: use caracteres más variados, sin un orden evidente.',
  ],
  ['That password is one of those that are guessed first.', 'Esa contraseña es de las primeras que se adivinan.'],
  [
    'There is no authenticator to confirm: set one up again.',
    'No hay ningún autenticador por confirmar: configúrelo de nuevo.',
  ],
  ['A second factor is in force already.', 'Ya hay un segundo factor activado.'],
  ['No second factor is in force.', 'No hay ningún segundo factor activado.'],
  ['This link was used before, has expired or is not whole.', 'Este enlace ya se usó, ha caducado o está incompleto.'],
  ['This email address has a login already: sign in with it.', 'Este correo ya tiene acceso: inicie sesión con él.'],
  [
    'There must be an owner: make somebody else one first.',
    'Tiene que haber un propietario: dé antes ese rol a otra persona.',
  ],
  ['is in your team already.', 'ya está en su equipo.'],
  [
    'has a login with another merchant here: a person needs another address for a second one.',
    'ya tiene acceso con otro comercio de este servicio: para un segundo acceso hace falta otro correo.',
  ],
  [
    'There are too many open invitations: revoke some first.',
    'Hay demasiadas invitaciones abiertas: anule antes alguna.',
  ],
  [
    'No email goes out of this service, and it has other merchants too, so the invitation cannot be handed over here. Ask whoever runs the service to use "tillbell login invite", or to set TILLBELL_MAIL_RELAY.',
    'Este servicio no envía correo y tiene también otros comercios, así que la invitación no se puede entregar aquí. Pida a quien administra el servicio que use «tillbell login invite» o que configure TILLBELL_MAIL_RELAY.',
  ],
  ['Too many tries: try again in {1}.', 'Demasiados intentos: inténtelo de nuevo en {1}.'],
  ['1 second', '1 segundo'],
  ['{1} seconds', '{1} segundos'],
  ['{1} minutes', '{1} minutos'],
  ['Too many tries: wait, then try again.', 'Demasiados intentos: espere e inténtelo de nuevo.'],

  // The service itself.
  ['Too many requests.', 'Demasiadas solicitudes. Espere un momento.'],
  [
    'Too many requests came from your network. Try again in a moment.',
    'Llegaron demasiadas solicitudes desde su red. Inténtelo de nuevo en un momento.',
  ],
  [
    'Transaction {1}, paid with an earlier link of this customer, is still open. Make a new link when it has failed or was voided.',
    'La transacción {1}, pagada con un enlace anterior de este cliente, sigue abierta. Cree un enlace nuevo cuando haya fallado o se haya anulado.',
  ],
  [
    'The body must not be compressed: leave out Content-Encoding.',
    'El cuerpo no debe estar comprimido: omita Content-Encoding.',
  ],
  [
    'Too many tests are being sent. Try again when some of them have been answered.',
    'Se están enviando demasiadas pruebas. Inténtelo de nuevo cuando algunas hayan recibido respuesta.',
  ],
  [
    'Another range of deliveries is being sent again. Try again when that request has been answered.',
    'Ya se está enviando de nuevo otro intervalo de entregas. Inténtelo de nuevo cuando termine esa solicitud.',
  ],
  [
    'Too many lists are being read at once. Try again.',
    'Se están leyendo demasiadas listas a la vez. Inténtelo de nuevo.',
  ],
  [
    'Too many large requests are being read at once. Try again.',
    'Se están leyendo demasiadas solicitudes grandes a la vez. Inténtelo de nuevo.',
  ],
  ['The same request is still being processed.', 'La misma solicitud todavía se está procesando.'],
  ['was already used with other arguments.', 'ya se usó con otros datos. Vuelva a cargar la página.'],
  ['There is nothing here.', 'Aquí no hay nada.'],
  ['The service is stopping. Try again.', 'El servicio se está reiniciando. Inténtelo de nuevo.'],
  ['The body did not arrive.', 'Lo enviado no llegó entero. Inténtelo de nuevo.'],
  ['The request did not arrive in time.', 'La solicitud no llegó a tiempo. Inténtelo de nuevo.'],
  [
    "The service's data is away for a moment, and this may have been done or not. Ask again, under the same Idempotency-Key. The request id is {1}.",
    'Los datos del servicio no están disponibles por un momento, y esto puede haberse hecho o no. Inténtelo de nuevo. El id de la solicitud es {1}.',
  ],
  [
    'The service has too much to do at the moment, and nothing was done. Try again.',
    'El servicio tiene demasiado que hacer en este momento, y no se ha hecho nada. Inténtelo de nuevo.',
  ],
  [
    'Something went wrong on our side. The request id is {1}.',
    'Se produjo un error por nuestra parte. El id de la solicitud es {1}.',
  ],
  ['An export is under way already: wait until it is done.', 'Ya hay una exportación en curso: espere a que termine.'],
  [
    'Only the demo merchant of a sandbox has this.',
    'Esto solo lo tiene el comercio de demostración de un entorno de pruebas.',
  ],
  [
    'Only the demo merchant moves the clock: it is shared by all.',
    'Solo el comercio de demostración adelanta el reloj, porque es común a todos.',
  ],

  // Keys, endpoints and hooks.
  [
    'A merchant has at most {1} API keys in force. Revoke one first.',
    'Puede tener {1} claves de API vigentes como máximo. Revoque antes una.',
  ],
  [
    'There is a next key already: make it current, or delete it.',
    'Ya hay una clave siguiente: hágala actual o elimínela.',
  ],
  [
    'There are already {1} former keys that open tokens. Mark one as compromised, so that its tokens do not open any more, and then create the next key.',
    'Ya hay {1} claves anteriores que abren códigos. Marque una como comprometida, para que sus códigos dejen de abrirse, y después cree la clave siguiente.',
  ],
  [
    'The customer was erased, and this answer with it.',
    'Los datos del cliente se borraron, y esta respuesta con ellos.',
  ],
  ['That key was deleted: its private half is destroyed.', 'Esa clave se eliminó: su mitad privada está destruida.'],
  ['That key is current: make another one current first.', 'Esa clave es la actual: haga antes actual otra.'],
  ['cannot be changed: make another endpoint.', 'no se puede cambiar: cree otro endpoint.'],
  ['A merchant has at most {1} gateways.', 'Un comercio tiene {1} pasarelas como máximo.'],
  [
    'A merchant has at most {1} endpoints. Delete one first.',
    'Puede tener {1} endpoints como máximo. Elimine antes uno.',
  ],
  [
    'can be pre_sale for at most {1} endpoints of a merchant, paused ones included. Delete one first.',
    'puede ser «Preventa» en {1} endpoints de un comercio como máximo, contando también los pausados. Elimine antes uno.',
  ],
  [
    'Too many secrets were replaced within a day. Try again when the oldest has run out.',
    'Se renovaron demasiados secretos en un día. Inténtelo de nuevo cuando haya vencido el más antiguo.',
  ],
  ['is not on for this endpoint, so it has no secret.', 'no está activado en este endpoint, así que no tiene secreto.'],
  ['A check is under way: wait until it has ended.', 'Hay una comprobación en curso: espere a que termine.'],
  [
    'Pre-Sale is asked once, before the sale, and never again.',
    'La preventa se pregunta una sola vez, antes de la venta, y no se reenvía.',
  ],
  ['The endpoint was deleted.', 'El endpoint se eliminó.'],
  [
    'Nobody listens there any more. `tillbell listen --backfill 1h` sends it again to one that does.',
    'Allí ya no escucha nadie. Con `tillbell listen --backfill 1h` se reenvía a quien escuche.',
  ],
  ['The endpoint is paused: resume it first.', 'El endpoint está en pausa: reanúdelo antes.'],
  [
    'The details of this notification were erased, and cannot be sent again.',
    'El contenido de esta notificación se borró y no se puede reenviar.',
  ],
  ['A redirect is not followed.', 'No se siguen las redirecciones.'],
  ['The endpoint answered {1}.', 'El endpoint respondió {1}.'],

  // Payments and what follows them.
  ['is {1}, so it cannot be {2}.', 'está en el estado «{1}» y no se puede {2}.'],
  [
    'has nothing left to refund: refunds of all of it are under way.',
    'no le queda nada por reembolsar: ya hay reembolsos en curso por todo el importe.',
  ],
  [
    'has a refund that may have been made although it is not written down. Settle it first (tillbell doubt).',
    'tiene un reembolso que quizá se hizo aunque no conste. Resuélvalo antes (tillbell doubt).',
  ],
  [
    'is being changed by others. Nothing was done: ask again.',
    'la están modificando otros. No se hizo nada: vuelva a pedirlo.',
  ],
  ['has a capture or void under way.', 'tiene una captura o anulación en curso.'],
  ['is more than what can still be refunded ({1}).', 'es más de lo que aún se puede reembolsar ({1}).'],
  [
    'must be all that is left ({1}): the transaction already has {2} refunds.',
    'debe ser todo lo que queda ({1}): la transacción ya tiene {2} reembolsos.',
  ],
  [
    'The payment already has {1} refunds that were declined or not sent. Make this refund at the gateway itself.',
    'El pago ya tiene {1} reembolsos rechazados o no enviados. Haga este reembolso en la propia pasarela.',
  ],
  ['is more than what is authorised ({1}).', 'es más de lo autorizado ({1}).'],
  ['makes the total too large.', 'hace que el total sea demasiado grande.'],
  ['names a card whose gateway is not active.', 'su pasarela no está activa.'],
  ["service_offer's gateway is not active.", 'La pasarela de la oferta no está activa.'],
  ['names a card that was removed.', 'se eliminó.'],
  ['names a card that was given for one payment only.', 'se dio para un único pago.'],
  ['names a card whose payment has not succeeded.', 'es de un pago que no se completó.'],
  ['names a card that has expired.', 'está vencida.'],
  ["names a card that is not stored at the offer's gateway.", 'no está guardada en la pasarela de la oferta.'],
  ['is not active any more.', 'ya no está activa.'],
  ['has expired.', 'ha caducado.'],
  ['is used up: not enough units are left.', 'está agotada: no quedan unidades suficientes.'],
  ['is for another customer.', 'es para otro cliente.'],

  // Why a payment failed, and what it waits for.
  [
    'The merchant stopped the sale before the card was charged.',
    'El comercio detuvo la venta antes de cobrar la tarjeta.',
  ],
  [
    'The merchant could not be asked before the sale, so the card was not charged.',
    'No se pudo preguntar al comercio antes de la venta, así que no se cobró nada a la tarjeta.',
  ],
  [
    'The payment gateway did not carry the charge out in time; the card was not charged.',
    'La pasarela de pago no hizo el cobro a tiempo; no se cobró nada a la tarjeta.',
  ],
  ['Processing was interrupted before the card was charged.', 'El proceso se interrumpió antes de cobrar la tarjeta.'],
  [
    'The customer did not complete the payment in time; the card was not charged.',
    'El cliente no completó el pago a tiempo; no se cobró nada a la tarjeta.',
  ],
  ['The offer is not active any more; nothing was charged.', 'La oferta ya no está activa; no se cobró nada.'],
  ['The offer has expired; nothing was charged.', 'La oferta ha caducado; no se cobró nada.'],
  ['The offer is used up; nothing was charged.', 'La oferta está agotada; no se cobró nada.'],
  ['The offer is for another customer; nothing was charged.', 'La oferta es para otro cliente; no se cobró nada.'],
  ['The payment gateway is not active; nothing was charged.', 'La pasarela de pago no está activa; no se cobró nada.'],
  [
    'Another copy of the same mail took its place; nothing was charged.',
    'Otra copia del mismo correo ocupó su lugar; no se cobró nada.',
  ],
  [
    'The customer has to take a further step before the card can be charged.',
    'El cliente tiene que dar otro paso antes de que se pueda cobrar la tarjeta.',
  ],
  [
    'The mail does not prove who sent it: the customer has to confirm the payment.',
    'El correo no prueba quién lo envió: el cliente tiene que confirmar el pago.',
  ],
  [
    'The customer has no card that can be charged by mail, and has to give one.',
    'El cliente no tiene ninguna tarjeta con la que pagar por correo y tiene que dar una.',
  ],
  ['The customer has to answer what the offer asks for.', 'El cliente tiene que responder a lo que pide la oferta.'],
  [
    'The customer has to confirm the payment with the link that was sent to them by email.',
    'El cliente tiene que confirmar el pago con el enlace que se le envió por correo.',
  ],
  [
    "The payment is over the customer's limits for mail, and has to be confirmed.",
    'El pago supera los límites del cliente para pagar por correo y hay que confirmarlo.',
  ],

  // What is in doubt, and what was heard of it.
  ['must say why it is settled so.', 'debe decir por qué se resuelve así.'],
  ['is for what succeeded.', 'solo se indica para lo que se hizo.'],
  [
    "may be a card number: it must be the gateway's own reference.",
    'parece un número de tarjeta: debe ser la referencia propia de la pasarela.',
  ],
  ['must be visible characters without blanks.', 'debe tener solo caracteres visibles, sin espacios.'],
  [
    'is required: a {1} that succeeded has a reference at the gateway.',
    'es obligatoria: la operación ({1}), si se hizo, tiene una referencia en la pasarela.',
  ],
  [
    "A {1} that succeeded needs the gateway's own reference to it (--gateway-ref).",
    'Si la operación ({1}) se hizo, hace falta la referencia que le da la pasarela.',
  ],
  [
    "The gateway's reference {1} is not that of this {2}: what the gateway has there does not name it, or there is nothing.",
    'La referencia {1} de la pasarela no es la de esta operación ({2}): lo que la pasarela tiene con ella no la nombra, o no hay nada.',
  ],
  [
    'The gateway did not answer, so the reference {1} cannot be checked. Nothing has changed: try again when it answers.',
    'La pasarela no respondió, así que no se puede comprobar la referencia {1}. No ha cambiado nada: inténtelo de nuevo cuando responda.',
  ],
  [
    'A {1} is found by the reference of its charge: leave out --gateway-ref.',
    'La operación ({1}) se encuentra por la referencia de su cobro: no indique otra.',
  ],
  ['A dismissal must say which sentence it answers.', 'Al descartar hay que decir qué aviso se descarta.'],
  ['answers is required: the sentence that is dismissed.', 'Falta el aviso que se descarta.'],
  [
    'What is said of it has changed meanwhile, and nothing was dismissed. It now says: {1}',
    'El aviso ha cambiado entretanto y no se descartó nada. Ahora dice: {1}',
  ],
  [
    'The gateway does not know of a {1} that a person had settled as succeeded.',
    'La pasarela no conoce una operación ({1}) que una persona había resuelto como hecha.',
  ],
  [
    'The gateway still waits for its customer to confirm a {1} that a person had settled as succeeded.',
    'La pasarela todavía espera que el cliente confirme una operación ({1}) que una persona había resuelto como hecha.',
  ],
  [
    'The gateway says otherwise of a {1} that a person had settled as succeeded. {2}',
    'La pasarela dice otra cosa de una operación ({1}) que una persona había resuelto como hecha. {2}',
  ],
  [
    'This {1} is written down already, as operation {2}. Dismiss it.',
    'Esta operación ({1}) ya está anotada, como la operación {2}. Descártela.',
  ],
  [
    'The gateway has a second {1} under the id of this {2}: {3}, beside {4}. Look there whether money was moved twice and put it right, then dismiss this.',
    'La pasarela tiene otra operación ({1}) con el identificador de esta ({2}): {3}, además de {4}. Mire allí si el dinero se movió dos veces, corríjalo y descarte este aviso.',
  ],
  [
    'The gateway reported more about this {1} than is listed here. Reports that are only in the log: {2}. Look there at everything under the id of this {3}, then dismiss this.',
    'La pasarela informó de más cosas sobre esta operación ({1}) de las que aparecen aquí. Informes que solo están en el registro: {2}. Mire allí todo lo que lleva el identificador de esta operación ({3}) y descarte este aviso.',
  ],
  [
    'The gateway reports a second refund of {1} under the id of one of ours. If the customer got both, accept it; else put it right there and dismiss it.',
    'La pasarela informa de un segundo reembolso de {1} con el identificador de uno nuestro. Si el cliente recibió los dos, acéptelo; si no, corríjalo allí y descártelo.',
  ],
  [
    "The gateway's reference {1} is that of a {2} of transaction {3} already.",
    'La referencia {1} de la pasarela ya es de otra operación ({2}) de la transacción {3}.',
  ],
  [
    "The gateway's reference must be visible characters, at most 255, and no blanks.",
    'La referencia de la pasarela debe tener 255 caracteres visibles como máximo, sin espacios.',
  ],
  [
    'It is under way or being asked about just now; try again in a moment.',
    'Ahora mismo está en curso o se está preguntando por ella; inténtelo de nuevo en un momento.',
  ],
  ['The {1} waits for its customer: it is not in doubt.', 'La operación ({1}) espera al cliente: no está en duda.'],
  [
    'The {1} is settled already: it succeeded. What the gateway said since can be dismissed.',
    'La operación ({1}) ya está resuelta: se hizo. Lo que la pasarela dijo después se puede descartar.',
  ],
  ['The {1} is settled already: it succeeded.', 'La operación ({1}) ya está resuelta: se hizo.'],
  [
    'The gateway says that the {1} succeeded: it is settled so.',
    'La pasarela dice que la operación ({1}) se hizo: así queda resuelta.',
  ],
  [
    'The gateway says that the {1} was not made: it is settled so.',
    'La pasarela dice que la operación ({1}) no se hizo: así queda resuelta.',
  ],
  [
    'The gateway reports as not made a {1} that a person had settled as succeeded.',
    'La pasarela informa de que no se hizo una operación ({1}) que una persona había resuelto como hecha.',
  ],
  [
    "The gateway's reference for this {1}, {2}, is that of another one.",
    'La referencia de la pasarela para esta operación ({1}), {2}, es la de otra.',
  ],
  [
    'What the gateway said could not be written down. It is asked again; the log says what failed.',
    'No se pudo anotar lo que dijo la pasarela. Se le vuelve a preguntar; el registro dice qué falló.',
  ],
  [
    'The gateway reports a refund of {1}, which is more than is left of the payment.',
    'La pasarela informa de un reembolso de {1}, que es más de lo que queda del pago.',
  ],
  [
    'The gateway reports a refund of {1}, which cannot be written before a person has settled what is in its way.',
    'La pasarela informa de un reembolso de {1}, que no se puede anotar hasta que una persona resuelva lo que lo impide.',
  ],
  [
    'The gateway reports a {1} of {2} for what is {3}.',
    'La pasarela informa de una operación ({1}) de {2} para lo que está en el estado «{3}».',
  ],
  [
    'The gateway captured {1}, and {2} of it is written here. Give the difference of {3} back there, or keep it outside these books; then dismiss this.',
    'La pasarela capturó {1}, de los que {2} están anotados aquí. Devuelva allí la diferencia de {3}, o déjela fuera de estas cuentas; después descarte esto.',
  ],
  [
    'The gateway captured {1}, and {2} of it is written here. The refund {3} of the difference failed there, and {4} of it is left. Give that back there, or keep it outside these books; then dismiss this.',
    'La pasarela capturó {1}, de los que {2} están anotados aquí. El reembolso {3} de la diferencia falló allí y quedan {4}. Devuélvalos allí, o déjelos fuera de estas cuentas; después descarte esto.',
  ],
  [
    'This refund is in {1}, and the payment is in {2}. Put it right at the gateway, then dismiss it.',
    'Este reembolso es en {1} y el pago es en {2}. Corríjalo en la pasarela y después descártelo.',
  ],
  [
    'The {1} is still in doubt: it either succeeded or was not made.',
    'La operación ({1}) sigue en duda: o se hizo o no se hizo.',
  ],
  ['The {1} is settled already: it was {2}.', 'La operación ({1}) ya está resuelta como {2}.'],
  [
    'The {1} is settled as {2} already. Its late success can be accepted, or dismissed when the money was given back.',
    'La operación ({1}) ya está resuelta como {2}. Su éxito tardío se puede aceptar, o descartar si se devolvió el dinero.',
  ],
  ['Another capture or void of it is under way.', 'Hay otra captura o anulación en curso.'],
  [
    'The transaction is {1} without this charge. Put it right at the gateway, then dismiss it.',
    'La transacción está en el estado «{1}» sin este cobro. Corríjalo en la pasarela y después descártelo.',
  ],
  [
    'The transaction is {1}, so this {2} cannot count. Put it right at the gateway, then dismiss it.',
    'La transacción está en el estado «{1}», así que esta operación ({2}) no puede contar. Corríjalo en la pasarela y después descártelo.',
  ],
  [
    'This refund is of {1}, and only {2} is left to refund. Put it right at the gateway, then dismiss it.',
    'Este reembolso es de {1} y solo quedan {2} por reembolsar. Corríjalo en la pasarela y después descártelo.',
  ],
  [
    '{1} As succeeded it would be booked as asked. {2} at the gateway, then settle it as {3}.',
    '{1} Como «Se hizo» se anotaría por el importe pedido. {2} en la pasarela y después resuélvalo como {3}.',
  ],
  ['It succeeded.', 'Se hizo.'],
  ['It was declined: {1}.', 'Fue rechazada: {1}.'],
  ['It still waits for its customer.', 'Sigue esperando al cliente.'],
  ['The gateway asks the customer to act on a {1}.', 'La pasarela pide al cliente que actúe en una operación ({1}).'],
  [
    'Nothing was found there, which is no proof: it may still arrive.',
    'Allí no se encontró nada, lo que no prueba nada: todavía puede llegar.',
  ],
  ['Fenced at the gateway, and absent there.', 'Bloqueada en la pasarela, y allí no consta.'],
  [
    'The gateway was asked for three days and proved nothing; it is not asked again by itself.',
    'Se preguntó a la pasarela durante tres días y no probó nada; no se le vuelve a preguntar automáticamente.',
  ],
  [
    'The gateway cannot be opened, so that it cannot be asked.',
    'No se puede abrir la pasarela, así que no se le puede preguntar.',
  ],
  [
    'The gateway can neither be asked again safely nor looked up.',
    'No se puede volver a preguntar a la pasarela sin riesgo ni consultarla.',
  ],
  [
    'The gateway reports a success for a {1} that was {2}. {3}',
    'La pasarela informa de que se hizo una operación ({1}) que ya estaba {2}. {3}',
  ],
  [
    'The gateway reports a success for a {1} that was {2}.',
    'La pasarela informa de que se hizo una operación ({1}) que ya estaba {2}.',
  ],
  ['settled as {1}', 'resuelta como {1}'],
  [
    'The gateway declined the charge, but could not be kept from taking a later confirmation.',
    'La pasarela rechazó el cobro, pero no se pudo impedir que acepte una confirmación posterior.',
  ],
  ['The gateway reports {1} where {2} was asked.', 'La pasarela informa de {1} donde se pidieron {2}.'],
]
