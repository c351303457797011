// What mail programs put below an email by themselves, such as "Sent from my iPhone". Only what is listed here is left out
// when an email's words are compared: whatever is missing in the list costs its customer one press on a page.

const devices = [
  ...['iPhone', 'iPad', 'iPod', 'Mac', 'Galaxy', 'Samsung Galaxy', 'Samsung Galaxy smartphone', 'Samsung device'],
  ...['Android', 'Android device', 'Android phone', 'Pixel', 'Xiaomi', 'HUAWEI', 'Huawei', 'OnePlus', 'BlackBerry'],
  ...['phone', 'mobile', 'mobile device', 'mobile phone', 'smartphone', 'tablet', 'Windows Phone'],
]

/** `*` stands for a device. */
const sentWith = [
  ...['Sent from my *', 'Sent from *', 'Sent via my *'], // English
  ...['Von meinem * gesendet', 'Gesendet von meinem *'], // German
  ...['Envoyé de mon *', 'Envoyé depuis mon *', 'Envoyé à partir de mon *'], // French
  ...['Enviado desde mi *', 'Enviado desde mi * '], // Spanish
  ...['Enviat des del meu *', 'Enviat des del *'], // Catalan
  ...['Inviato da *', 'Inviato dal mio *'], // Italian
  ...['Enviado do meu *', 'Enviado a partir do meu *'], // Portuguese
  ...['Verstuurd vanaf mijn *', 'Verzonden vanaf mijn *'], // Dutch
  ...['Sendt fra min *', 'Skickat från min *', 'Lähetetty *sta', 'Lähetetty minun *'], // Danish, Norwegian, Swedish, Finnish
  ...['Wysłane z *a', 'Wysłane z mojego *', 'Wysłano z *a', 'Odesláno z *', 'Odesláno z mého *u', 'Odoslané z *u'], // Polish, Czech, Slovak
  ...['Az *-omról küldve', 'Elküldve az *-omról', 'Trimis de pe *', 'Poslano s mojega *', 'Poslano s mog *a'], // Hungarian, Romanian, Slovenian, Croatian
  ...['Отправлено с *', 'Отправлено с моего *', 'Надіслано з *', 'Надіслано з мого *', 'Изпратено от моя *'], // Russian, Ukrainian, Bulgarian
  ...['Στάλθηκε από το * μου', '*\u2019ımdan gönderildi', "*'ımdan gönderildi", '* cihazımdan gönderildi'], // Greek, Turkish
  ...['נשלח מה-* שלי', 'נשלח מ-* שלי', 'أُرسلت من الـ *', 'تم الإرسال من *'], // Hebrew, Arabic
  ...['发自我的*', '從我的*傳送', '从我的*发送', '*から送信', '나의 *에서 보냄', '내 *에서 보냄'], // Chinese, Japanese, Korean
  ...['Đã gửi từ * của tôi', 'Dikirim dari * saya', 'Dihantar dari * saya', 'ส่งจาก * ของฉัน'], // Vietnamese, Indonesian, Malay, Thai
]

const programs = [
  ...['Get Outlook for iOS', 'Get Outlook for Android', 'Get Outlook for Mac', 'Sent from Outlook for iOS'],
  ...[
    'Sent from Outlook for Android',
    'Sent from Outlook',
    'Sent from Mail for Windows',
    'Sent from Mail for Windows 10',
  ],
  ...[
    'Outlook für iOS beziehen',
    'Outlook für Android beziehen',
    'Holen Sie sich Outlook für iOS',
    'Gesendet von Outlook für iOS',
  ],
  ...[
    'Obtener Outlook para iOS',
    'Obtener Outlook para Android',
    'Obtenga Outlook para iOS',
    'Obtenga Outlook para Android',
  ],
  ...[
    'Télécharger Outlook pour iOS',
    'Télécharger Outlook pour Android',
    'Obtenir Outlook pour iOS',
    'Obtenir Outlook pour Android',
  ],
  ...['Scarica Outlook per iOS', 'Ottieni Outlook per iOS', 'Ottieni Outlook per Android', 'Obter o Outlook para iOS'],
  ...['Obter o Outlook para Android', 'Outlook voor iOS downloaden', 'Outlook voor Android downloaden'],
  ...[
    'Hämta Outlook för iOS',
    'Hent Outlook til iOS',
    'Hent Outlook for iOS',
    'Pobierz program Outlook dla systemu iOS',
  ],
  ...['Sent with Proton Mail secure email.', 'Sent from Proton Mail for iOS', 'Sent from Proton Mail for Android'],
  ...[
    'Sent from Yahoo Mail on Android',
    'Sent from Yahoo Mail for iPhone',
    'Sent from Yahoo Mail',
    'Yahoo Mail: Search, Organize, Conquer',
  ],
  ...['Sent from AOL on Android', 'Sent from the all new AOL app for iOS', 'Sent from Gmail Mobile'],
  ...[
    'Sent from Spark',
    'Sent via Superhuman',
    'Sent from Fastmail',
    'Sent with Shortwave',
    'Sent from myMail for iOS',
  ],
  ...[
    'Diese Nachricht wurde von meinem Android-Gerät mit GMX Mail gesendet.',
    'Gesendet mit der GMX Mail App',
    'Gesendet mit der WEB.DE Mail App',
  ],
  ...['Diese Nachricht wurde von meinem Android-Gerät mit WEB.DE Mail gesendet.', 'Gesendet mit der mobilen Mail App'],
]

/** Without white space and in lower case; the longest first, so that none is taken for the end of another. */
const compact = (text: string) => text.normalize('NFC').replace(/\s+/gu, '').toLowerCase()
const signatures = [...sentWith.flatMap(says => devices.map(device => says.replace('*', device))), ...programs]
  .map(compact)
  .sort((one, other) => other.length - one.length)

/** Where Outlook's own signature leads. */
const linkAtEnd = /<?https:\/\/(?:aka\.ms\/[\w-]{1,40}|go\.microsoft\.com\/fwlink\/\?linkid=[0-9]{1,12})>?$/i

/** `words` are without white space. What is left when one signature at their end is taken away. */
export function withoutDeviceSignature(words: string): string {
  const unlinked = words.replace(linkAtEnd, '').replace(/\.$/, '')
  const lower = unlinked.toLowerCase()
  const found = signatures.find(signature => lower.endsWith(signature.replace(/\.$/, '')))
  // Lower case may have another length, as of İ: then nothing is cut.
  if (found === undefined || lower.length !== unlinked.length) return words
  return unlinked.slice(0, unlinked.length - found.replace(/\.$/, '').length)
}
