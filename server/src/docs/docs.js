// What only a script can do: copy a block of code, and come to the search by a key. The pages are whole without.

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
