// Runs in the browser: shows Stripe's own card fields, and sends us the name that Stripe gives the card. Its number never
// leaves Stripe's frames.

const form = document.getElementById('card-form')
const button = form.querySelector('button')
const problem = form.querySelector('[role=alert]')
const { reference } = form.elements

function say(sentence) {
  problem.textContent = sentence
  button.disabled = false
  if (sentence !== '') problem.scrollIntoView({ block: 'nearest' })
}

// Stripe documents this flow as collecting details without an intent: the payment method is made here, with no request of
// ours in between.
function mountFields() {
  const stripe = window.Stripe(form.dataset.key, { locale: document.documentElement.lang })
  const { content: scheme } = document.querySelector('meta[name=color-scheme]')
  const isDark = scheme === 'light dark' ? matchMedia('(prefers-color-scheme: dark)').matches : scheme === 'dark'
  const theme = isDark ? 'night' : 'stripe'
  const elements = stripe.elements({
    mode: 'setup',
    currency: form.dataset.currency,
    paymentMethodTypes: ['card'],
    paymentMethodCreation: 'manual',
    appearance: { theme },
  })
  elements.create('payment').mount('#card-fields')
  return { stripe, elements }
}

async function namedCard({ stripe, elements }) {
  const checked = await elements.submit()
  return checked.error ? checked : stripe.createPaymentMethod({ elements })
}

async function sendCard(fields) {
  const { error, paymentMethod } = await namedCard(fields)
  if (error) return say(error.message)
  reference.value = paymentMethod.id
  form.submit()
}

function begin() {
  if (window.Stripe === undefined) return say(form.dataset.notLoaded)
  const fields = mountFields()
  form.addEventListener('submit', event => {
    event.preventDefault()
    if (button.disabled) return
    button.disabled = true
    problem.textContent = ''
    sendCard(fields).catch(() => say(form.dataset.notReached))
  })
}

begin()
// Back from the next page, the browser may show this one as it was left.
addEventListener('pageshow', event => {
  if (event.persisted) location.reload()
})
