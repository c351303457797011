// What is said about a check of an endpoint.

import type { CheckNote, CheckStep, CheckVerdict } from '../../../../server/src/console/contract/endpoint-check.ts'
import { inBoth } from '../../words/language.tsx'

interface CheckWords {
  readonly title: string
  readonly warning: (kind: string) => string
  readonly warns: string
  readonly action: string
  readonly running: string
  readonly again: string
  readonly allRight: string
  readonly someWrong: (wrong: number) => string
  readonly cutShort: string
  readonly saysNothing: string
  readonly expects: { readonly accepted: string; readonly refused: string }
  readonly got: (status: number, ms: string) => string
  readonly gotNothing: string
  readonly answer: string
  readonly sent: string
  readonly expected: string
  readonly cameBack: string
  readonly verdicts: { readonly [verdict in CheckVerdict]: string }
  readonly steps: { readonly [step in CheckStep]: { readonly name: string; readonly sent: string } }
  readonly notes: { readonly [note in CheckNote]: string }
}

export const words = inBoth<CheckWords>({
  en: {
    title: 'Check my endpoint',
    warning: kind => `Real requests go to this ${kind} endpoint now, true ones and forged ones:`,
    warns:
      'All are tests: no money, a transaction of zeros, and custom_data.test is "true". An application that does not look at that may act on them. Nothing is kept as a delivery or tried again.',
    action: 'Check it now',
    running: 'Checking. This can take a minute where the endpoint is slow.',
    again: 'Check again',
    allRight: 'Your endpoint does everything right.',
    someWrong: wrong => (wrong === 1 ? 'One thing is wrong.' : `${wrong} things are wrong.`),
    cutShort: 'The rest was not sent.',
    saysNothing: 'It refuses a good hook as well, so that refusing this one proves nothing. Mend that first.',
    expects: { accepted: 'A status from 200 to 299', refused: 'A refusal, best 403' },
    got: (status, ms) => `${status} after ${ms}`,
    gotNothing: 'No answer',
    answer: 'Answer',
    sent: 'Sent',
    expected: 'Expected',
    cameBack: 'Came back',
    verdicts: { right: 'Right', wrong: 'Wrong', says_nothing: 'Says nothing', not_sent: 'Not sent' },
    steps: {
      good: { name: 'A good hook', sent: 'A test with the right signature.' },
      bad_signature: { name: 'A wrong signature', sent: 'The same, signed with another key.' },
      altered: {
        name: 'Altered details',
        sent: 'The same, with one character of details changed and the old signature.',
      },
      unsigned: { name: 'No signature', sent: 'The same, without any signature.' },
      duplicate: { name: 'A duplicate', sent: 'The good one once more, byte for byte.' },
      newer: { name: 'Out of order: the newer', sent: 'The later of two, sent first.' },
      older: { name: 'Out of order: the older', sent: 'The earlier of the two, sent after it.' },
    },
    notes: {
      unreachable: 'It could not be reached, or did not answer. Check the URL, and that your application is up.',
      refuses_good:
        'It refuses what is true. Verify the text of details as it came, before any JSON parsing, with the current Private Key.',
      breaks_on_good: 'It failed on a good hook. Look into the log of your application.',
      redirects: 'It redirects, and redirects are not followed. Enter the address it leads to as the URL.',
      believes_forged:
        'It believes what is forged: anybody who knows the URL can tell it that they have paid. Verify the signature, and answer 403 where it is wrong.',
      better_403: 'It refuses, which is right. 403 would say it more clearly.',
      breaks_on_forged:
        'It does not believe it, but by failing. Answer 403: else forged hooks look like trouble of your own in your logs.',
      refuses_duplicate:
        'It refuses what it knows already. A notification may come twice: answer 2xx to one that you have handled, and do nothing.',
      refuses_order:
        'It refuses what comes out of order. Order is not promised: accept it, and look at date or ask for the transaction.',
      slow: 'It took more than 5 seconds. Answer first, work later.',
    },
  },
  es: {
    title: 'Comprobar mi endpoint',
    warning: kind => `Ahora se envían solicitudes reales a este endpoint de tipo ${kind}, verdaderas y falsificadas:`,
    warns:
      'Todas son pruebas: sin dinero, con una transacción de ceros y con custom_data.test en "true". Una aplicación que no lo mire puede actuar por ellas. Nada se guarda como entrega ni se vuelve a intentar.',
    action: 'Comprobar ahora',
    running: 'Comprobando. Puede tardar un minuto si el endpoint es lento.',
    again: 'Comprobar de nuevo',
    allRight: 'Su endpoint lo hace todo bien.',
    someWrong: wrong => (wrong === 1 ? 'Una cosa está mal.' : `${wrong} cosas están mal.`),
    cutShort: 'El resto no se envió.',
    saysNothing: 'También rechaza un hook bueno, así que rechazar este no prueba nada. Corrija eso primero.',
    expects: { accepted: 'Un estado de 200 a 299', refused: 'Un rechazo, mejor 403' },
    got: (status, ms) => `${status} tras ${ms}`,
    gotNothing: 'Sin respuesta',
    answer: 'Respuesta',
    sent: 'Enviado',
    expected: 'Esperado',
    cameBack: 'Recibido',
    verdicts: { right: 'Bien', wrong: 'Mal', says_nothing: 'No dice nada', not_sent: 'No enviado' },
    steps: {
      good: { name: 'Un hook bueno', sent: 'Una prueba con la firma correcta.' },
      bad_signature: { name: 'Una firma incorrecta', sent: 'La misma, firmada con otra clave.' },
      altered: { name: 'Details alterado', sent: 'La misma, con un carácter de details cambiado y la firma anterior.' },
      unsigned: { name: 'Sin firma', sent: 'La misma, sin ninguna firma.' },
      duplicate: { name: 'Un duplicado', sent: 'La buena otra vez, byte por byte.' },
      newer: { name: 'Fuera de orden: la más nueva', sent: 'La posterior de dos, enviada primero.' },
      older: { name: 'Fuera de orden: la más antigua', sent: 'La anterior de las dos, enviada después.' },
    },
    notes: {
      unreachable: 'No se pudo llegar a él, o no respondió. Revise la URL y que su aplicación esté en marcha.',
      refuses_good:
        'Rechaza lo verdadero. Verifique el texto de details tal como llegó, antes de interpretar el JSON, con la clave privada actual.',
      breaks_on_good: 'Falló con un hook bueno. Mire el registro de su aplicación.',
      redirects: 'Redirige, y las redirecciones no se siguen. Ponga como URL la dirección de destino.',
      believes_forged:
        'Cree lo falsificado: quien conozca la URL puede decirle que pagó. Verifique la firma y responda 403 si es incorrecta.',
      better_403: 'Rechaza, y eso está bien. 403 lo diría con más claridad.',
      breaks_on_forged:
        'No lo cree, pero porque falla. Responda 403: si no, los hooks falsificados parecen errores propios en sus registros.',
      refuses_duplicate:
        'Rechaza lo que ya conoce. Una notificación puede llegar dos veces: responda 2xx a la que ya procesó y no haga nada.',
      refuses_order:
        'Rechaza lo que llega fuera de orden. El orden no se promete: acéptelo y mire date, o consulte la transacción.',
      slow: 'Tardó más de 5 segundos. Responda primero y trabaje después.',
    },
  },
})
