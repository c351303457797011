// What only a script can do: copy a block of code, come to the search by a key, and say which part is read. The pages are whole
// without.

const field = document.getElementById('q')
document.addEventListener('keydown', event => {
  const isTyping = event.target.closest('input, textarea, select, [contenteditable]') !== null
  if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return
  event.preventDefault()
  field.focus()
})

for (const block of document.querySelectorAll('main pre[data-language]')) {
  if (navigator.clipboard === undefined) break // it is there over TLS and on this machine alone
  const frame = document.createElement('div')
  frame.className = 'code'
  block.replaceWith(frame)
  // Above the code and never on it: a line may be as long as it likes.
  const strip = document.createElement('p')
  const button = document.createElement('button')
  button.type = 'button'
  button.textContent = 'Copy'
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(block.innerText)
    button.textContent = 'Copied'
    setTimeout(() => {
      button.textContent = 'Copy'
    }, 2000)
  })
  strip.append(block.dataset.language, button)
  frame.append(strip, block)
}

// "On this page" says which part is being read: the last heading that has come up to the bar. At the end of a page the last ones cannot
// come up: there it is the one that was asked for, if it is in sight, else the last.
const parts = [...document.querySelectorAll('nav.here a')].map(link => ({
  link,
  heading: document.getElementById(decodeURIComponent(link.hash.slice(1))),
}))
const barPx = 80
const topOf = ({ heading }) => heading.getBoundingClientRect().top
function partRead() {
  const isAtEnd = innerHeight + scrollY >= document.documentElement.scrollHeight - 2
  if (!isAtEnd) return parts.findLast(part => topOf(part) <= barPx)
  return parts.find(part => part.link.hash === location.hash && topOf(part) >= 0) ?? parts.at(-1)
}
function markPart() {
  const read = partRead()
  for (const part of parts) {
    if (part === read) part.link.setAttribute('aria-current', 'location')
    else part.link.removeAttribute('aria-current')
  }
}
if (parts.length > 0) {
  addEventListener('scroll', markPart, { passive: true })
  markPart()
}
