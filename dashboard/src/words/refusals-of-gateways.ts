// What gateways refuse, in Spanish: cards, credentials, and requests that did not get there.

import type { Sentences } from './refusals.ts'

export const esGateways: Sentences = [
  // Declines.
  ['The card was declined.', 'La tarjeta fue rechazada.'],
  ['The card was declined: insufficient funds.', 'La tarjeta fue rechazada: fondos insuficientes.'],
  ['The card was declined: it has expired.', 'La tarjeta fue rechazada: está vencida.'],
  [
    'The card was declined: its security code is wrong.',
    'La tarjeta fue rechazada: el código de seguridad no es correcto.',
  ],
  ['The card was declined: it is reported lost.', 'La tarjeta fue rechazada: consta como perdida.'],
  ['The card was declined: it is reported stolen.', 'La tarjeta fue rechazada: consta como robada.'],
  ['The card was declined: the payment looks fraudulent.', 'La tarjeta fue rechazada: el pago parece fraudulento.'],
  ['The card was declined: its limit is exceeded.', 'La tarjeta fue rechazada: se superó su límite.'],
  [
    'The card was declined: it does not support this kind of payment.',
    'La tarjeta fue rechazada: no permite este tipo de pago.',
  ],
  [
    'The card was declined: its holder was not authenticated.',
    'La tarjeta fue rechazada: no se confirmó la identidad del titular.',
  ],
  ['The gateway could not process the card.', 'La pasarela no pudo procesar la tarjeta.'],
  [
    'The gateway refused: the amount is larger than what is left.',
    'La pasarela lo rechazó: el importe es mayor de lo que queda.',
  ],
  [
    'The gateway refused: the payment is not in a state that allows this.',
    'La pasarela lo rechazó: el estado del pago no lo permite.',
  ],

  // What did not get there.
  ['The payment gateway could not be reached; {1}.', 'No se pudo conectar con la pasarela de pago; {1}.'],
  [
    "The payment gateway refused the merchant's credentials; {1}.",
    'La pasarela de pago rechazó las credenciales del comercio; {1}.',
  ],
  [
    "The payment gateway has suspended the merchant's account; {1}.",
    'La pasarela de pago ha suspendido la cuenta del comercio; {1}.',
  ],
  [
    'The payment gateway takes no more requests at the moment; {1}.',
    'La pasarela de pago no admite más solicitudes por ahora; {1}.',
  ],
  ['The payment gateway refused the request; {1}.', 'La pasarela de pago rechazó la solicitud; {1}.'],
  [
    'The gateway did not confirm that it removed a card. Try again.',
    'La pasarela no confirmó que eliminara una tarjeta. Inténtelo de nuevo.',
  ],
  [
    'The payment gateway did not say whether it stored the card. Try again.',
    'La pasarela de pago no dijo si guardó la tarjeta. Inténtelo de nuevo.',
  ],

  // Cards.
  ["is not that of the card's customer.", 'no es el del cliente de la tarjeta.'],
  ['is required: there is no default one.', 'es obligatoria: no hay ninguna predeterminada.'],
  ['is inactive: activate it, or name another one.', 'está inactiva: actívela o elija otra.'],
  ['names a card that is stored for another customer.', 'es de una tarjeta guardada para otro cliente.'],
  ['has this card already, under another reference.', 'ya tiene esta tarjeta, con otra referencia.'],
  [
    'names another card: its last digits or its expiry differ.',
    'es de otra tarjeta: no coinciden las últimas cifras o el vencimiento.',
  ],
  [
    'names a card that is stored under a service_token of its own.',
    'es de una tarjeta guardada con su propio service_token.',
  ],
  ['was removed meanwhile.', 'se eliminó entretanto.'],
  ['Braintree takes cards from its own card fields only.', 'Braintree solo acepta tarjetas de sus propios campos.'],
  ['This is not the name of a card at Braintree.', 'No es el nombre de una tarjeta en Braintree.'],
  ['Braintree did not store the card.', 'Braintree no guardó la tarjeta.'],
  ['Braintree does not know this card.', 'Braintree no conoce esta tarjeta.'],
  [
    'This is no card: only credit and debit cards can be stored.',
    'No es una tarjeta: solo se guardan tarjetas de crédito y de débito.',
  ],
  [
    "Card numbers do not pass through this service: use Stripe's own card fields.",
    'Los números de tarjeta no pasan por este servicio: use los campos de Stripe.',
  ],
  [
    "The card's reference is none of Stripe's: it is pm_… or cus_…/pm_….",
    'La referencia de la tarjeta no es de Stripe: tiene la forma pm_… o cus_…/pm_….',
  ],
  ['Stripe does not know the card.', 'Stripe no conoce la tarjeta.'],
  ['The card is not attached to that customer at Stripe.', 'La tarjeta no está asociada a ese cliente en Stripe.'],
  [
    'The card is attached to a customer at Stripe: give it as cus_…/pm_….',
    'La tarjeta está asociada a un cliente en Stripe: escríbala como cus_…/pm_….',
  ],
  [
    'Stripe stores the card under this name no more: it was used or removed before.',
    'Stripe ya no guarda la tarjeta con este nombre: se usó o se eliminó antes.',
  ],
  ['The payment method at Stripe is not a card.', 'El método de pago de Stripe no es una tarjeta.'],
  ['Please enter your card again.', 'Introduzca su tarjeta de nuevo.'],
  [
    'Cards for Braintree cannot be entered on this page.',
    'En esta página no se pueden introducir tarjetas para Braintree.',
  ],
  [
    'On a page the sandbox takes cards by their number only.',
    'En una página, el entorno de pruebas solo acepta tarjetas por su número.',
  ],
  ['The sandbox knows only its test cards.', 'El entorno de pruebas solo conoce sus tarjetas de prueba.'],
  ['The expiry date is no month.', 'La fecha de vencimiento no es un mes.'],
  [
    'The sandbox knows no such reference; one that it knows is test:success.',
    'El entorno de pruebas no conoce esa referencia; una que conoce es test:success.',
  ],
  [
    'A settled operation could not be rechecked; it is tried again.',
    'No se pudo volver a comprobar una operación ya resuelta; se intenta de nuevo.',
  ],
  ['It could not be asked; the log says what failed.', 'No se le pudo preguntar; el registro dice qué falló.'],
  [
    'The gateway has no payment of ours under the reference {1}.',
    'La pasarela no tiene ningún pago nuestro con la referencia {1}.',
  ],
  [
    'The gateway has not answered since the {1} was settled as not made. Look there whether it was, then dismiss or accept it.',
    'La pasarela no ha respondido desde que se decidió que la operación ({1}) no se hizo. Compruébelo allí y después descártela o acéptela.',
  ],
  [
    'The gateway has not answered since the {1} was accepted. Look there for refunds, captures and disputes, then dismiss this.',
    'La pasarela no ha respondido desde que se aceptó la operación ({1}). Busque allí reembolsos, capturas y disputas, y después descarte este aviso.',
  ],
  ['The gateway cannot be asked for a whole payment.', 'No se puede preguntar a la pasarela por un pago completo.'],
  ['The sandbox has no such card.', 'El entorno de pruebas no tiene esa tarjeta.'],

  // Connecting a gateway.
  ['can be taken from a gateway only by giving it to another.', 'solo deja de serlo cuando se elige otra.'],
  [
    'lead to another account at the gateway. Connect that account as a gateway of its own.',
    'llevan a otra cuenta de la pasarela. Conecte esa cuenta como una pasarela aparte.',
  ],
  ['lead to an account that is connected already.', 'llevan a una cuenta que ya está conectada.'],
  [
    'must not be given to an inactive gateway: new cards are stored at the default one.',
    'no puede ser una inactiva: en ella se guardan las tarjetas nuevas.',
  ],
  [
    'The credentials were changed by another request at the same time. Try again.',
    'Otra solicitud cambió las credenciales al mismo tiempo. Inténtelo de nuevo.',
  ],
  ['of a gateway cannot be changed: connect another one.', 'no se puede cambiar: conecte otra pasarela.'],
  ['The gateway accepts the credentials.', 'La pasarela acepta las credenciales.'],
  [
    'The credentials lead to another account than the one connected.',
    'Las credenciales llevan a una cuenta distinta de la conectada.',
  ],
  ['The gateway refuses them: credentials {1}', 'La pasarela las rechaza: {1}'],
  ['must not have api_base in live mode.', 'no deben tener una api_base cuando se cobra de verdad.'],
  ['must not have an api_base in live mode.', 'no deben tener una api_base cuando se cobra de verdad.'],
  ['must not have this service itself as its api_base.', 'no deben tener como api_base este mismo servicio.'],
  ['must not have this service itself as its url.', 'no deben tener como url este mismo servicio.'],
  ['must not be test in live mode.', 'no puede ser la de pruebas cuando se cobra de verdad.'],
  [
    'must have a url such as "http://127.0.0.1:9900", or none.',
    'deben tener una url como http://127.0.0.1:9900, o ninguna.',
  ],
  ['must have an api_base such as "{1}", or none.', 'deben tener una api_base como {1}, o ninguna.'],
  [
    "must have a {1} as Braintree's Control Panel shows it.",
    'deben tener {1} tal como aparece en el Control Panel de Braintree.',
  ],
  ['must have the environment {1} in {2} mode.', 'deben tener «{1}» como entorno en el modo {2}.'],
  [
    'must have merchant_accounts such as {"EUR": "id_of_the_merchant_account"}, or none.',
    'deben tener cuentas de comercio por moneda, como EUR id_de_la_cuenta, o ninguna.',
  ],
  [
    'must have merchant_accounts by currency, such as EUR: {1} is none.',
    'deben tener cuentas de comercio por moneda, como EUR: {1} no es una moneda.',
  ],
  [
    'must have the id of a merchant account for {1} in merchant_accounts.',
    'deben tener el id de una cuenta de comercio para {1}.',
  ],
  ['name a merchant_id that Braintree does not know.', 'tienen un merchant_id que Braintree no conoce.'],
  [
    'are not accepted by Braintree: check the keys, their environment and their role.',
    'no son aceptadas por Braintree: revise las claves, su entorno y su rol.',
  ],
  ['name the merchant account {1}, which is not there.', 'indican la cuenta de comercio {1}, que no existe.'],
  [
    'name the merchant account {1} for {2}, which is for another currency.',
    'indican para {2} la cuenta de comercio {1}, que es de otra moneda.',
  ],
  ['are not accepted by Stripe.', 'no son aceptadas por Stripe.'],
  [
    'lead to an account that Stripe has suspended or rejected.',
    'llevan a una cuenta que Stripe ha suspendido o rechazado.',
  ],
  [
    'have a secret_key that may not read its own account at Stripe: allow it to.',
    'tienen una secret_key que no puede leer su propia cuenta en Stripe: dele ese permiso.',
  ],
  [
    'must have a {1} that begins with {2} or {3} in {4} mode.',
    'deben tener {1}, que en el modo {4} empieza por {2} o {3}.',
  ],
  ['must have a {1} that begins with {2} in {3} mode.', 'deben tener {1}, que en el modo {3} empieza por {2}.'],
  ['must have a {1} that begins with {2}, or none yet.', 'deben tener {1}, que empieza por {2}, o ninguno todavía.'],
  ['must have a {1} that begins with {2}.', 'deben tener {1}, que empieza por {2}.'],
  [
    'must have a {1} with letters, digits and _ alone after {2}.',
    'deben tener {1}, que después de {2} solo lleva letras, cifras y _.',
  ],
  ['Stripe could not be asked whose account it is.', 'No se pudo preguntar a Stripe de quién es la cuenta.'],

  // A gateway that does not answer as it should.
  ['There was no connection to Braintree ({1}).', 'No hubo conexión con Braintree ({1}).'],
  [
    'Braintree does not know what it was asked about (HTTP 404).',
    'Braintree no conoce aquello por lo que se le preguntó (HTTP 404).',
  ],
  ['Braintree does not accept the API keys (HTTP 401).', 'Braintree no acepta las claves de API (HTTP 401).'],
  [
    'Braintree does not allow this to the API keys (HTTP 403).',
    'Braintree no permite esto a las claves de API (HTTP 403).',
  ],
  [
    'Braintree no longer speaks to this version of its library (HTTP 426).',
    'Braintree ya no admite esta versión de su biblioteca (HTTP 426).',
  ],
  ['Braintree is asked too often (HTTP 429).', 'Se pregunta a Braintree con demasiada frecuencia (HTTP 429).'],
  ['Braintree is not available (HTTP 503).', 'Braintree no está disponible (HTTP 503).'],
  ['The answer of Braintree (HTTP {1}) was not understood.', 'No se entendió la respuesta de Braintree (HTTP {1}).'],
  ['The time was up before {1} was asked.', 'El tiempo se agotó antes de preguntar a {1}.'],
  ['{1} did not answer in time.', '{1} no respondió a tiempo.'],
  ['The answer of Braintree is too large.', 'La respuesta de Braintree es demasiado grande.'],
  ['The answer of Braintree is not XML.', 'La respuesta de Braintree no es XML.'],
  ['The connection to {1} failed ({2}).', 'Falló la conexión con {1} ({2}).'],
  ['The list of merchant accounts was not understood.', 'No se entendió la lista de cuentas de comercio.'],
]
