// Runs in the browser: waits for what arrives, and puts it on top. It comes written out as the page's own list is, so that
// there is one place that writes it.

const list = document.querySelector('ol')
const status = document.querySelector('[role=status]')
const shownMax = 200
const tryAgainMs = 2_000

function sayLocalTimes() {
  for (const time of document.querySelectorAll('time')) {
    time.textContent = new Date(time.dateTime).toLocaleString([], { dateStyle: 'medium', timeStyle: 'medium' })
  }
}

let isLive = true

function beLive(is) {
  isLive = is
  status.textContent = is ? 'Live: what arrives appears here by itself.' : 'The connection is lost. Trying again …'
  status.classList.toggle('live', is)
}

/** After a loss it does not wait, so that it is soon known whether the connection is back. */
async function showNext() {
  const newest = list.firstElementChild?.id
  const query = new URLSearchParams({ wait: isLive ? '1' : '0', ...(newest && { after: newest }) })
  const answer = await fetch(`${location.pathname}/items?${query}`)
  if (!answer.ok) throw new Error(`answered ${answer.status}`)
  const arrived = new DOMParser().parseFromString(await answer.text(), 'text/html').querySelectorAll('li')
  if (!isLive) beLive(true)
  if (arrived.length === 0) return
  document.querySelector('.empty')?.remove()
  list.prepend(...arrived)
  for (const extra of [...list.children].slice(shownMax)) extra.remove()
  sayLocalTimes()
}

async function follow() {
  beLive(true)
  for (;;) {
    await showNext().catch(() => {
      beLive(false)
      return new Promise(resolve => setTimeout(resolve, tryAgainMs))
    })
  }
}

sayLocalTimes()
follow()
