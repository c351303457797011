// Builds the package that is published: ES modules, CommonJS and types, with what it needs of others inside. The sources stay what
// this repository runs; `dist/` is a whole package of its own, with its own package.json.
//
// Type checking is part of it: tsconfig.build.json knows the web's types alone, so that nothing of Node slips in.

import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { type Plugin, rolldown } from 'rolldown'

const here = import.meta.dirname
const root = join(here, '..')
const bundledPackages = ['tweetnacl', '@noble/hashes']
const formats = [
  { folder: 'esm', format: 'esm', js: '.js', types: '.d.ts' },
  { folder: 'cjs', format: 'cjs', js: '.cjs', types: '.d.cts' },
] as const

interface SourcePackage {
  readonly name: string
  readonly version: string
  readonly description: string
  readonly license: string
  readonly exports: { readonly [entry: string]: string }
  readonly imports: { readonly '#platform': { readonly [condition: string]: string } }
}

/** Writes the package into the folder, in place of what is there, and answers the folder. */
export async function buildSdk(folder: string = join(here, 'dist')): Promise<string> {
  const source: SourcePackage = JSON.parse(await readFile(join(here, 'package.json'), 'utf8'))
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  await Promise.all([bundle(source, folder), writeTypes(folder), writePapers(folder)])
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(publishedPackage(source), null, 2)}\n`)
  return folder
}

/** `./src/handlers/express.ts` → `handlers/express`, under which it is also built. */
function nameOf(sourceFile: string): string {
  return sourceFile.replace(/^\.\/src\//, '').replace(/\.ts$/, '')
}

async function bundle(source: SourcePackage, folder: string): Promise<void> {
  const files = [...Object.values(source.exports), ...Object.values(source.imports['#platform'])]
  const built = await rolldown({
    cwd: here,
    input: Object.fromEntries(files.map(file => [nameOf(file), file])),
    external: [/^#/, /^node:/],
    platform: 'neutral',
    resolve: { mainFields: ['main'] },
    plugins: [withoutNodeCrypto],
  })
  for (const { folder: inside, format, js } of formats) {
    const names = { entryFileNames: `[name]${js}`, chunkFileNames: `shared/[name]-[hash]${js}` }
    await built.write({ dir: join(folder, inside), format, ...names, exports: 'named' })
  }
  await built.close()
}

/** tweetnacl asks Node's `crypto` for random bytes when it is loaded. We give it ours, and edge runtimes have no such module. */
const withoutNodeCrypto: Plugin = {
  name: 'without-node-crypto',
  resolveId: id => (id === 'crypto' ? '\0no-crypto' : null),
  load: id => (id === '\0no-crypto' ? 'module.exports = {}' : null),
}

async function writeTypes(folder: string): Promise<void> {
  const written = await mkdtemp(join(tmpdir(), 'tillbell-types-'))
  try {
    const tsc = join(root, 'node_modules/typescript/bin/tsc')
    const project = join(here, 'tsconfig.build.json')
    await promisify(execFile)(process.execPath, [tsc, '-p', project, '--outDir', written]).catch(withItsWords)
    const names = (await readdir(written, { recursive: true })).filter(name => name.endsWith('.d.ts'))
    await Promise.all(names.map(name => writeTypesOf(name, written, folder)))
  } finally {
    await rm(written, { recursive: true, force: true })
  }
}

/** tsc says what is wrong on its standard output. */
function withItsWords(error: Error & { readonly stdout?: string }): never {
  throw new Error(error.stdout || error.message)
}

async function writeTypesOf(name: string, written: string, folder: string): Promise<void> {
  const text = await readFile(join(written, name), 'utf8')
  for (const { folder: inside, js, types } of formats) {
    const file = join(folder, inside, name.replace(/\.d\.ts$/, types))
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, text.replaceAll(/(['"])(\.{1,2}\/[^'"]+)\.ts\1/g, `$1$2${js}$1`))
  }
}

async function writePapers(folder: string): Promise<void> {
  await cp(join(root, 'LICENSE'), join(folder, 'LICENSE'))
  await writeFile(join(folder, 'README.md'), asPublished(await readFile(join(here, 'README.md'), 'utf8')))
  const licences = bundledPackages.map(async name => {
    const inside = join(root, 'node_modules', name)
    const { version, license } = JSON.parse(await readFile(join(inside, 'package.json'), 'utf8'))
    return `${name} ${version} (${license})\n\n${await readFile(join(inside, 'LICENSE'), 'utf8')}`
  })
  await writeFile(join(folder, 'LICENSES-OF-OTHERS.txt'), (await Promise.all(licences)).join(`\n${'-'.repeat(80)}\n\n`))
}

/** The docs are not in the package, but every service has them. */
function asPublished(guide: string): string {
  return guide.replaceAll(/\[([^\]]+)\]\(\.\.\/docs\/([^)]+)\.md(#[^)]+)?\)/g, '$1 (`/docs/$2$3` at the service)')
}

function publishedPackage({ name, version, description, license, exports, imports }: SourcePackage): object {
  const entries = Object.entries(exports).map(([entry, file]) => [entry, builtAs(nameOf(file))])
  const platforms = Object.entries(imports['#platform']).map(([condition, file]) => [condition, jsOf(nameOf(file))])
  return {
    ...{ name, version, description, license, type: 'module', sideEffects: false, engines: { node: '>=18' } },
    main: './cjs/index.cjs',
    types: './cjs/index.d.cts',
    typesVersions: { '*': Object.fromEntries(Object.entries(exports).flatMap(olderTypes)) },
    exports: { ...Object.fromEntries(entries), './package.json': './package.json' },
    imports: { '#platform': Object.fromEntries(platforms) },
  }
}

/** TypeScript with `moduleResolution: node10`, which many projects in CommonJS have, does not read `exports`. */
function olderTypes([entry, file]: [string, string]): [string, string[]][] {
  return entry === '.' ? [] : [[entry.slice(2), [`./cjs/${nameOf(file)}.d.cts`]]]
}

/** `types` stands first: who looks for it takes the first that fits. */
function builtAs(name: string): object {
  const [esm, cjs] = formats.map(({ folder, js, types }) => {
    const path = `./${folder}/${name}`
    return { types: `${path}${types}`, default: `${path}${js}` }
  })
  return { import: esm, require: cjs }
}

function jsOf(name: string): object {
  return { import: `./esm/${name}.js`, require: `./cjs/${name}.cjs` }
}

if (import.meta.main) process.stdout.write(`Built ${await buildSdk()}\n`)
