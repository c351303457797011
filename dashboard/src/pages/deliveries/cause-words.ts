// What each cause means, and what to do about it. No imports that run: the words are also read by tests.

import type { Cause } from './causes.ts'

type CauseWords = { readonly [cause in Cause]: { readonly title: string; readonly todo: string } }

const en: CauseWords = {
  slow: {
    title: 'Your endpoint took too long to answer',
    todo: 'Keep the notification, answer 200 at once, and do the slow work afterwards. A longer time can be set for the endpoint.',
  },
  unfinished: {
    title: 'Your endpoint began to answer, and did not finish in time',
    todo: 'End the answer: send its whole body, or none, and close it. Then do the slow work.',
  },
  refused: {
    title: 'Nothing listens at that address',
    todo: 'Start your application, and check the port in the URL and the firewall in front of it.',
  },
  unreachable: {
    title: 'Your server could not be reached',
    todo: 'Check that the server is up and that its firewall lets requests from outside through.',
  },
  name: {
    title: 'The host name in the URL leads nowhere',
    todo: 'Check the spelling of the URL, and the DNS record of the name.',
  },
  tls: {
    title: 'No secure connection could be made',
    todo: 'Renew or repair the TLS certificate: it must be valid, for this very name, and served with its whole chain.',
  },
  redirect: {
    title: 'Your endpoint redirects to another address',
    todo: 'Redirects are not followed. Enter the address that it leads to as the URL: often it lacks https, www or a slash at its end.',
  },
  notHttp: {
    title: 'What answered does not speak HTTP',
    todo: 'Check the port in the URL: another program listens there, or it wants https.',
  },
  broke: {
    title: 'The connection broke before the answer was whole',
    todo: 'Look into the log of your server: it, or a proxy in front of it, closed the connection. It may have crashed.',
  },
  address: {
    title: 'The URL leads to where hooks may not go',
    todo: 'Use a public address. Private ones must be allowed by the operator of this service.',
  },
  proxy: {
    title: 'The proxy of this service did not let it through',
    todo: 'This is not your doing. Tell the operator of this service; the notification is tried again.',
  },
  denied: {
    title: 'Your endpoint did not let the request in',
    todo: 'If it verifies signatures, check that it uses the current Private Key, and the text of details as it came. Else take away the login or the block in front of it.',
  },
  notFound: {
    title: 'There is nothing at that path that takes a POST',
    todo: 'Check the path in the URL, and that your application accepts POST there.',
  },
  busy: {
    title: 'Your endpoint said that it gets too many requests',
    todo: 'Raise its limit for this service, or answer first and work later.',
  },
  rejected: {
    title: 'Your endpoint refused what it was told',
    todo: 'Its answer below often says why. Answer 2xx to everything that verifies, also to what you do not need.',
  },
  crashed: {
    title: 'Your endpoint failed',
    todo: 'Look into the log of your application at the time of the attempt. Its answer below may say more.',
  },
  paused: {
    title: 'The endpoint was paused',
    todo: 'Resume it in API settings. A paused Pre-Sale endpoint stops every sale: delete it if you do not want to be asked.',
  },
  gone: {
    title: 'What it said is no longer kept',
    todo: 'It was erased, or is older than what is kept. Nothing can be sent.',
  },
  ours: {
    title: 'Something went wrong on the side of this service',
    todo: 'Nothing you did caused it. Notifications are tried again by themselves.',
  },
  other: {
    title: 'The attempt failed',
    todo: 'Check that your endpoint can be reached from outside and answers with 2xx.',
  },
}

const es: CauseWords = {
  slow: {
    title: 'Su endpoint tardó demasiado en responder',
    todo: 'Guarde la notificación, responda 200 de inmediato y haga después el trabajo lento. También puede darle más tiempo al endpoint.',
  },
  unfinished: {
    title: 'Su endpoint empezó a responder y no terminó a tiempo',
    todo: 'Termine la respuesta: envíe el cuerpo completo, o ninguno, y ciérrela. Después haga el trabajo lento.',
  },
  refused: {
    title: 'Nada escucha en esa dirección',
    todo: 'Inicie su aplicación y revise el puerto de la URL y el cortafuegos.',
  },
  unreachable: {
    title: 'No se pudo llegar a su servidor',
    todo: 'Compruebe que el servidor está encendido y que su cortafuegos admite solicitudes de fuera.',
  },
  name: {
    title: 'El nombre de host de la URL no lleva a ninguna parte',
    todo: 'Revise cómo está escrita la URL y el registro DNS del nombre.',
  },
  tls: {
    title: 'No se pudo establecer una conexión segura',
    todo: 'Renueve o corrija el certificado TLS: debe ser válido, para este mismo nombre, y servirse con toda su cadena.',
  },
  redirect: {
    title: 'Su endpoint redirige a otra dirección',
    todo: 'Las redirecciones no se siguen. Ponga como URL la dirección de destino: suele faltar https, www o la barra final.',
  },
  notHttp: {
    title: 'Lo que respondió no habla HTTP',
    todo: 'Revise el puerto de la URL: allí escucha otro programa, o espera https.',
  },
  broke: {
    title: 'La conexión se cortó antes de completar la respuesta',
    todo: 'Mire el registro de su servidor: él, o un proxy delante de él, cerró la conexión. Puede que haya fallado.',
  },
  address: {
    title: 'La URL lleva a donde los hooks no pueden ir',
    todo: 'Use una dirección pública. Las privadas debe permitirlas el operador de este servicio.',
  },
  proxy: {
    title: 'El proxy de este servicio no lo dejó pasar',
    todo: 'No se debe a usted. Avise al operador de este servicio; la notificación se vuelve a intentar.',
  },
  denied: {
    title: 'Su endpoint no admitió la solicitud',
    todo: 'Si verifica firmas, compruebe que usa la clave privada actual y el texto de details tal como llegó. Si no, quite el inicio de sesión o el bloqueo que tiene delante.',
  },
  notFound: {
    title: 'En esa ruta no hay nada que acepte un POST',
    todo: 'Revise la ruta de la URL y que su aplicación acepte POST en ella.',
  },
  busy: {
    title: 'Su endpoint dijo que recibe demasiadas solicitudes',
    todo: 'Suba su límite para este servicio, o responda primero y trabaje después.',
  },
  rejected: {
    title: 'Su endpoint rechazó lo que se le dijo',
    todo: 'Su respuesta, más abajo, suele decir por qué. Responda 2xx a todo lo que se verifique, también a lo que no necesite.',
  },
  crashed: {
    title: 'Su endpoint falló',
    todo: 'Mire el registro de su aplicación a la hora del intento. Su respuesta, más abajo, puede decir más.',
  },
  paused: {
    title: 'El endpoint estaba en pausa',
    todo: 'Reanúdelo en los ajustes de la API. Un endpoint de preventa en pausa detiene todas las ventas: elimínelo si no quiere que se le pregunte.',
  },
  gone: {
    title: 'Lo que decía ya no se conserva',
    todo: 'Se borró, o es más antiguo de lo que se conserva. No se puede enviar nada.',
  },
  ours: {
    title: 'Algo falló por parte de este servicio',
    todo: 'No se debe a nada que usted haya hecho. Las notificaciones se vuelven a intentar solas.',
  },
  other: {
    title: 'El intento falló',
    todo: 'Compruebe que se puede llegar a su endpoint desde fuera y que responde con 2xx.',
  },
}

export const causeWords = { en, es }
