// A project of a merchant's, empty but for the built package, which was packed and installed as from a registry, and the checks beside it.

import { execFile } from 'node:child_process'
import { cp, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { rolldown } from 'rolldown'
import { buildSdk } from '../build.ts'

const run = promisify(execFile)
const here = import.meta.dirname

/** Makes the project in a folder of its own, and answers it. Nothing is fetched: the package depends on nothing. */
export async function installedProject(folder: string): Promise<string> {
  const [built, project] = [join(folder, 'built'), join(folder, 'project')]
  await buildSdk(built)
  await mkdir(project, { recursive: true })
  const { stdout } = await run('npm', ['pack', built, '--pack-destination', folder, '--silent'], { cwd: folder })
  await writeFile(join(project, 'package.json'), '{ "name": "shop", "private": true }\n')
  const tarball = join(folder, stdout.trim())
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', '--silent', tarball], { cwd: project })
  await cp(here, join(project, 'checks'), { recursive: true, filter: source => !source.endsWith('.ts') })
  return project
}

/** The check for the edge in one file, as bundlers for it make them, with their conditions. */
export async function bundledForEdge(project: string, format: 'esm' | 'iife'): Promise<string> {
  const file = join(project, `edge.${format}.mjs`)
  const bundle = await rolldown({
    cwd: project,
    input: 'checks/edge.mjs',
    platform: 'neutral',
    // Some bundlers say `node` as well, for packages that know nothing else: the edge comes first.
    resolve: { conditionNames: ['node', 'workerd', 'import', 'default'] },
  })
  await bundle.write({ file, format, name: 'edge' })
  await bundle.close()
  return file
}
