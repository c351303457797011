// What pages and mails say, in Spanish.

import type { Words } from './words.ts'

export const es: Words = {
  language: 'es',
  locale: 'es',
  frame: {
    sandbox: 'Esto es un entorno de pruebas: no se mueve dinero.',
    questions: '¿Preguntas? Escriba a',
  },
}
