// Draws the API reference from the document that the service answers. Until then, and without a script, the page says where it is.

const place = document.getElementById('reference')
const fontFamily = 'system-ui, sans-serif'

const options = {
  disableSearch: true, // it would run in a worker of its own making, which the page's policy does not let in
  scrollYOffset: '.bar',
  theme: { typography: { fontFamily, headings: { fontFamily } } },
}

window.Redoc.init(place.dataset.document, options, place, problem => {
  if (problem === undefined || problem === null) document.body.classList.add('is-drawn')
})
