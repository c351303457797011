// A real browser for tests: a Chromium from an npm package where it has a build, an installed Chrome elsewhere.

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'

/** Null: there is none to be had on this machine. */
export async function openBrowser(): Promise<{ readonly browser: Browser; close(): Promise<void> } | null> {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    const browser = await chromium.launch({ channel: 'chrome' }).catch(() => null)
    return browser === null ? null : { browser, close: () => browser.close() }
  }
  const folder = await mkdtemp(join(tmpdir(), 'tillbell-browser-'))
  const clear = () => rm(folder, { recursive: true, force: true })
  try {
    const { executablePath, env } = await unpack(folder)
    // Without a sandbox of its own: as root it has none, and it opens nothing but our own pages.
    const browser = await chromium.launch({ executablePath, env, args: ['--no-sandbox', '--disable-gpu'] })
    return { browser, close: () => browser.close().then(clear) }
  } catch (error) {
    await clear()
    throw error
  }
}

/** The package unpacks where TMPDIR says, and with the libraries it needs only where it takes this for its usual home. */
async function unpack(folder: string) {
  const before = { ...process.env }
  Object.assign(process.env, { TMPDIR: folder, AWS_LAMBDA_JS_RUNTIME: 'nodejs24.x' })
  try {
    const { default: packed } = await import('@sparticuz/chromium')
    packed.setGraphicsMode = false
    const executablePath = await packed.executablePath()
    await writeFile(join(folder, 'fonts', 'fonts.conf'), fontsIn(folder))
    return { executablePath, env: { ...process.env } as { [name: string]: string } }
  } finally {
    for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name]
    Object.assign(process.env, before)
  }
}

/** The package's own list names folders that are not here: pages would have no letters, and nothing its height. */
function fontsIn(folder: string): string {
  const dirs = [join(folder, 'fonts'), '/usr/share/fonts'].map(each => `<dir>${each}</dir>`).join('')
  return `<?xml version="1.0"?><fontconfig>${dirs}<cachedir>${join(folder, 'fonts-cache')}</cachedir></fontconfig>`
}
