// Runs in the browser: what a card's number and expiry look like while they are typed, and what a quantity costs. It touches
// no page, so that a test can run it; `brands.ts` has the same table of brands for the server.

globalThis.cardTyping = {
  brands: [
    { name: 'Visa', begins: /^4/, lengths: [13, 16, 19], codeDigits: [3] },
    {
      name: 'Mastercard',
      begins: /^(?:5[1-5]|22[3-9]|222[1-9]|2[3-6]|27[01]|2720)/,
      lengths: [16],
      codeDigits: [3],
    },
    { name: 'American Express', begins: /^3[47]/, lengths: [15], codeDigits: [4], groups: [4, 6, 5] },
    { name: 'Discover', begins: /^(?:6011|64[4-9]|65)/, lengths: [16, 17, 18, 19], codeDigits: [3] },
  ],

  brandOf(digits) {
    const unknown = { name: '', lengths: [12, 13, 14, 15, 16, 17, 18, 19], codeDigits: [3, 4] }
    return this.brands.find(({ begins }) => begins.test(digits)) ?? unknown
  },

  digitsOf(text) {
    return text.replace(/\D/g, '').slice(0, 19)
  },

  /** As it stands on the card: in fours, an American Express as 4-6-5. */
  grouped(digits) {
    const { groups = [4, 4, 4, 4, 3] } = this.brandOf(digits)
    const parts = []
    let at = 0
    for (const length of [...groups, digits.length]) {
      parts.push(digits.slice(at, at + length))
      at += length
    }
    return parts.filter(part => part !== '').join(' ')
  },

  /** The number grouped, and the caret behind the same digit as before. */
  regrouped(text, caret) {
    const behind = this.digitsOf(text.slice(0, caret)).length
    const grouped = this.grouped(this.digitsOf(text))
    let at = 0
    for (let digits = 0; digits < behind && at < grouped.length; at++) if (grouped[at] !== ' ') digits++
    return { text: grouped, caret: at }
  },

  isNumber(digits) {
    return this.brandOf(digits).lengths.includes(digits.length) && this.passesLuhn(digits)
  },

  passesLuhn(digits) {
    const sum = [...digits].reverse().reduce((all, digit, index) => {
      const doubled = Number(digit) * (index % 2 === 1 ? 2 : 1)
      return all + (doubled > 9 ? doubled - 9 : doubled)
    }, 0)
    return sum % 10 === 0
  },

  /** `8` becomes `08/`, `0829` and `08/2029` become `08/29`. Who deletes the slash is not given it again. */
  slashed(text, deletes) {
    const filledIn = /^(20\d\d)-(\d\d)$/.exec(text.trim())
    if (filledIn) return `${filledIn[2]}/${filledIn[1].slice(2)}`
    const isShortMonth = /^\s*(?:[2-9]|1\s*\/)/.test(text)
    let digits = (isShortMonth ? '0' : '') + text.replace(/\D/g, '')
    const hasCentury = digits.slice(2, 4) === '20'
    digits = digits.slice(0, hasCentury ? 6 : 4)
    if (digits.length === 6) digits = digits.slice(0, 2) + digits.slice(4)
    if (digits.length < 2 || (digits.length === 2 && deletes)) return digits
    return `${digits.slice(0, 2)}/${digits.slice(2)}`
  },

  /** '' where it is right, else what is wrong. A card is good to the end of its month. */
  wrongExpiry(text, now) {
    const [, month, year] = /^(0[1-9]|1[0-2])\/(\d\d)$/.exec(text) ?? []
    if (month === undefined) return 'expiry'
    // Twelve hours more: somewhere on earth it is still the day before.
    return now.getTime() >= Date.UTC(2000 + Number(year), Number(month), 1, 12) ? 'expired' : ''
  },

  /** As the server reads it: null where it is no number of things that can be bought. `1e2` is one to browsers, and not to us. */
  unitsOf(text, max) {
    const [, digits] = /^0*([1-9][0-9]{0,3})$/.exec(text.trim()) ?? []
    return digits === undefined || Number(digits) > max ? null : digits
  },

  /** From the decimal text: a float would not hold every amount. */
  amount(minor, { locale, currency, decimals }) {
    const places = Number(decimals)
    const digits = String(minor).padStart(places + 1, '0')
    const whole = digits.slice(0, digits.length - places)
    const fraction = { minimumFractionDigits: places, maximumFractionDigits: places }
    const style = { style: 'currency', currency: currency.toUpperCase(), ...fraction }
    return new Intl.NumberFormat(locale, style).format(`${whole}.${digits.slice(whole.length)}`)
  },
}
