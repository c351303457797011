// The sdk as a merchant's developer gets it: built, packed, installed into an empty folder, and used there in each module format, with types,
// on this Node, on the machine's own, and where there is nothing but the web's interfaces. `sdk/runtimes.long.test.ts` does the same in more of them.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { access, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { createContext, Script } from 'node:vm'
import { bundledForEdge, installedProject } from '../../sdk/checks/install.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../..')
let folder: string
let project: string
let installed: string

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tillbell-sdk-'))
  project = await installedProject(folder)
  installed = join(project, 'node_modules/@tillbell/sdk')
})
after(() => rm(folder, { recursive: true, force: true }))

/** The Node that is there without us: not one that npm brought. */
async function nodeOfMachine(): Promise<string | null> {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(one => !one.includes('node_modules'))
  for (const each of folders) {
    const file = join(each, 'node')
    if (
      await access(file).then(
        () => true,
        () => false,
      )
    )
      return file
  }
  return null
}

describe('the installed package', () => {
  test('holds what it names and nothing else, and brings no other package', async () => {
    const { dependencies, exports, imports } = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'))
    assert.equal(dependencies, undefined)
    const named = [...JSON.stringify({ exports, imports }).matchAll(/"(\.\/[^"]+\.\w+)"/g)].map(([, path = '']) => path)
    assert.ok(named.length > 30)
    for (const path of named) await access(join(installed, path))
    assert.deepEqual(await readdir(join(project, 'node_modules/@tillbell')), ['sdk'])
    assert.deepEqual((await readdir(installed)).sort(), [
      ...['LICENSE', 'LICENSES-OF-OTHERS.txt', 'README.md', 'cjs', 'esm', 'package.json'],
    ])
    const guide = await readFile(join(installed, 'README.md'), 'utf8')
    assert.match(guide, /npm install @tillbell\/sdk/)
    assert.match(guide, /interface \(`\/docs\/interface` at the service\)/)
    assert.doesNotMatch(guide, /\]\((?!https:|#)/, 'a link to what is not in the package')
    const licences = await readFile(join(installed, 'LICENSES-OF-OTHERS.txt'), 'utf8')
    for (const name of ['tweetnacl 1', '@noble/hashes 2']) assert.ok(licences.includes(name), name)
  })

  test('asks for Node’s modules in one place alone', async () => {
    const files = (await readdir(installed, { recursive: true })).filter(name => /\.c?js$/.test(name))
    assert.ok(files.length > 20)
    const asking: string[] = []
    for (const name of files) {
      const text = await readFile(join(installed, name), 'utf8')
      if (/from "(?!\.|#)|require\("(?!\.|#)/.test(text)) asking.push(name)
    }
    assert.deepEqual(asking.sort(), ['cjs/platform/node.cjs', 'esm/platform/node.js'])
  })

  for (const format of ['esm.mjs', 'cjs.cjs']) {
    test(`keeps its promises as ${format}, on this Node and on the machine’s own`, async () => {
      for (const node of [process.execPath, await nodeOfMachine()]) {
        if (node === null) continue
        const { stdout, stderr } = await run(node, [join(project, 'checks', format)], { cwd: project })
        assert.deepEqual([stdout, stderr], ['kept\n', ''], node)
      }
    })
  }

  test('keeps them where there is nothing but the web’s interfaces', async () => {
    const { Request, Response, Headers, URL, URLSearchParams, TextEncoder, TextDecoder, AbortController, AbortSignal } =
      globalThis
    const streams = {
      ReadableStream,
      Uint8Array,
      ArrayBuffer,
      crypto,
      atob,
      btoa,
      performance,
      setTimeout,
      clearTimeout,
    }
    const web = {
      Request,
      Response,
      Headers,
      URL,
      URLSearchParams,
      TextEncoder,
      TextDecoder,
      AbortController,
      AbortSignal,
    }
    const context = createContext({ ...web, ...streams })
    new Script(await readFile(await bundledForEdge(project, 'iife'), 'utf8')).runInContext(context)
    await new Script('edge.test()').runInContext(context)
    assert.equal(
      new Script('typeof process + typeof Buffer + typeof require').runInContext(context),
      'undefined'.repeat(3),
    )
  })
})

describe('its types', () => {
  const strict = { strict: true, noEmit: true, target: 'es2022', types: ['node'], exactOptionalPropertyTypes: true }
  const resolutions = {
    nodenext: { module: 'nodenext', moduleResolution: 'nodenext' },
    bundler: { module: 'esnext', moduleResolution: 'bundler', lib: ['es2022', 'dom'], types: [] },
  }

  before(async () => {
    for (const name of ['@types', 'undici-types']) {
      await symlink(join(root, 'node_modules', name), join(project, 'node_modules', name))
    }
    const consumer = await readFile(join(project, 'checks/consumer.mts'), 'utf8')
    await writeFile(join(project, 'consumer.cts'), consumer)
  })

  for (const [name, resolution] of Object.entries(resolutions)) {
    test(`hold what is right and refuse what is wrong, with moduleResolution ${name}`, async () => {
      const files = name === 'bundler' ? ['checks/consumer.mts'] : ['checks/consumer.mts', 'consumer.cts']
      const config = { compilerOptions: { ...strict, ...resolution }, files }
      await writeFile(join(project, `tsconfig.${name}.json`), JSON.stringify(config))
      const tsc = join(root, 'node_modules/typescript/bin/tsc')
      const { stdout } = await run(process.execPath, [tsc, '-p', `tsconfig.${name}.json`], { cwd: project }).catch(
        (error: { stdout: string }) => error,
      )
      assert.equal(stdout, '')
    })
  }

  // The TypeScript of this repository has no node10 any more: what that one reads is compared with what the others find.
  test('are found by moduleResolution node10 as well, which knows nothing of exports', async () => {
    const { exports, types, typesVersions } = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'))
    const { '.': whole, './package.json': _, ...parts } = exports
    assert.equal(types, whole.require.types)
    const found = Object.entries(parts as { [entry: string]: { require: { types: string } } })
    assert.deepEqual(typesVersions, {
      '*': Object.fromEntries(found.map(([entry, { require: own }]) => [entry.slice(2), [own.types]])),
    })
  })
})
