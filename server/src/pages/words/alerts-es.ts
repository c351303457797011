// What alerts to a merchant's own people say, in Spanish.

import { bdi, html } from '../html.ts'
import type { Words } from './words.ts'

export const esAlerts: Words['alerts'] = {
  moreThan: count => `más de ${count}`,
  kind: 'Tipo',
  address: 'Dirección',
  id: 'Identificador',
  hooks: {
    transaction: 'Transacción',
    far: 'Acción adicional requerida',
    error: 'Error',
    update: 'Actualización',
    pre_sale: 'Preventa',
    generic: 'Todos los tipos',
  },
  operations: { charge: 'Cobro', capture: 'Captura', void: 'Anulación', refund: 'Reembolso' },
  onlyPerson: 'solo una persona puede resolverlo',
  test: 'prueba',
  why: 'Este correo llega porque la alerta está activada para este usuario. Se puede desactivar en Alertas, en el panel.',

  paused: {
    subject: host => `Los hooks a ${host} están en pausa`,
    heading: 'Un endpoint de hooks está en pausa',
    failing: (merchant, since) =>
      html`Un endpoint de ${bdi(merchant)} no acepta nada desde el ${since}, así que Tillbell lo puso en pausa.`,
    waiting: (count, shown) => {
      if (count === 0) return 'Ninguna notificación lo espera. Las nuevas esperarán.'
      return count === 1
        ? '1 notificación lo espera. Las nuevas también esperarán.'
        : `${shown} notificaciones lo esperan. Las nuevas también esperarán.`
    },
    how: 'Cuando vuelva a responder con un estado de 200 a 299, hay que reanudarlo. Entonces sale todo lo que espera.',
    button: 'Abrir los endpoints',
  },

  dropped: {
    subject: (merchant, count, shown) =>
      `${shown} ${count === 1 ? 'notificación abandonada' : 'notificaciones abandonadas'} de ${merchant}`,
    heading: 'Se abandonaron notificaciones',
    what: (merchant, count, shown) =>
      count === 1
        ? html`1 notificación a un endpoint de ${bdi(merchant)} no fue aceptada en diez intentos y no se vuelve a enviar por sí sola.`
        : html`${shown} notificaciones a endpoints de ${bdi(merchant)} no fueron aceptadas en diez intentos y no se vuelven a enviar por sí solas.`,
    how: 'Conviene ver por qué, arreglar el endpoint y reenviarlas.',
    button: 'Ver lo abandonado',
  },

  doubt: {
    subject: (merchant, count, shown) => `${shown} ${count === 1 ? 'operación' : 'operaciones'} de ${merchant} en duda`,
    heading: 'No se sabe si se movió dinero',
    what: (merchant, count, shown) =>
      count === 1
        ? html`La pasarela de pago de ${bdi(merchant)} no dijo qué fue de 1 operación.`
        : html`La pasarela de pago de ${bdi(merchant)} no dijo qué fue de ${shown} operaciones.`,
    how: 'Tillbell sigue preguntando a la pasarela durante tres días y no adivina nada. Lo que la pasarela no pueda probar lo resuelve un propietario en el panel, después de mirar en la pasarela.',
    button: 'Ver lo que está en duda',
  },
}
