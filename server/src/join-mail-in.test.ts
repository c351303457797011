import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tellingOfDns } from './join-mail-in.ts'

test('a resolver that does not answer is told of once a minute; that there is no such name is no trouble', async () => {
  const said: object[] = []
  const codes = ['ENOTFOUND', 'ENODATA', 'ECONNREFUSED', 'ETIMEOUT']
  const { resolve } = tellingOfDns(
    {
      resolve: async (name: string, _: string): Promise<string[]> =>
        Promise.reject(Object.assign(new Error(name), { code: name })),
    },
    '127.0.0.1:1',
    each => void said.push(each),
  )
  for (const code of codes) await assert.rejects(resolve(code, 'TXT'), { code })
  const [name, type] = ['ECONNREFUSED', 'TXT']
  assert.deepEqual(said, [{ resolver: '127.0.0.1:1', code: name, name, type, unsaid: 0 }])
})
