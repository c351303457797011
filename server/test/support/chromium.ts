// A Chromium from an npm package, which holds it packed.

import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

export interface Chromium {
  readonly executablePath: string
  /** Where it finds its fonts and libraries. */
  readonly env: { readonly [name: string]: string }
}

export async function unpackChromium(folder: string): Promise<Chromium> {
  await mkdir(folder, { recursive: true })
  await unpackTo(folder)
  const fonts = join(folder, 'fonts')
  await writeFile(join(fonts, 'fonts.conf'), fontsIn(folder))
  return {
    executablePath: join(folder, 'chromium'),
    env: { FONTCONFIG_PATH: fonts, LD_LIBRARY_PATH: join(folder, 'al2023', 'lib') },
  }
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
