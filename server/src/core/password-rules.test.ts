import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type PasswordFault, passwordFault } from './password-rules.ts'

const faultOf = (password: string) => passwordFault(password, 'ada.lovelace@example.com')

test('a long password is taken, whatever it is made of', () => {
  for (const password of [
    'four words by chance',
    'correcthorsebattery',
    'Zoë & the 🐎 battery',
    'kX9-vQ2_mB7!',
    'ada.lovelace met a babbage at noon',
    'the dragon has no password for you',
  ])
    assert.equal(faultOf(password), null, password)
})

test('what is guessed first is refused, with its fault', () => {
  const faults: readonly [string, PasswordFault][] = [
    ['elevenchars', 'short'],
    ['🐎'.repeat(11), 'short'],
    [`${'ñ'.repeat(250)}abcd${'🐎'.repeat(125)}`, 'long'],
    ['aaaaaaaaaaaaaaaa', 'simple'],
    ['abababababababab', 'simple'],
    ['abcdefghijklm', 'simple'],
    ['0987654321098', 'simple'],
    ['qwertyuiopas', 'simple'],
    ['Ada.Lovelace1815!', 'name'],
    ['Password2026!', 'common'],
    ['passwordpassword', 'common'],
    ['contraseña-2026', 'common'],
    ['tillbell-1234', 'common'],
  ]
  for (const [password, fault] of faults) assert.equal(faultOf(password), fault, password)
})
