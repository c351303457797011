// Runs in the browser: waits for what arrives, and puts it on top. What it shows comes from the same page, already
// written, so that there is one place that writes it.

const list = document.querySelector('ol')
const status = document.querySelector('[role=status]')
const shownMax = 200
const tryAgainMs = 2_000

function sayLocalTimes() {
  for (const time of document.querySelectorAll('time')) {
    time.textContent = new Date(time.dateTime).toLocaleString([], { dateStyle: 'medium', timeStyle: 'medium' })
  }
}

function say(text, isLive) {
  if (status.textContent !== text) status.textContent = text
  status.classList.toggle('live', isLive)
}

async function ask(path, query) {
  const answer = await fetch(`${location.pathname}${path}?${new URLSearchParams(query)}`)
  if (!answer.ok) throw new Error(`answered ${answer.status}`)
  return answer
}

async function showNext() {
  const newest = list.firstElementChild?.id
  const after = newest === undefined ? {} : { after: newest }
  const waiting = ask('/hooks', { ...after, wait: '1' })
  say('Live: what arrives appears here by itself.', true)
  const { hooks } = await (await waiting).json()
  if (hooks.length === 0) return
  const page = new DOMParser().parseFromString(await (await ask('', after)).text(), 'text/html')
  document.querySelector('.empty')?.remove()
  list.prepend(...page.querySelectorAll('ol > li'))
  for (const extra of [...list.children].slice(shownMax)) extra.remove()
  sayLocalTimes()
}

async function follow() {
  for (;;) {
    await showNext().catch(() => {
      say('The connection is lost. Trying again …', false)
      return new Promise(resolve => setTimeout(resolve, tryAgainMs))
    })
  }
}

sayLocalTimes()
follow()
