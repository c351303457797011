// What pages and mails say, in Spanish.

import type { Words } from './words.ts'

export const es: Words = {
  language: 'es',
  locale: 'es',
  frame: {
    sandbox: 'Esto es un entorno de pruebas: no se mueve dinero.',
    questions: '¿Preguntas? Escriba a',
  },
  mail: {
    proof: {
      subject: merchant => `Su enlace para pagar a ${merchant}`,
      text: ({ merchant, title, link }) => `Hola:

Alguien, probablemente usted, está a punto de pagar a ${merchant} por:

  ${title}

y ha pedido usar una tarjeta guardada con esta dirección de correo. Para
continuar, abra este enlace y pulse el botón que aparece:

  ${link}

El enlace sirve una sola vez y caduca al cabo de una hora. Si no hay ninguna
tarjeta guardada, podrá introducir una.

Si no ha sido usted, ignore este mensaje. No se cobra nada y nadie ve sus datos.
`,
    },
  },
}
