// Mail has one usual port, and a machine may have two sandboxes: the second takes another port, and says which.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { usualMailPort } from '../src/config.ts'
import { converse } from './support/mailbox.ts'
import { startTestService } from './support/service.ts'

test('two sandboxes on one machine both take mail, each on the port that it names', async t => {
  const services = []
  for (const _ of ['one', 'other']) {
    const service = await startTestService({ TILLBELL_MAIL_PORT: String(usualMailPort) })
    t.after(() => service.stop())
    services.push(service)
  }
  const ports = services.map(({ mailPort }) => mailPort)
  assert.equal(new Set(ports).size, 2)
  for (const { mailPort, demoSheet } of services) {
    assert.equal(demoSheet.mail_port, mailPort)
    const { hear, socket } = await converse(mailPort)
    assert.match(await hear(), /^220 /)
    socket.destroy()
  }
  assert.match(services[1]?.logged() ?? '', /the usual port of mail is in use/)
})
