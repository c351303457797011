// What the dashboard may import: itself, and the types of the console's contract. A wall that nothing checks is a line on a
// drawing.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve, sep } from 'node:path'
import { test } from 'node:test'

const src = import.meta.dirname
const contract = resolve(src, '../../server/src/console/contract')
const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(name => /(?<!\.test)\.tsx?$/.test(name))
const importPattern = /(?:^(?:import|export) (type )?[^'"]*?from|\bimport\()\s*'([^']+)'/gm
const packages = ['react', 'react-dom/client', '@tanstack/react-query', '@tanstack/react-router']

function problemsIn(name: string, text: string): string[] {
  return [...text.matchAll(importPattern)]
    .filter(([, type, target = '']) => !mayImport(name, target, type !== undefined))
    .map(([, , target]) => `${name} imports ${target}`)
}

function mayImport(name: string, target: string, isType: boolean): boolean {
  if (!target.startsWith('.')) return packages.includes(target)
  const path = resolve(src, dirname(name), target)
  if (path.startsWith(contract + sep)) return isType
  return path.startsWith(src + sep)
}

test('no import of the dashboard crosses a wall', () => {
  assert.ok(files.length > 50, 'the files were found')
  assert.deepEqual(
    files.flatMap(name => problemsIn(name, readFileSync(join(src, name), 'utf8'))),
    [],
  )
})

test('a wall that is crossed is found', () => {
  for (const text of [
    "import { roles } from '../../../../server/src/console/contract/me.ts'",
    "import type { Money } from '../../../../server/src/core/money.ts'",
    "import { Dialog } from '@radix-ui/react-dialog'",
  ]) {
    assert.equal(problemsIn('pages/home/home.tsx', text).length, 1, text)
  }
  for (const text of [
    "import type { Me } from '../../../../server/src/console/contract/me.ts'",
    "import {\n  a,\n} from '../../parts/button.tsx'",
    "import { words } from './words.ts'",
  ]) {
    assert.deepEqual(problemsIn('pages/home/home.tsx', text), [])
  }
})
