// The browser of a test run: launched when the first test file asks for it, shared by all of them. Each visitor has a
// context of its own in it, with nothing of the others'.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Browser, type BrowserServer, chromium } from 'playwright-core'
import { unpackChromium } from './chromium.ts'

export interface SharedBrowser {
  /** Tells where the browser is. */
  readonly url: string
  close(): Promise<void>
}

/** For the run. */
export async function shareBrowser(folder: string): Promise<SharedBrowser> {
  let launched: Promise<BrowserServer | null> | undefined
  const server = createServer(async (_, response) => {
    launched ??= launch(folder)
    try {
      const browser = await launched
      response.writeHead(browser === null ? 204 : 200).end(browser?.wsEndpoint())
    } catch (error) {
      response.writeHead(500).end(String(error))
    }
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.close()
      const browser = await launched?.catch(() => null)
      await browser?.close()
    },
  }
}

/** Null: there is none to be had on this machine. */
async function launch(folder: string): Promise<BrowserServer | null> {
  // Whoever interrupts the run interrupts the tests; the run itself goes on, and closes the browser.
  const signals = { handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false }
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    return chromium.launchServer({ ...signals, channel: 'chrome' }).catch(() => null)
  }
  const { executablePath, env } = await unpackChromium(folder)
  return chromium.launchServer({
    ...signals,
    executablePath,
    env: { ...(process.env as { [name: string]: string }), ...env },
    // Without a sandbox of its own: as root it has none, and it opens nothing but our own pages.
    args: ['--no-sandbox', '--disable-gpu'],
  })
}

/** For a test file. Closing it leaves the others theirs. Null: there is none to be had on this machine. */
export async function openBrowser(): Promise<Browser | null> {
  const url = process.env.TEST_BROWSER
  if (url === undefined) throw new Error('Run the tests with npm test: it brings up their browser.')
  const answer = await fetch(url)
  if (answer.status === 204) return null
  const said = await answer.text()
  if (!answer.ok) throw new Error(said)
  return chromium.connect(said)
}
