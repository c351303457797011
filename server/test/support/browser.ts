// A real browser for tests: a Chromium from an npm package where it has a build, an installed Chrome elsewhere.

import { mkdir, mkdtemp, rename, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'

export interface OpenedBrowser {
  readonly browser: Browser
  close(): Promise<void>
}

/** Null: there is none to be had on this machine. */
export async function openBrowser(): Promise<OpenedBrowser | null> {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    const browser = await chromium.launch({ channel: 'chrome' }).catch(() => null)
    return browser === null ? null : { browser, close: () => browser.close() }
  }
  const shared = process.env.BROWSER_FOLDER
  if (shared !== undefined) {
    const browser = await launch(await unpackedOnceIn(shared))
    return { browser, close: () => browser.close() }
  }
  const folder = await mkdtemp(join(tmpdir(), 'tillbell-browser-'))
  const clear = () => rm(folder, { recursive: true, force: true })
  try {
    const browser = await launch(await unpackedOnceIn(folder))
    return { browser, close: () => browser.close().then(clear) }
  } catch (error) {
    await clear()
    throw error
  }
}

function launch(folder: string): Promise<Browser> {
  return chromium.launch({
    executablePath: join(folder, 'chromium'),
    env: {
      ...(process.env as { [name: string]: string }),
      FONTCONFIG_PATH: join(folder, 'fonts'),
      LD_LIBRARY_PATH: join(folder, 'al2023', 'lib'),
    },
    // Without a sandbox of its own: as root it has none, and it opens nothing but our own pages.
    args: ['--no-sandbox', '--disable-gpu'],
  })
}

/** Unpacking takes seconds: the first process of a test run does it for all. Two at once, and one does it in vain. */
async function unpackedOnceIn(folder: string): Promise<string> {
  const unpacked = join(folder, 'unpacked')
  const isThere = () =>
    stat(unpacked).then(
      () => true,
      () => false,
    )
  if (await isThere()) return unpacked
  await mkdir(folder, { recursive: true })
  const ours = await mkdtemp(join(folder, 'unpacking-'))
  await unpackTo(ours)
  await writeFile(join(ours, 'fonts', 'fonts.conf'), fontsIn(unpacked))
  try {
    await rename(ours, unpacked)
  } catch (error) {
    if (!(await isThere())) throw error
    await rm(ours, { recursive: true })
  }
  return unpacked
}

/** The package unpacks where TMPDIR says, and with the libraries it needs only where it takes this for its usual home. */
async function unpackTo(folder: string): Promise<void> {
  const before = { ...process.env }
  Object.assign(process.env, { TMPDIR: folder, AWS_LAMBDA_JS_RUNTIME: 'nodejs24.x' })
  try {
    const { default: packed } = await import('@sparticuz/chromium')
    packed.setGraphicsMode = false
    await packed.executablePath()
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
