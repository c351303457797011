import { inBoth } from '../../words/language.tsx'

export const words = inBoth({
  en: {
    title: 'Preview',
    frame: 'Preview of the payment page',
    language: 'Language of the customer',
    english: 'English',
    spanish: 'Spanish',
    device: 'Screen',
    phone: 'Phone',
    desk: 'Desktop',
    nothing: 'The page appears here as you fill in the form.',
    cannotBePaid: 'No active gateway takes cards for this: customers would read that they cannot pay now.',
    notYet: 'The preview waits until the fields marked wrong are mended.',
  },
  es: {
    title: 'Vista previa',
    frame: 'Vista previa de la página de pago',
    language: 'Idioma del cliente',
    english: 'Inglés',
    spanish: 'Español',
    device: 'Pantalla',
    phone: 'Teléfono',
    desk: 'Escritorio',
    nothing: 'La página aparece aquí a medida que se rellena el formulario.',
    cannotBePaid: 'Ninguna pasarela activa acepta tarjetas para esto: los clientes leerían que ahora no pueden pagar.',
    notYet: 'La vista previa espera a que se corrijan los campos señalados.',
  },
})
