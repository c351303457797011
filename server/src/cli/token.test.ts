import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig } from '../config.ts'
import { openLog } from '../observe/log.ts'
import { UsageError } from './command.ts'
import { tokenCreate } from './token.ts'

const config = readConfig({})
const options = {
  email: 'ada@example.com',
  amount: '20.55',
  'private-key-file': '/dev/null',
  'service-public-key': 'none',
  'partner-id': '7',
}

test('what cannot be a token is refused by the name of the option', async () => {
  const run = (change: { [name: string]: string | boolean | undefined }) =>
    tokenCreate.run({ config, log: openLog('silent'), options: { ...options, ...change }, positionals: [], print() {} })
  for (const [change, says] of [
    [{ email: 'nobody' }, /^--email must be an email address\.$/],
    [{ email: undefined, card: 'short' }, /^--card must be the service_token/],
    [
      { email: undefined, url: 'ftp://example.com' },
      /^--url must be an http or https URL, or empty text for the service's own page\.$/,
    ],
    [{ amount: '1.234' }, /^--amount must have at most 2 decimals\.$/],
    [{ currency: 'usd' }, /^--currency must be three letters such as "USD"\.$/],
    [{ currency: 'JPY', amount: '1.5' }, /^--amount must have at most 0 decimals\.$/],
    [{ group: 'a/b' }, /^--group must not contain/],
    [{ expires: '2020-01-01' }, /^--expires must be in the future\.$/],
    [{ data: '{"item_name":3}' }, /^--data: item_name must be text/],
    [{ data: `{"custom_data":{"x":"${'x'.repeat(9_000)}"}}` }, /^--data must have at most 8192 bytes/],
    [{ data: '{"authorization_only":true}' }, /^--data: authorization_only must agree with --authorize-only\.$/],
    [{ 'partner-id': 'x' }, /^--partner-id must be a whole number\.$/],
    [{}, /^--private-key-file must be the base64 text/],
  ] as const) {
    await assert.rejects(run(change), error => {
      assert.ok(error instanceof UsageError)
      assert.match(error.message, says)
      return true
    })
  }
})
