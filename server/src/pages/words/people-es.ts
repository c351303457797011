// What mails to a merchant's own people say, in Spanish.

import { bdi, html } from '../html.ts'
import type { enPeople } from './people-en.ts'

export const esPeople: typeof enPeople = {
  reset: {
    subject: merchant => `Nueva contraseña para el panel de ${merchant}`,
    heading: 'Elija una contraseña nueva',
    asked: (merchant, email) =>
      html`Alguien, probablemente usted, ha pedido una contraseña nueva para ${bdi(email)} en el panel de ${bdi(merchant)}.`,
    button: 'Elegir una contraseña nueva',
    until: 'El enlace sirve una sola vez y caduca al cabo de una hora. Se cerrarán todas sus sesiones.',
    notYou: 'Si no ha sido usted, ignore este mensaje. Su contraseña no cambia.',
  },
  invitation: {
    subject: merchant => `Invitación al panel de ${merchant}`,
    heading: 'Tiene una invitación',
    invited: (merchant, by, role) => html`${bdi(by)} le invita al panel de ${bdi(merchant)} como ${role}.`,
    role: { owner: 'propietario', developer: 'desarrollador', viewer: 'lector' },
    how: 'Para aceptarla, abra el enlace de abajo y elija una contraseña.',
    button: 'Aceptar la invitación',
    until: 'El enlace sirve una sola vez y caduca a los 7 días.',
    notYou: 'Si no sabe quién le escribe, ignore este mensaje. No ocurrirá nada.',
  },
}
