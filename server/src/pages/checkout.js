// Runs in the browser: makes a form with a card nicer to fill in. All of it is checked again on the server, and without this
// script the page works as well. What it says comes from the form, in the page's language.

{
  const { cardTyping } = globalThis
  const form = document.getElementById('card-form')
  const says = form.dataset
  const button = form.querySelector('button')
  const summary = form.querySelector('[role=alert]')
  const { number, expiry, cvc, units } = form.elements
  const countries = form.querySelectorAll('.address select')
  const slowMs = 5_000
  /** Unless one of the stored cards is chosen. */
  const takesNewCard = () => (form.elements.card?.value ?? 'new') === 'new'
  const fields = () => [...form.elements].filter(({ id, type }) => id !== '' && !['radio', 'submit'].includes(type))

  /** '' where it is right, else what to say. */
  function wrongWith(input) {
    const text = input.type !== 'checkbox' || input.checked ? input.value.trim() : ''
    if (input === units) return cardTyping.unitsOf(text, Number(units.max)) === null ? says.units : ''
    if ([number, expiry, cvc].includes(input)) return takesNewCard() ? wrongWithCard(input, text) : ''
    if (input.type === 'email') return /^[^\s@<>,;]{1,64}@[^\s@<>,;]{1,190}$/.test(text) ? '' : says.email
    return text === '' && input.required ? (input.dataset.missing ?? says.country) : ''
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
      const country = input.closest('fieldset').querySelector('select')
      input.required = input.dataset.requiredIn === country.value
      input.labels[0].querySelector('span').hidden = input.required
      if (!input.required) check(input)
    }
  }

  /** The amount that is shown is the one that is sent. Of what cannot be bought there is none. */
  function reckon() {
    const count = cardTyping.unitsOf(units.value, Number(units.max))
    const minor = count === null ? null : BigInt(says.unit) * BigInt(count)
    const amount = minor === null ? '' : cardTyping.amount(minor, says)
    form.elements.quantity.value = count ?? ''
    form.elements.total.value = minor ?? ''
    document.getElementById('total').textContent = amount || '–'
    document.getElementById('price').hidden = count === 1
    button.textContent = says.pays.replace('{amount}', () => amount).trim()
  }

  function send(event) {
    // Pressing the button does not leave the field, so nothing has put it right yet.
    if (expiry) expiry.value = cardTyping.slashed(expiry.value, true)
    const wrong = fields().filter(input => !check(input))
    const many = says.several.replace('{count}', wrong.length)
    summary.textContent = wrong.length === 0 ? '' : wrong.length === 1 ? says.one : many
    if (wrong.length > 0 || button.disabled) {
      event.preventDefault()
      event.stopImmediatePropagation()
      wrong[0]?.focus()
      return
    }
    // Stripe's fields are asked by a script of their own, which comes next.
    if (document.getElementById('card-fields') !== null && takesNewCard()) return
    event.stopImmediatePropagation()
    button.disabled = true
    button.textContent = says.sending
    const slow = document.getElementById('slow')
    if (slow) setTimeout(() => slow.replaceChildren(says.slow), slowMs)
  }

  function followUnits() {
    document.getElementById('update').hidden = true
    units.addEventListener('input', () => {
      reckon()
      if (wrongWith(units) === '') check(units)
    })
    units.addEventListener('change', () => {
      if (check(units)) units.value = form.elements.quantity.value
    })
  }

  // Of a page that was left and reloaded, some browsers keep even what is hidden.
  for (const input of [form.elements.quantity, form.elements.total, units]) if (input) input.value = input.defaultValue
  button.disabled = false
  form.noValidate = true
  for (const problem of document.querySelectorAll('.problem[id]')) problem.setAttribute('aria-live', 'polite')
  number?.addEventListener('input', typeNumber)
  expiry?.addEventListener('input', typeExpiry)
  expiry?.addEventListener('change', () => {
    expiry.value = cardTyping.slashed(expiry.value, true)
  })
  form.addEventListener('focusout', ({ target }) => {
    if (fields().includes(target) && target.type !== 'checkbox' && target.value !== '') check(target)
  })
  form.addEventListener('input', ({ target }) => {
    if (target.getAttribute('aria-invalid') === 'true' && wrongWith(target) === '') check(target)
  })
  for (const country of countries) country.addEventListener('change', askForState)
  askForState()
  if (units) followUnits()
  form.addEventListener('submit', send)
  // What is wrong with the field that is left would move the button away from under the pointer, before it is pressed.
  button.addEventListener('mousedown', event => event.preventDefault())
  // An answer to what was sent: the way back to it, and a reload, ask for the page and do not send again.
  if (says.address !== undefined) history.replaceState(null, '', says.address)
  // In a merchant's frame browsers do not go there by themselves.
  if (self !== top) {
    const first = document.querySelector('[autofocus]')
    first?.focus()
    first?.scrollIntoView({ block: 'center' })
  }
  // Back from the next page, the browser may show this one as it was left.
  addEventListener('pageshow', event => {
    if (event.persisted) location.reload()
  })
}
