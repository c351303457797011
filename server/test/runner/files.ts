// Which test files there are, and which of them a run has.

import { existsSync, globSync, readFileSync } from 'node:fs'
import { isAbsolute, join, matchesGlob, relative, resolve, sep } from 'node:path'
import { root } from './places.ts'

const everywhere = [
  'server/src/**/*.test.ts',
  'server/test/**/*.test.ts',
  'sdk/**/*.test.ts',
  'storm/**/*.test.ts',
  'dashboard/src/**/*.test.ts',
]

/** `npm run test:long` alone runs these. */
const isLongOnly = (file: string) => file.endsWith('.long.test.ts')
/** These are in both runs, and repeat more in the long one. */
const repeatsMore = (file: string) => readFileSync(join(root, file), 'utf8').includes('/repetitions.ts')

/** These measure what their own process loads or holds, and get a new one. */
const ownProcess = ['server/src/cli/loads-little.test.ts']
/** These put more load on the machine than it can take, and look at the clock: nothing else runs beside them. */
const alone = ['server/test/more-than-it-can-do.test.ts']

export const isAlone = (file: string): boolean => alone.includes(file)
export const hasOwnProcess = (file: string): boolean => isAlone(file) || ownProcess.includes(file)

/**
 * The files of a run, as paths below the root. A pattern is a file (which need not be a test by its name), a part of a
 * path, or a glob; without patterns it has all that belong to the short or the long run.
 */
export function chosenFiles(patterns: readonly string[], long: boolean): string[] {
  const all = globSync(everywhere, { cwd: root })
    .map(file => file.split(sep).join('/'))
    .sort()
  if (patterns.length === 0)
    return all.filter(file => (long ? isLongOnly(file) || repeatsMore(file) : !isLongOnly(file)))
  const chosen = patterns.flatMap(pattern => {
    const found = matching(pattern, all)
    if (found.length === 0) throw new Error(`No test file matches ${pattern}.`)
    return found
  })
  return [...new Set(chosen)]
}

function matching(pattern: string, all: readonly string[]): string[] {
  const path = isAbsolute(pattern) ? pattern : resolve(root, pattern)
  if (/\.ts$/.test(pattern) && existsSync(path)) return [relative(root, path).split(sep).join('/')]
  return all.filter(file => file.includes(pattern) || matchesGlob(file, pattern))
}
