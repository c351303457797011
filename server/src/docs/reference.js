// Draws the API reference from the document that the service answers.

const place = document.getElementById('reference')
const isNight = matchMedia('(prefers-color-scheme: dark)').matches

const night = {
  colors: {
    primary: { main: '#8ec5ec' },
    text: { primary: '#ece9e3', secondary: '#b3ada2' },
    border: { dark: '#3a3733', light: '#3a3733' },
    gray: { 50: '#232120', 100: '#2b2927' },
    responses: { success: { color: '#8fd3a6' }, error: { color: '#f0a39a' } },
  },
  sidebar: { backgroundColor: '#232120', textColor: '#ece9e3' },
  rightPanel: { backgroundColor: '#121110' },
  schema: {
    nestedBackground: '#232120',
    requireLabelColor: '#f0a39a',
    typeNameColor: '#b3ada2',
    typeTitleColor: '#b3ada2',
  },
}

const fonts = { fontFamily: 'system-ui, sans-serif', headings: { fontFamily: 'system-ui, sans-serif' } }

const options = {
  disableSearch: true, // it would run in a worker of its own making, which the page's policy does not let in
  hideDownloadButton: false,
  scrollYOffset: '.bar',
  theme: {
    ...(isNight ? night : {}),
    typography: { ...fonts, ...(isNight && { code: { backgroundColor: '#232120', color: '#ece9e3' } }) },
  },
}

window.Redoc.init(place.dataset.document, options, place, problem => {
  if (problem === undefined || problem === null) document.body.classList.add('is-drawn')
})
