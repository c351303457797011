// The address that the service has for the world: of its own making, or what it is told, and kept for commands, which
// need it where no service runs.

import type { Config } from './config.ts'
import type { Foundation } from './foundation.ts'
import { readSetting, writeSetting } from './store/settings.ts'

const baseUrlSetting = 'base_url'

/** The address of a service that is not told another. */
export function ownBaseUrl({ host, tlsCert }: Config, port: number): string {
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  return `${tlsCert === null ? 'http' : 'https'}://${name.includes(':') ? `[${name}]` : name}:${port}`
}

export function keepBaseUrl({ sql }: Foundation, baseUrl: string): Promise<void> {
  return writeSetting(sql, baseUrlSetting, baseUrl)
}

/** The address that the service last started with; a guess where it never did. */
export async function knownBaseUrl({ sql, config }: Foundation): Promise<string> {
  const known = config.baseUrl ?? (await readSetting(sql, baseUrlSetting))
  return known === null ? ownBaseUrl(config, config.port) : String(known)
}
