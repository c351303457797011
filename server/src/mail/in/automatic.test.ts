import assert from 'node:assert/strict'
import { test } from 'node:test'
import { whyAutomatic } from './automatic.ts'
import { fieldOf } from './header.ts'

const why = (lines: readonly string[], mailFrom: string | null = 'ada@shop.test') =>
  whyAutomatic({ mailFrom }, lines.map(fieldOf), 'pay.test')

test('what a person sends is not automatic', () => {
  assert.equal(why(['From: Ada <ada@shop.test>', 'Subject: Out of office', 'Auto-Submitted: no']), null)
  assert.equal(why(['From: reply@shop.test', 'Precedence: first-class', 'X-Auto-Response-Suppress: None'], null), null)
  assert.equal(why(['From: norepl@shop.test', 'Auto-Submitted: No (by hand)']), null)
})

test('bounces, lists, answers of machines', () => {
  const lines = [
    'Auto-Submitted: auto-generated',
    'Auto-Submitted: auto-replied; x=y',
    'Auto-Submitted: nobody',
    'Precedence: bulk',
    'Precedence: List',
    'Precedence: junk',
    'precedence: auto_reply',
    'List-Id: <x>',
    'List-Unsubscribe: <mailto:x@y.test>',
    'X-Auto-Response-Suppress: All',
    'X-Autoreply: yes',
    'X-Autorespond: yes',
    'X-Auto-Reply: yes',
    'Content-Type: multipart/report; report-type=disposition-notification',
    'Return-Path: <>',
    'From: MAILER-DAEMON@shop.test',
    'From: Postmaster <postmaster@shop.test>',
    'From: no-reply@shop.test',
    'From: noreply+1@shop.test',
    'From: do-not-reply@shop.test',
    'From: anything@pay.test',
  ]
  for (const line of lines) assert.notEqual(why([line]), null, line)
})

test('no sender to answer to, or one that is a machine', () => {
  assert.notEqual(why([], ''), null)
  assert.notEqual(why([], 'mailer-daemon@shop.test'), null)
  assert.notEqual(why([], 'owner-list@shop.test'), null)
})
