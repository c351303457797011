// Runs the shell blocks of a page in their order, in one shell, against a running sandbox.

import { spawn } from 'node:child_process'
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Block, nameOf, root } from './code-blocks.ts'
import type { TestService } from './service.ts'

/** What a reader of the page has at hand by then: the README's `demo`, `$rest` and `$merchant`, and files that are named. */
const before = `
demo() { node -p "JSON.parse(require('fs').readFileSync('$TILLBELL_DATA/demo.json'))['$1']"; }
tillbell() { node "$tillbell_program" "$@"; }
npx() { shift; tillbell "$@"; }
# A status that is no success fails the block.
curl() { command curl --silent --show-error --fail-with-body "$@"; }
`

const mail = (offer: string) =>
  `From: ada@example.com\r\nTo: payment-id-${offer}@localhost\r\nSubject: Pay\r\nDate: Sun, 15 Nov 2026 12:00:00 +0000\r\nMessage-ID: <1@example.com>\r\n\r\nHello.\r\n`
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='

export interface Ran {
  readonly code: number | null
  readonly printed: string
  /** The last block that was begun. */
  readonly last: string
}

export async function runInShell(service: TestService, blocks: readonly Block[]): Promise<Ran> {
  const [first] = blocks
  if (first === undefined) throw new Error('no blocks')
  const folder = await mkdtemp(join(tmpdir(), 'tillbell-blocks-'))
  try {
    // Where the page is, so that `../../data` is the same thing.
    const here = join(folder, first.page.startsWith('examples/') ? 'examples/any' : '')
    await mkdir(here, { recursive: true })
    await cp(service.dataFolder, join(folder, 'data'), { recursive: true })
    await writeFile(join(here, 'logo.png'), Buffer.from(pixel, 'base64'))
    await writeFile(join(here, 'mail.eml'), mail(service.demo.offer))
    // `-e` looks over what fails in front of an `&&`.
    const script = blocks.map(block => `echo "@@ ${nameOf(block)}"\n${block.text}[ $? -eq 0 ] || exit 1`).join('\n')
    return await shell(`${before}${script}`, here, variables(service, folder))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function variables(service: TestService, folder: string): NodeJS.ProcessEnv {
  const { demo, demoSheet, baseUrl, mailPort, database } = service
  return {
    ...process.env,
    tillbell_program: join(root, 'server/bin/tillbell.js'),
    base_url: baseUrl,
    rest: `${baseUrl}/api/v5/rest`,
    merchant: `${demoSheet.api_key}:${demoSheet.api_secret}`,
    offer: demo.offer,
    mail_domain: 'localhost',
    DATABASE_URL: database.url,
    TILLBELL_DATA: join(folder, 'data'),
    TILLBELL_MAIL_PORT: String(mailPort),
    TILLBELL_MAIL_INBOUND_SECRET: mailInboundSecret,
  }
}

export const mailInboundSecret = 'a secret that a provider has'

function shell(script: string, cwd: string, env: NodeJS.ProcessEnv): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn('sh', ['-eu', '-c', script], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], timeout: 60_000 })
    let printed = ''
    const keep = (chunk: Buffer) => {
      printed += chunk
    }
    child.stdout.on('data', keep)
    child.stderr.on('data', keep)
    child.on('error', reject)
    child.on('close', code => {
      const begun = [...printed.matchAll(/^@@ (.*)$/gm)].map(([, name = '']) => name)
      resolve({ code, printed, last: begun.at(-1) ?? '' })
    })
  })
}
