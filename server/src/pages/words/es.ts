// What pages and mails say, in Spanish.

import { bdi, html } from '../html.ts'
import { esAlerts } from './alerts-es.ts'
import { esMail } from './mail-es.ts'
import { esPeople } from './people-es.ts'
import { said } from './said.ts'
import type { Words } from './words.ts'

export const es: Words = {
  language: 'es',
  locale: 'es',

  frame: {
    sandbox: 'Este es un entorno de pruebas: no se mueve dinero.',
    questions: '¿Tiene alguna pregunta? Escriba a',
  },

  notices: {
    ourFault: said(
      'Algo no funcionó',
      'Se produjo un error por nuestra parte. Vuelva a cargar la página en un momento.',
    ),
    restarting: said(
      'Un momento',
      'El servicio se está reiniciando o tiene demasiado que hacer, y no se ha hecho nada. Vuelva a cargar la página en un momento.',
    ),
    away: said(
      'Un momento',
      'No podemos acceder a nuestros registros en este momento. Si acaba de pagar, aún no sabemos si se ha hecho. Vuelva a cargar la página en un momento: nada se cobra dos veces.',
    ),
    makesNoSense: said('Algo no funcionó', 'No pudimos leer esta solicitud. Vuelva atrás e inténtelo de nuevo.'),
    tooOften: said(
      'Un momento',
      'Llegaron demasiadas solicitudes desde su red, y no se ha hecho nada. Vuelva a cargar la página en un momento.',
    ),
    tooLong: said(
      'El texto es demasiado largo',
      'Sus respuestas son demasiado largas. Vuelva atrás y acórtelas. No se ha cobrado nada.',
    ),
  },

  payment: {
    confirm: said('Confirme su pago', 'Su banco le pide que confirme este pago.'),
    notConfirmedYet: said(
      'Pendiente de confirmación',
      'Su banco todavía no ha confirmado este pago.',
      'Si acaba de confirmarlo, compruébelo de nuevo en un momento. Si no, continúe en la página de su banco.',
    ),
    tooLate: said(
      'Se acabó el tiempo',
      'Este pago no se confirmó a tiempo. Estamos verificando con su banco que no se cobre nada.',
    ),
    inProgress: said(
      'En proceso',
      'Este pago se está procesando. Esta página mostrará el resultado. Por favor, no vuelva a pagar.',
    ),
    lookedInto: said(
      'Lo estamos revisando',
      'Los datos de su banco y los nuestros sobre este pago todavía no coinciden. Por favor, no vuelva a pagar; el comercio le informará del resultado.',
    ),
    calledOff: merchant =>
      said('Pago cancelado', html`${bdi(merchant)} ha liberado el importe. No se ha cobrado nada a su tarjeta.`),
    reserved: merchant =>
      said('Pago confirmado', html`El importe está reservado en su tarjeta. ${bdi(merchant)} lo cobrará más adelante.`),
    paid: merchant =>
      said(
        'Pago realizado',
        html`Gracias. ${bdi(merchant)} ha recibido su pago.`,
        'Guarde la dirección de esta página: es su recibo.',
      ),
    refunded: (merchant, amount) =>
      said('Pago reembolsado', html`${bdi(merchant)} ha reembolsado ${amount} a su tarjeta.`),
    partlyRefunded: (merchant, amount) =>
      said('Reembolsado en parte', html`${bdi(merchant)} ha reembolsado ${amount} a su tarjeta.`),
    failed: {
      tooLate: said('Se acabó el tiempo', 'Este pago no se confirmó a tiempo.'),
      notConfirmed: said('Pago no confirmado', 'Su banco no confirmó este pago.'),
      notMade: said('Pago no realizado', 'Este pago no se llevó a cabo.'),
    },
    notCharged: 'No se ha cobrado nada a su tarjeta.',
    beginAgain: merchant => html`Para pagar, empiece de nuevo en ${bdi(merchant)}.`,
    mayTryAgain: 'Puede intentarlo de nuevo.',

    for: 'Concepto',
    amount: 'Importe',
    reservedAmount: 'Reservado',
    chargedAmount: 'Cobrado',
    givenBackAmount: 'Reembolsado',
    card: 'Tarjeta',
    cardEndingIn: (brand, mask) => `${brand ?? 'Tarjeta'} terminada en ${mask}`,
    date: 'Fecha',
    receipt: 'Recibo',

    toTheBank: 'Continuar en su banco',
    checkAgain: 'Comprobar de nuevo',
    tryAgain: 'Intentar de nuevo',
    backToPayment: 'Volver a su pago',
    backTo: merchant => html`Volver a ${bdi(merchant)}`,

    nothingHere: said('No se encontró el pago', 'Aquí no existe ese pago. Revise el enlace.'),
    notFromHere: said('No se puede continuar desde aquí', 'Abra la página de su pago y continúe desde ahí.'),
    tooFast: said('Espere un momento', 'Después vuelva atrás e inténtelo de nuevo.'),
    notNow: said(
      'Ahora no es posible',
      'En este momento no se puede conectar con el servicio de pagos. Vuelva atrás e inténtelo de nuevo en unos minutos.',
    ),
  },

  card: {
    number: 'Número de tarjeta',
    expiry: 'Fecha de vencimiento',
    expiryLooksLike: 'MM/AA',
    cvc: 'Código de seguridad',
    wrong: {
      number: 'Escriba el número que aparece en la tarjeta. Revise cada cifra.',
      expiry: 'Escriba el mes y el año de vencimiento, por ejemplo 08/29.',
      expired: 'Esta tarjeta está vencida. Use otra.',
      cvc: 'Escriba el código de seguridad: tres o cuatro cifras.',
      reference: 'No se pudo leer la tarjeta. Vuelva a escribirla.',
      consent: 'Marque la casilla: sin su consentimiento no se guarda la tarjeta.',
    },
    toCorrect: count =>
      count === 1 ? 'Revise el campo marcado más abajo.' : `Revise los ${count} campos marcados más abajo.`,
    refused: () => 'No se puede aceptar esta tarjeta. Revise los datos o use otra.',
    notHereEither: 'Esta tarjeta no se puede guardar aquí. Use otra.',
    testCardsOnly: 'Aquí solo se aceptan tarjetas de prueba, ninguna tarjeta real.',
    stripeNeedsScript:
      'Los campos para su tarjeta son de Stripe y necesitan JavaScript: actívelo y vuelva a cargar la página.',
    stripeNotLoaded: 'No se pudieron cargar los campos para su tarjeta. Vuelva a cargar la página en un momento.',
    stripeNotReached: 'No se pudo conectar con Stripe. Inténtelo de nuevo.',
    straightToStripe: 'Su tarjeta va directamente a Stripe. Ni esta página ni el comercio ven su número.',
  },

  cardLink: {
    heading: 'Añada su tarjeta',
    asks: (merchant, email) =>
      html`${bdi(merchant)} pide una tarjeta que se guardará para los pagos de ${bdi(email)}. Ahora no se cobra nada. Si esta no es su dirección de correo, no introduzca ninguna tarjeta.`,
    consent: (merchant, email) =>
      html`Acepto que ${bdi(merchant)} guarde esta tarjeta y la use para cobrar las compras de ${bdi(email)}.`,
    store: 'Guardar esta tarjeta',
    stored: (merchant, mask) =>
      said(
        'Su tarjeta está guardada',
        html`Su tarjeta terminada en ${mask} está guardada para ${bdi(merchant)}. No se ha cobrado nada.`,
        'Para cambiarla o eliminarla, pídale un enlace nuevo.',
      ),
    nothingHere: said('Este enlace no funciona', 'Pida uno nuevo a quien se lo envió.'),
    removedSince: merchant =>
      said('Este enlace ya se usó', html`La tarjeta que se añadió aquí ya no está guardada para ${bdi(merchant)}.`),
    expired: merchant =>
      said('Este enlace ha caducado', html`No se guardó ninguna tarjeta. Pida a ${bdi(merchant)} un enlace nuevo.`),
    takesNone: merchant =>
      said(
        'Ahora no es posible',
        html`${bdi(merchant)} no acepta tarjetas aquí en este momento. No se guardó ninguna tarjeta.`,
      ),
    addedByMerchant: merchant =>
      said(
        'En esta página no es posible',
        html`Es ${bdi(merchant)} quien añade las tarjetas. No se guardó ninguna tarjeta.`,
      ),
    notFromHere: said('No se puede continuar desde aquí', 'Abra su enlace de nuevo y continúe desde ahí.'),
    tooManyTries: when => said('Demasiados intentos', `Vuelva a abrir su enlace ${when}.`),
    busy: said('Un momento', 'Su tarjeta todavía se está guardando. Abra su enlace de nuevo para ver el resultado.'),
    notNow: said(
      'Ahora no es posible',
      'En este momento no se pudo guardar su tarjeta. Abra su enlace de nuevo e inténtelo dentro de poco.',
    ),
  },

  sandboxBank: {
    name: 'El banco de pruebas',
    asks: said(
      '¿Es suyo este pago?',
      'Un banco de verdad le pediría aquí un código o su huella. A este le basta con su palabra.',
    ),
    to: 'Para',
    yes: 'Sí, confirmar',
    no: 'No, rechazar',
    nothingHere: said('No se encontró el pago', 'Aquí no hay ningún pago por confirmar.'),
    notNow: said('Ahora no es posible', 'La pasarela de pruebas no responde. Inténtelo de nuevo.'),
  },

  mail: esMail,
  alerts: esAlerts,
  people: esPeople,

  checkout: {
    price: 'Precio por unidad',
    quantity: 'Cantidad',
    update: 'Actualizar',
    total: 'Total',
    onlyLeft: count => (count === 1 ? 'Solo queda una unidad.' : `Solo quedan ${count} unidades.`),
    wrongUnits: max => (max === 1 ? 'Escriba 1.' : `Escriba un número entero del 1 al ${max}.`),
    optional: label => `${label} (opcional)`,

    customer: 'Sus datos',
    email: 'Correo electrónico',
    firstName: 'Nombre',
    lastName: 'Apellidos',
    notYou: 'Usar otro correo',
    asks: merchant => html`${bdi(merchant)} quisiera saber`,

    shipping: 'Dirección de envío',
    billing: 'Dirección de facturación',
    street: 'Calle y número',
    street2: 'Piso, puerta o empresa',
    city: 'Ciudad',
    state: 'Estado o provincia',
    zip: 'Código postal',
    country: 'País',
    chooseCountry: 'Elija un país',
    phone: 'Teléfono',

    card: 'Su tarjeta',
    cvcWhere: '3 cifras en el reverso. American Express: 4 en el anverso.',
    storedCard: (brand, mask) => `${brand ?? 'Tarjeta'} terminada en ${mask}`,
    goodUntil: expiry => `válida hasta ${expiry}`,
    anotherCard: 'Otra tarjeta',
    keep: merchant => html`Guardar mi tarjeta. Acepto que ${bdi(merchant)} la guarde y la use para cobrar mis compras.`,
    keptOtherwise: 'Si no marca esta casilla, la tarjeta se usará solo para este pago.',
    testCard:
      'Para probar, pague con la tarjeta 4111\u00a01111\u00a01111\u00a01111, cualquier fecha futura y cualquier código.',
    cardAgain: 'Por su seguridad, vuelva a escribir los datos de su tarjeta.',
    noNewCards: merchant =>
      html`En esta página no se pueden añadir tarjetas. Para pagar, pida a ${bdi(merchant)} que añada la suya.`,
    hasStored: 'Usar una tarjeta que guardé',
    again: 'Sí, quiero pagar por segunda vez con mi tarjeta.',

    goesOn: email => html`Así se completa el pago que ${bdi(email)} pidió por correo. Todavía no se ha cobrado nada.`,
    pay: amount => `Pagar ${amount}`,
    reserve: amount => `Reservar ${amount}`,
    reserves: merchant =>
      html`Por ahora el importe solo se reserva en su tarjeta. ${bdi(merchant)} lo cobrará más adelante.`,
    whoIsPaid: merchant => html`El pago es para ${bdi(merchant)}, que nunca ve el número de su tarjeta.`,
    sending: 'Un momento…',
    slow: 'Está tardando más de lo habitual. Por favor, no cierre esta página.',

    missing: {
      first_name: 'Escriba su nombre.',
      street: 'Escriba la calle y el número.',
      city: 'Escriba la ciudad.',
      state: 'Escriba el estado o la provincia.',
      zip: 'Escriba el código postal.',
      again: 'Marque esta casilla para pagar por segunda vez.',
    },

    problems: {
      required: 'Responda a esta pregunta.',
      tooLong: 'Acorte este texto.',
      characters: 'Este texto contiene caracteres que no se pueden usar aquí. Vuelva a escribirlo.',
      email: 'Escriba una dirección de correo, por ejemplo nombre@example.com.',
      notForThem: 'Esta oferta es para otra dirección de correo.',
      otherThanProven:
        'Las tarjetas guardadas pertenecen al correo que usted confirmó. Use ese correo o pague con otra tarjeta.',
      card: 'Elija la tarjeta con la que quiere pagar.',
      country: 'Elija un país.',
      answersTooLong: 'Sus respuestas son demasiado largas en conjunto. Acorte esta.',
    },
    toCorrect: count =>
      count === 1
        ? 'No se ha cobrado nada. Revise el campo marcado.'
        : `No se ha cobrado nada. Revise los ${count} campos marcados.`,
    otherTotal: amount => `No se ha cobrado nada. El total es ahora ${amount}. Si está de acuerdo, vuelva a pagar.`,
    fewerLeft: count =>
      count === 1
        ? 'No se ha cobrado nada. Solo queda una unidad, así que el importe ha cambiado.'
        : `No se ha cobrado nada. Solo quedan ${count} unidades, así que el importe ha cambiado.`,
    declined: {
      card: 'Su tarjeta fue rechazada. No se ha cobrado nada. Pruebe con otra tarjeta.',
      insufficientFunds:
        'Su tarjeta fue rechazada por falta de fondos. No se ha cobrado nada. Pruebe con otra tarjeta.',
      expired: 'Su tarjeta fue rechazada porque está vencida. No se ha cobrado nada. Pruebe con otra tarjeta.',
      wrongCode:
        'Su tarjeta fue rechazada porque el código de seguridad no es correcto. No se ha cobrado nada. Vuelva a escribir los datos de su tarjeta.',
      notSupported: 'Su tarjeta no permite este tipo de pago. No se ha cobrado nada. Pruebe con otra tarjeta.',
      notConfirmed:
        'Su banco no confirmó el pago. No se ha cobrado nada. Inténtelo de nuevo o pruebe con otra tarjeta.',
      tooLate: 'El pago no se confirmó a tiempo. No se ha cobrado nada. Puede intentarlo de nuevo.',
      stopped: merchant => html`En este momento ${bdi(merchant)} no puede venderle esto. No se ha cobrado nada.`,
    },
    notNow: 'En este momento no se pudo realizar el pago. No se ha cobrado nada. Inténtelo de nuevo en unos minutos.',
    tokenUsed: said(
      'Este pago no puede realizarse',
      'Se pidió con un código que ya se usó o se retiró. Ahora no se ha cobrado nada.',
    ),
    cardNotUsable: 'Esta tarjeta guardada ya no se puede usar. No se ha cobrado nada. Elija otra tarjeta.',
    cardRefused: 'No se ha cobrado nada. Su tarjeta no fue aceptada.',
    tooManyTries: when => `Hubo demasiados intentos. No se ha cobrado nada. Inténtelo de nuevo ${when}.`,
    paidBefore: {
      byThisCard: ago =>
        `Con esta tarjeta ya se pagó lo mismo ${ago}. No se ha vuelto a cobrar. Si quiere pagar por segunda vez, marque la casilla y vuelva a pagar.`,
      paid: ago =>
        `Esto ya se pagó ${ago}. No se ha vuelto a cobrar. Si quiere pagar por segunda vez, marque la casilla y vuelva a pagar.`,
      inProgress: (ago, isByMail) =>
        `Un pago ${isByMail ? 'por correo electrónico ' : ''}por esto, hecho ${ago}, todavía se está procesando. No se ha vuelto a cobrar. Si quiere pagar por segunda vez, marque la casilla y vuelva a pagar.`,
      waitsForBank: (ago, isByMail) =>
        `Un pago ${isByMail ? 'por correo electrónico ' : ''}por esto, hecho ${ago}, espera la confirmación del banco. No se ha vuelto a cobrar. Si quiere pagar por segunda vez, marque la casilla y vuelva a pagar.`,
    },

    justNow: 'hace un momento',
    paidHere: ago =>
      `Ya hizo un pago por esto ${ago}. No se ha vuelto a cobrar. Si quiere pagar por segunda vez, marque la casilla y vuelva a pagar.`,
    openTooLong: 'La página estuvo abierta demasiado tiempo. Revise sus datos y envíelos de nuevo.',

    noSuchOffer: said(
      'Este enlace no funciona',
      'Aquí no hay nada que pagar. Revise el enlace o pida uno nuevo a quien se lo envió.',
    ),
    inactive: (merchant, title) =>
      said('Ya no está a la venta', html`${bdi(merchant)} ya no vende «${bdi(title)}». No se ha cobrado nada.`),
    expired: (merchant, title) =>
      said(
        'Esta oferta ha caducado',
        html`«${bdi(title)}» ya no se puede comprar aquí. Pregunte a ${bdi(merchant)} si hay una oferta nueva.`,
      ),
    usedUp: (merchant, title) =>
      said('Agotado', html`«${bdi(title)}» está agotado. Pregunte a ${bdi(merchant)} si volverá a estar disponible.`),
    forAnother: said(
      'No es para este correo',
      'Esta oferta es para una persona con otra dirección de correo.',
      'Si se la enviaron a otro correo suyo, continúe con ese.',
    ),
    continueWithOther: 'Continuar con otro correo',
    noWayToPay: merchant =>
      said(
        'Ahora no es posible',
        html`En este momento ${bdi(merchant)} no acepta pagos aquí. No se ha cobrado nada. Inténtelo más tarde.`,
      ),
    notFromHere: said(
      'Por favor, empiece de nuevo',
      'El formulario ya no es válido. Abra la oferta y rellénelo de nuevo.',
    ),
    tooManyGuesses: when => said('Demasiados intentos', `Vuelva a abrir esta página ${when}.`),
    busy: said('Un momento', 'Su pago todavía se está procesando. Por favor, no vuelva a pagar.'),
    seeHowItStands: 'Ver el estado del pago',
    backToOffer: 'Volver a la oferta',

    paid: said('Ya ha pagado esta compra', 'Su pago ha llegado. No tiene que hacer nada más.'),
    reserved: said('Su pago está reservado', 'El importe está reservado en su tarjeta. No tiene que hacer nada más.'),
    refunded: said('Su pago fue reembolsado', 'El dinero se devuelve a su tarjeta.'),
    partlyRefunded: said('Ya ha pagado esta compra', 'Una parte de su pago se ha devuelto a su tarjeta.'),
    inProgress: said('Su pago está en proceso', 'Por favor, no vuelva a pagar. Vea su pago para saber el resultado.'),
    waitsForBank: said('Falta confirmar su pago', 'Su banco le pide que lo confirme.'),
    calledOff: said('Su pago fue cancelado', 'No se ha cobrado nada a su tarjeta.'),
    toPayment: 'Ver su pago',
    buyAgain: 'Comprar otra vez',
  },

  proof: {
    heading: 'Usar una tarjeta guardada',
    asks: merchant =>
      html`Si guardó una tarjeta con ${bdi(merchant)}, primero necesitamos saber que es usted. Le enviaremos un enlace a su correo.`,
    send: 'Enviarme el enlace',
    backToForm: 'Pagar con otra tarjeta',
    mailed: said(
      'Revise su correo',
      'Le hemos enviado un enlace. Ábralo en este navegador, en menos de una hora, para pagar con su tarjeta guardada.',
      'Si no llega nada, mire en la carpeta de correo no deseado.',
    ),
    tooOften: when =>
      said('Demasiados enlaces', `Por ahora no se envían más enlaces. Pida otro ${when} o pague con otra tarjeta.`),
    isItYou: (merchant, email) =>
      said(
        '¿Es usted?',
        html`Continúe como ${bdi(email)} para pagar a ${bdi(merchant)} con su tarjeta guardada. Todavía no se cobra nada.`,
        'Si esta no es su dirección de correo, cierre esta página.',
      ),
    itIsMe: 'Sí, continuar',
    confirm: (merchant, email) =>
      said(
        'Confirme su pago',
        html`Un correo enviado desde ${bdi(email)} pidió pagar a ${bdi(merchant)}. Todavía no se ha cobrado nada.`,
      ),
    confirmAndPay: amount => `Confirmar y pagar ${amount}`,
    confirmAndReserve: amount => `Confirmar y reservar ${amount}`,
    otherCard: 'Usar otra tarjeta',
    goOn: 'Continuar',
    notYou:
      'Si no quería pagar, o si esta no es su dirección de correo, no haga nada: cierre esta página. No se cobra nada.',
    used: said('Este enlace ya se usó', 'Cada enlace se puede usar una vez. Si aún lo necesita, pida uno nuevo.'),
    expired: said('Este enlace ha caducado', 'Los enlaces sirven durante una hora. Pida uno nuevo.'),
    unknown: said('Este enlace no funciona', 'Quizá sea demasiado antiguo o le falte una parte. Pida uno nuevo.'),
    newLink: 'Pedir un enlace nuevo',
  },

  savedCard: {
    asks: 'Ha guardado esta tarjeta. Para volver a pagar con ella, confirme su dirección de correo.',
    send: 'Enviarme un enlace',
    mailed: said(
      'Revise su correo',
      'Le hemos enviado un enlace. Ábralo en este navegador, en menos de una hora, para confirmar su dirección de correo.',
      'Si no llega nada, mire en la carpeta de correo no deseado. También puede que la dirección que escribió sea incorrecta: en ese caso, introduzca de nuevo su tarjeta la próxima vez.',
    ),
    tooOften: when =>
      said('Demasiados enlaces', `Por ahora no se envían más enlaces. Pida otro ${when}. Su pago no se ve afectado.`),
    confirm: (merchant, email) =>
      said(
        'Confirme su dirección de correo',
        html`Ha guardado esta tarjeta para ${bdi(email)}. Quien lea el correo de esa dirección podrá pagar con ella a ${bdi(merchant)} a partir de ahora. No se cobra nada.`,
        'Si esta no es su dirección de correo, cierre esta página.',
      ),
    confirmButton: 'Confirmar',
    isSaved: 'Su tarjeta está guardada. Puede pagar con ella a partir de ahora.',
  },
}
