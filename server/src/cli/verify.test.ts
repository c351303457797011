import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { hookBody, signDetails } from '@tillbell/sdk'
import { emptyFolder } from '../../test/support/temporary-folder.ts'
import { readConfig } from '../config.ts'
import { openLog } from '../observe/log.ts'
import { FailedError, UsageError } from './command.ts'
import { parsedWords } from './parsed-words.ts'
import { verify } from './verify.ts'

const key = 'OK4M40Bp5NhPJagGRXB9x1dI58ujH1mvhjF526jkqYs='
const another = 'bK7rVdQ0u2p8zX1cH5mN9sT3wY6aE4gJ0iL2oP8qR1U='
const details = '{"type":"success"}'
const signature = signDetails(details, key)

async function verified(words: readonly string[], environment: { readonly [name: string]: string } = {}) {
  const printed: string[] = []
  const config = readConfig({ TILLBELL_DATA: '/nowhere', ...environment })
  const given = parsedWords('verify', verify, words)
  const print = (text: string) => void printed.push(text)
  const code = await verify.run({ config, log: openLog('silent'), print, ...given })
  return { code, said: printed.join('\n') }
}

async function file(t: TestContext, content: string | Buffer): Promise<string> {
  const path = join(await emptyFolder(t), 'given')
  await writeFile(path, content)
  return path
}

test('an authentic hook is called so, whether its body or its parts are given, as files or as text', async t => {
  const keyFile = await file(t, `${key}\n`)
  const ways = [
    ['--body', await file(t, hookBody(details, key)), '--key', key],
    ['--details', details, '--signature', signature, '--key', key],
    ['--details', await file(t, details), '--signature', signature, '--key-file', keyFile],
  ]
  for (const words of ways) assert.deepEqual(await verified(words), { code: 0, said: 'authentic' })
})

test('the key comes from the environment, or from the demo, so that it need not be an argument', async t => {
  const words = ['--details', details, '--signature', signature]
  assert.equal((await verified(words, { TILLBELL_PRIVATE_KEY: key })).code, 0)
  const TILLBELL_DATA = await emptyFolder(t)
  await writeFile(join(TILLBELL_DATA, 'demo.json'), JSON.stringify({ private_key: key }))
  assert.equal((await verified(words, { TILLBELL_DATA })).code, 0)
  assert.equal((await verified([...words, '--key', another], { TILLBELL_DATA })).code, 1, 'what is given counts')
  await assert.rejects(verified(words), UsageError)
  await assert.rejects(verified(words, { TILLBELL_PRIVATE_KEY: ' ' }), UsageError)
})

test('of several keys it says which one it was', async t => {
  const words = ['--details', details, '--signature', signature, '--key', another]
  const path = await file(t, key)
  assert.equal((await verified([...words, '--key', key])).said, 'authentic, signed with --key number 2')
  assert.equal((await verified([...words, '--key-file', path])).said, `authentic, signed with ${path}`)
})

test('what is not authentic ends with 1, and says what was found and how to mend it, but no signature and no key', async t => {
  const { code, said } = await verified(['--details', `${details}\n`, '--signature', signature, '--key', key])
  assert.equal(code, 1)
  assert.match(
    said,
    /^Not authentic as given\. It would be, with this mended:\n- The details have white space .*\. .*\.$/,
  )
  const forged = ['--details', '{"type":"error"}', '--signature', signature, '--key', key]
  assert.match((await verified(forged)).said, /^Not authentic\.\n- It is signed with another Private Key, or/)
  const json = await verified([...forged, '--json'])
  const [cause] = JSON.parse(json.said).causes
  assert.deepEqual([json.code, Object.keys(cause), cause.code], [1, ['code', 'found', 'mend'], 'nothing_found'])
  for (const secret of [signDetails('{"type":"error"}', key), key]) assert.ok(!json.said.includes(secret))
  const decoded = ['--details', details, '--signature', signature, '--key-file']
  assert.match((await verified([...decoded, await file(t, Buffer.from(key, 'base64'))])).said, /decoded from base64/)
})

test('what is missing is wrong usage; what cannot be read, or is no hook, has failed', async t => {
  for (const words of [[], ['--details', details], ['--signature', signature], ['--body', 'x', '--details', details]])
    await assert.rejects(verified([...words, '--key', key]), UsageError)
  await assert.rejects(verified(['--details', details, '--signature', signature, '--key', ' ']), UsageError)
  await assert.rejects(
    verified(['--body', '/nowhere', '--key', key]),
    error => error instanceof FailedError && error.message === '--body: /nowhere does not exist.',
  )
  await assert.rejects(verified(['--body', '/', '--key', key]), { message: '--body: / is a folder, not a file.' })
  await assert.rejects(verified(['--body', await file(t, 'a=1'), '--key', key]), /has no details and no signature/)
  for (const path of ['details.json', '/nowhere/details', './hook.txt'])
    await assert.rejects(
      verified(['--details', path, '--signature', signature, '--key', key]),
      new FailedError(`--details: there is no file ${path} to read, and it is no JSON.`),
    )
})

test('what is no JSON and no name of a file is taken for details that somebody changed', async () => {
  for (const changed of [encodeURIComponent(details), hookBody(details, key), details.slice(1), key])
    assert.equal((await verified(['--details', changed, '--signature', signature, '--key', key])).code, 1)
})
