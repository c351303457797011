// What is wrong with what was given: refusals of forms and of their bytes, in Spanish. The rests of sentences stand alone
// below their field, so they have no subject; elsewhere its name and a colon stand before them.

import type { Sentences } from './refusals.ts'

export const esForms: Sentences = [
  ['is required.', 'es obligatorio.'],
  ['is not valid.', 'no es válido.'],
  ['is not known.', 'no existe aquí.'],
  ['must be text of at most {1} characters.', 'debe ser un texto de {1} caracteres como máximo.'],
  ['must be text of 1 to {1} characters.', 'debe ser un texto de 1 a {1} caracteres.'],
  [
    'must be text of 1 to 100 characters on one line, and begin with one that can be seen.',
    'debe ser un texto de 1 a 100 caracteres en una sola línea y empezar por uno visible.',
  ],
  ['must be decimal text such as "100.00".', 'debe ser un número decimal, por ejemplo 100.00.'],
  ['must be a decimal number such as "{1}".', 'debe ser un número decimal, por ejemplo {1}.'],
  ['has more decimals than {1} has ({2}).', 'tiene más decimales de los que admite {1} ({2}).'],
  ['must have at most {1} digits.', 'debe tener {1} cifras como máximo.'],
  ['must be more than zero.', 'debe ser mayor que cero.'],
  ['must be one of: {1}.', 'debe ser uno de estos valores: {1}.'],
  ['must be of: {1}.', 'debe ser uno o varios de estos valores: {1}.'],
  ['must be true or false.', 'debe ser verdadero o falso (true o false).'],
  ['must be a whole number from {1} to {2}.', 'debe ser un número entero del {1} al {2}.'],
  [
    'must be a whole number from 1 to {1}, or 0 for none.',
    'debe ser un número entero del 1 al {1}, o 0 si no tiene lugar.',
  ],
  ['must be a time such as "2026-11-15T10:00:00Z".', 'debe ser una fecha y hora, por ejemplo 2026-11-15T10:00:00Z.'],
  ['must be an email address.', 'debe ser una dirección de correo.'],
  [
    'must be an http or https URL of at most {1} characters.',
    'debe ser una URL http o https de {1} caracteres como máximo.',
  ],
  ['must be an https URL.', 'debe ser una URL https.'],
  ['must have no credentials and no card number.', 'no debe contener credenciales ni números de tarjeta.'],
  ['must have no card number.', 'no debe contener números de tarjeta.'],
  ['must not be a card number.', 'no debe ser un número de tarjeta.'],
  ['must be an object.', 'debe ser un objeto.'],
  ['must be a colour such as "#1a56db".', 'debe ser un color, por ejemplo #1a56db.'],
  [
    'must be the base64 of a PNG, JPEG or WebP picture of at most {1} KiB and {2} pixels a side.',
    'debe ser una imagen PNG, JPEG o WebP de {1} KiB y {2} píxeles por lado como máximo.',
  ],
  [
    'must be a list of at most {1} origins such as "https://shop.example".',
    'debe ser una lista de {1} orígenes como máximo, por ejemplo https://shop.example.',
  ],
  [
    'must be the name of a time zone such as "America/Chicago".',
    'debe ser una zona horaria, por ejemplo America/Bogota.',
  ],
  ['must be an ISO 4217 code such as "USD".', 'debe ser un código ISO 4217, por ejemplo USD.'],
  [
    'must be a list of at most {1} {name, required}, each name once and none named "test".',
    'debe tener {1} preguntas como máximo, todas con nombres distintos y ninguna llamada «test».',
  ],
  [
    'cannot be the name of an argument: in a hook it marks a test notification.',
    'no puede ser el nombre de un dato: en un hook señala una notificación de prueba.',
  ],
  ['is a card number, and no name for an argument.', 'es un número de tarjeta y no sirve como nombre de un dato.'],
  ['is not a name for an argument.', 'no sirve como nombre de un dato.'],
  ['is nested too deeply.', 'tiene demasiados niveles.'],
  ['must not contain NUL.', 'no debe contener el carácter NUL.'],
  ['is not valid Unicode.', 'contiene caracteres que no son Unicode válido.'],
  ['is given more than once.', 'aparece más de una vez.'],
  ['has broken percent-encoding.', 'está mal codificado.'],
  ['belongs in the body, not in the URL.', 'debe ir en el cuerpo, no en la URL.'],
  ['must be the id of a row.', 'debe ser el id de una fila.'],
  ['must be the id of one.', 'debe ser un id existente.'],
  ["must be an offer's id.", 'debe ser el id de una oferta.'],
  ["must be an endpoint's id.", 'debe ser el id de un endpoint.'],
  ["must be a Transaction's id.", 'debe ser el id de una transacción.'],
  ['must be 1 to 255 visible characters.', 'debe tener de 1 a 255 caracteres visibles.'],
  ['must be at least {1} characters.', 'debe tener {1} caracteres como mínimo.'],
  [
    'fits too many customers or offers: write more of it.',
    'coincide con demasiados clientes u ofertas: escriba algo más.',
  ],
  [
    'fits too many customers: write more of the address.',
    'coincide con demasiados clientes: escriba más de la dirección.',
  ],
  ['created_before must be later than created_after.', 'la fecha «Hasta» debe ser posterior a «Desde».'],
  ['before and after exclude each other.', 'No se puede pedir a la vez lo anterior y lo posterior.'],
  ['Name at least one of {1}.', 'No se ha cambiado nada.'],
  [
    'The name of an argument must have at most {1} characters.',
    'El nombre de un dato debe tener {1} caracteres como máximo.',
  ],
  ['has a number that is too large.', 'contiene un número demasiado grande.'],
  [
    'makes the offer too large to come back in a hook: all arguments together may have {1} bytes as JSON text.',
    'hace que la oferta sea demasiado grande para volver en un hook: todos los datos juntos pueden ocupar {1} bytes como JSON.',
  ],
  ['The body is larger than {1} KiB.', 'Lo enviado ocupa más de {1} KiB: acórtelo.'],
  ['The path is too long.', 'La dirección es demasiado larga.'],

  // Where hooks may go.
  ['is not a valid URL.', 'no es una URL válida.'],
  ['must have at most {1} characters.', 'debe tener {1} caracteres como máximo.'],
  ['must have at most {1} bytes as JSON text.', 'debe ocupar {1} bytes como máximo, escrito como JSON.'],
  ['must not lead to a private or reserved address.', 'no debe llevar a una dirección privada o reservada.'],
  ['must not lead back to this service.', 'no debe llevar de vuelta a este servicio.'],
  [
    'must not contain blanks, control characters or backslashes.',
    'no debe contener espacios, caracteres de control ni barras invertidas.',
  ],
  ['must not have a fragment.', 'no debe tener un fragmento (#).'],
  ['must begin with http:// or https:// and name a host.', 'debe empezar por http:// o https:// e indicar un host.'],
  ['must not carry credentials.', 'no debe contener credenciales.'],
  ['must be an https URL in live mode.', 'debe ser una URL https cuando se cobra de verdad.'],
  ['must not name port 0.', 'no debe indicar el puerto 0.'],
  [
    'must write an IPv4 address as four decimal numbers.',
    'debe escribir la dirección IPv4 como cuatro números decimales.',
  ],
  [
    'must name a host of at most 253 characters, with 1 to 63 between its dots.',
    'debe indicar un host de 253 caracteres como máximo, con entre 1 y 63 entre punto y punto.',
  ],
]
