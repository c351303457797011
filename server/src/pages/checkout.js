// Runs in the browser: makes the form of an offer nicer to fill in. All of it is checked again on the server, and without this
// script the page works as well. What it says comes from the form, in the page's language.

{
  const { cardTyping } = globalThis
  const form = document.getElementById('card-form')
  const says = form.dataset
  const button = form.querySelector('button')
  const { number, expiry, cvc, country } = form.elements
  const units = document.getElementById('units')
  /** Unless one of the stored cards is chosen. */
  const takesNewCard = () => (form.elements.card?.value ?? 'new') === 'new'
  const fields = () => [...form.elements].filter(({ id, type }) => id !== '' && type !== 'radio' && type !== 'checkbox')

  /** '' where it is right, else what to say. */
  function wrongWith(input) {
    const text = input.value.trim()
    const isCard = [number, expiry, cvc].includes(input)
    if (isCard && !takesNewCard()) return ''
    if (text === '') return input.required || isCard ? says.required : ''
    if (input.type === 'email') return /^[^\s@<>,;]{1,64}@[^\s@<>,;]{1,190}$/.test(text) ? '' : says.email
    return isCard ? wrongWithCard(input, text) : ''
  }

  function wrongWithCard(input, text) {
    const digits = cardTyping.digitsOf(number.value)
    if (input === number) return cardTyping.isNumber(digits) ? '' : says.number
    if (input === expiry) return says[cardTyping.wrongExpiry(text, new Date())] ?? ''
    const isLong = cardTyping.brandOf(digits).codeDigits.includes(text.length)
    return /^\d+$/.test(text) && isLong ? '' : says.cvc
  }

  /** True: it is right. */
  function check(input) {
    const sentence = wrongWith(input)
    const problem = document.getElementById(`${input.id}-problem`)
    if (problem) problem.textContent = sentence
    if (sentence === '') input.removeAttribute('aria-invalid')
    else input.setAttribute('aria-invalid', 'true')
    return sentence === ''
  }

  function typeNumber() {
    const { text, caret } = cardTyping.regrouped(number.value, number.selectionStart)
    if (number.value !== text) {
      number.value = text
      number.setSelectionRange(caret, caret)
    }
    const { name, codeDigits } = cardTyping.brandOf(cardTyping.digitsOf(text))
    const brand = document.getElementById('brand')
    if (brand.textContent !== name) brand.textContent = name
    cvc.maxLength = Math.max(...codeDigits)
  }

  function typeExpiry(event) {
    if (expiry.selectionStart !== expiry.value.length) return
    expiry.value = cardTyping.slashed(expiry.value, event.inputType?.startsWith('delete'))
  }

  function askForState() {
    for (const input of form.querySelectorAll('[data-required-in]')) {
      input.required = input.dataset.requiredIn === country.value
      if (!input.required) check(input)
    }
  }

  /** The amount that is shown is the one that is sent. */
  function reckon() {
    if (!units.validity.valid) return
    const minor = BigInt(says.unit) * BigInt(units.value)
    const decimals = Number(says.decimals)
    const digits = String(minor).padStart(decimals + 1, '0')
    const whole = digits.slice(0, digits.length - decimals)
    const fraction = { minimumFractionDigits: decimals, maximumFractionDigits: decimals }
    const style = { style: 'currency', currency: says.currency.toUpperCase(), ...fraction }
    // Twelve digits at most: a number holds them exactly enough to print them back.
    const amount = new Intl.NumberFormat(says.locale, style).format(`${whole}.${digits.slice(whole.length)}`)
    form.elements.quantity.value = units.value
    form.elements.total.value = String(minor)
    document.getElementById('total').textContent = amount
    button.textContent = says.pays.replace('{amount}', () => amount)
  }

  function send(event) {
    const wrong = fields().filter(input => !check(input))
    const stopped = wrong[0] ?? (units?.validity.valid === false ? units : null)
    if (stopped !== null || button.disabled) {
      event.preventDefault()
      event.stopImmediatePropagation()
      stopped?.focus()
      if (stopped === units) units?.reportValidity()
      return
    }
    // Stripe's fields are asked by a script of their own, which comes next.
    if (document.getElementById('card-fields') !== null && takesNewCard()) return
    event.stopImmediatePropagation()
    button.disabled = true
    button.textContent = says.sending
  }

  // Of a page that was left and reloaded, some browsers keep even what is hidden.
  for (const input of [form.elements.quantity, form.elements.total, units]) if (input) input.value = input.defaultValue
  button.disabled = false
  form.noValidate = true
  for (const problem of form.querySelectorAll('.problem[id]')) problem.setAttribute('aria-live', 'polite')
  number?.addEventListener('input', typeNumber)
  expiry?.addEventListener('input', typeExpiry)
  expiry?.addEventListener('change', () => {
    expiry.value = cardTyping.slashed(expiry.value, true)
  })
  form.addEventListener('focusout', ({ target }) => {
    if (fields().includes(target) && target.value !== '') check(target)
  })
  form.addEventListener('input', ({ target }) => {
    if (target.getAttribute('aria-invalid') === 'true' && wrongWith(target) === '') check(target)
  })
  if (country) {
    country.addEventListener('change', askForState)
    askForState()
  }
  if (units) {
    units.form.querySelector('button').hidden = true
    units.addEventListener('input', reckon)
    units.form.addEventListener('submit', event => {
      event.preventDefault()
      units.reportValidity()
    })
  }
  form.addEventListener('submit', send)
  // Back from the next page, the browser may show this one as it was left.
  addEventListener('pageshow', event => {
    if (event.persisted) location.reload()
  })
}
