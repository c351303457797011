// Draws the API reference from the document that the service answers, in the colours of the docs. Until then, and without a
// script, the page says where the document is.

const place = document.getElementById('reference')
const form = 'application/x-www-form-urlencoded'

// Redoc shows no schema of what is inside a text, and would show a form's example as one long line. So for it alone the details
// of a hook are the object that they are the text of.
function drawable(described) {
  for (const { post } of Object.values(described.webhooks)) {
    const { schema, examples } = post.requestBody.content[form]
    const { contentSchema, description } = schema.properties.details
    schema.properties.details = { ...contentSchema, description }
    for (const example of Object.values(examples)) example.value = spelled(example.value)
  }
  return described
}

function spelled({ details, signature }) {
  return `details, as text without these blanks:\n\n${JSON.stringify(JSON.parse(details), null, 2)}\n\nsignature:\n\n${signature}`
}

function theme() {
  const style = getComputedStyle(document.documentElement)
  const colour = name => style.getPropertyValue(`--${name}`).trim()
  const [paper, wash, ink, soft, line, link] = ['paper', 'wash', 'ink', 'soft', 'line', 'link'].map(colour)
  const fontFamily = 'system-ui, sans-serif'
  // The tabs are on the panel of samples, which is dark by day too.
  const state = (main, tabTextColor) => ({ color: main, backgroundColor: wash, tabTextColor })
  return {
    colors: {
      // Behind white text, and as text on white, by night as well.
      primary: { main: colour('pressed') },
      success: { main: colour('string') },
      warning: { main: colour('number'), contrastText: paper },
      error: { main: colour('word') },
      text: { primary: ink, secondary: soft },
      border: { dark: line, light: line },
      gray: { 50: wash, 100: wash },
      responses: {
        success: state(colour('string'), '#8fd3a6'),
        error: state(colour('word'), '#e3a3d2'),
        redirect: state(soft, '#b3ada2'),
        info: state(link, '#8ec5ec'),
      },
    },
    schema: {
      nestedBackground: wash,
      linesColor: line,
      typeNameColor: soft,
      typeTitleColor: soft,
      requireLabelColor: colour('word'),
    },
    typography: {
      fontFamily,
      headings: { fontFamily, fontWeight: '600' },
      code: { color: ink, backgroundColor: wash },
      links: { color: link, visited: link, hover: link },
    },
    sidebar: { backgroundColor: wash, textColor: ink, activeTextColor: link },
    rightPanel: { backgroundColor: colour('panel'), textColor: '#ffffff' },
    codeBlock: { backgroundColor: colour('samples') },
    spacing: { sectionVertical: 24 },
  }
}

// A link to a heading in the folded words opens them, also where the browser does not do so by itself.
function unfold() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)))
  const fold = target?.closest('.about details')
  if (fold === null || fold === undefined) return
  fold.open = true
  target.scrollIntoView()
}

async function draw() {
  const answer = await fetch(place.dataset.document)
  const options = {
    disableSearch: true, // it would run in a worker of its own making, which the page's policy does not let in
    scrollYOffset: '.bar',
    schemasExpansionLevel: 1, // so that the fields of a hook are seen
    theme: theme(),
  }
  window.Redoc.init(drawable(await answer.json()), options, place, problem => {
    if (problem === undefined || problem === null) document.body.classList.add('is-drawn')
  })
}

unfold()
addEventListener('hashchange', unfold)
draw()
