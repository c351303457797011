// A customer without a browser.

import assert from 'node:assert/strict'

/** Presses the one button of the page at an address, as a browser does; where that leads. */
export async function pressButton(url: string): Promise<string> {
  const shown = await fetch(url)
  const html = await shown.text()
  const action = /<form[^>]* action="([^"]+)"/.exec(html)?.[1] ?? assert.fail(html)
  const fields = [...html.matchAll(/<input[^>]* name="([^"]+)"[^>]* value="([^"]*)"/g)]
  const body = new URLSearchParams(fields.map(([, name = '', value = '']): [string, string] => [name, value]))
  const cookie = shown.headers
    .getSetCookie()
    .map(each => each.split(';')[0])
    .join('; ')
  const { origin } = new URL(url)
  const headers = { origin, cookie }
  const pressed: Response = await fetch(new URL(action, url), { method: 'POST', body, headers, redirect: 'manual' })
  return pressed.headers.get('location') ?? assert.fail(String(pressed.status))
}
