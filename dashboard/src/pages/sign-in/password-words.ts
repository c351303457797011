// What is said wherever a password is chosen or asked for.

import { inBoth } from '../../words/language.tsx'

export const passwordWords = inBoth({
  en: {
    newPassword: 'New password',
    hint: 'At least 12 characters. A few random words work well.',
    current: 'Current password',
    wrongPassword: 'That is not your password.',
    wrongCode: 'That code is wrong, or was used before.',
    faults: {
      short: 'Use at least 12 characters.',
      long: 'That is too long.',
      name: 'That is too close to your email address.',
      simple: 'That is too simple: use more different characters, in no obvious order.',
      common: 'That is one of the passwords that are guessed first.',
    },
  },
  es: {
    newPassword: 'Contraseña nueva',
    hint: 'Al menos 12 caracteres. Unas cuantas palabras al azar funcionan bien.',
    current: 'Contraseña actual',
    wrongPassword: 'Esa no es su contraseña.',
    wrongCode: 'Ese código no es correcto o ya se usó.',
    faults: {
      short: 'Use al menos 12 caracteres.',
      long: 'Es demasiado larga.',
      name: 'Se parece demasiado a su correo electrónico.',
      simple: 'Es demasiado simple: use más caracteres distintos, sin un orden evidente.',
      common: 'Es una de las primeras contraseñas que se prueban.',
    },
  },
})
