import { inBoth } from '../../words/language.tsx'

export const words = inBoth({
  en: {
    title: 'Alerts',
    lead: 'Emails about what should not wait. Everybody chooses for themselves.',
    mine: 'Mail me',
    to: (email: string) => `They go to ${email}.`,
    kinds: {
      hook_dropped: 'When notifications were dropped',
      endpoint_paused: 'When an endpoint is paused for failing',
      in_doubt: 'When a payment is in doubt',
    },
    hints: {
      hook_dropped: 'Ten attempts were not accepted. At most one email an hour, with how many and which.',
      endpoint_paused: 'It did nothing but fail for five days, and what is owed to it waits.',
      in_doubt:
        'A gateway has not said for five minutes whether money moved, or only a person can settle it. At most one email an hour.',
    },
    short: { hook_dropped: 'Dropped', endpoint_paused: 'Paused', in_doubt: 'In doubt' },
    saved: 'Saved.',
    noMail:
      'This installation sends no email: no relay is set up (TILLBELL_MAIL_RELAY). Nobody is alerted until it is.',
    team: 'Who is mailed about what',
    person: 'Person',
    role: 'Role',
    alerts: 'Alerts',
    roles: { owner: 'Owner', developer: 'Developer', viewer: 'Viewer' },
    none: 'None',
    nobody: (kinds: string) => `Nobody is mailed about: ${kinds}.`,
  },
  es: {
    title: 'Alertas',
    lead: 'Correos sobre lo que no debe esperar. Cada persona elige los suyos.',
    mine: 'Enviarme un correo',
    to: (email: string) => `Llegan a ${email}.`,
    kinds: {
      hook_dropped: 'Cuando se abandonen notificaciones',
      endpoint_paused: 'Cuando un endpoint quede en pausa por fallar',
      in_doubt: 'Cuando un pago esté en duda',
    },
    hints: {
      hook_dropped: 'No se aceptó ninguno de los diez intentos. Como mucho un correo por hora, con cuántas y cuáles.',
      endpoint_paused: 'Falló una y otra vez durante cinco días, y lo que se le debe queda en espera.',
      in_doubt:
        'Una pasarela no ha dicho en cinco minutos si se movió dinero, o solo puede resolverlo una persona. Como mucho un correo por hora.',
    },
    short: { hook_dropped: 'Abandonadas', endpoint_paused: 'En pausa', in_doubt: 'En duda' },
    saved: 'Guardado.',
    noMail:
      'Esta instalación no envía correos: no hay servidor de envío (TILLBELL_MAIL_RELAY). Nadie recibe alertas hasta que lo haya.',
    team: 'Quién recibe qué',
    person: 'Persona',
    role: 'Rol',
    alerts: 'Alertas',
    roles: { owner: 'Propietario', developer: 'Desarrollador', viewer: 'Lector' },
    none: 'Ninguna',
    nobody: (kinds: string) => `Nadie recibe correos sobre: ${kinds}.`,
  },
})
