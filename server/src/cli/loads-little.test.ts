// What is loaded, and what is not, when somebody asks for help, runs a command or starts the service: to load it all takes
// longer than most commands' work, and one import at the wrong place brings it back.

import assert from 'node:assert/strict'
import { registerHooks } from 'node:module'
import { test } from 'node:test'

const packages = new Set<string>()
registerHooks({
  load(url, context, nextLoad) {
    const [, name] = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url) ?? []
    if (name !== undefined) packages.add(name)
    return nextLoad(url, context)
  },
})

const ofGateways = ['stripe', 'braintree']
const ofTheService = ['fastify', '@fastify/swagger', 'prom-client']
const loadedOf = (names: readonly string[]) => names.filter(name => packages.has(name))

test('the overview of the commands loads neither the service nor a gateway', async () => {
  await import('./run.ts')
  assert.ok(packages.has('pg'), 'what is loaded is seen')
  assert.deepEqual(loadedOf([...ofGateways, ...ofTheService]), [])
})

test('nor does a command that reads or writes the database alone, or asks a service elsewhere', async () => {
  const { commands } = await import('./commands.ts')
  for (const group of [
    'trigger',
    'verify',
    'version',
    'migrate',
    'backup',
    'restore',
    'reopen',
    'merchant',
    'key',
    'login',
    'private-key',
    'secret-key',
    'token',
    'mail',
    'doubt',
    'audit',
    'sandbox-gateway',
    'listen',
    'trigger',
    'verify',
  ]) {
    const ofGroup = commands.filter(({ name }) => name.split(' ')[0] === group)
    assert.ok(ofGroup.length > 0, group)
    for (const { load } of ofGroup) await load()
  }
  assert.deepEqual(loadedOf([...ofGateways, ...ofTheService]), [])
})

test('the service loads no gateway before one of its type is opened, and no maker of schemas', async () => {
  await import('../main.ts')
  assert.deepEqual(loadedOf(ofTheService), ofTheService)
  assert.deepEqual(loadedOf([...ofGateways, 'typebox']), [])
  await import('../gateways/stripe/adapter.ts')
  await import('../gateways/braintree/adapter.ts')
  assert.deepEqual(loadedOf(ofGateways), ofGateways)
})
