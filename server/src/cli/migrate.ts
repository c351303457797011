// tillbell migrate: brings the database to this program's version, and says what it did.

import { openFoundation } from '../foundation.ts'
import { readMigrations } from '../store/migrate.ts'
import { type Command, exitCodes, jsonOption } from './command.ts'

export const migrateDatabase: Command = {
  positionals: [],
  options: { json: jsonOption },
  examples: ['tillbell migrate'],
  async run({ config, log, options, print }) {
    const foundation = await openFoundation(config, 'guest', log)
    await foundation.close()
    const version = (await readMigrations()).at(-1)?.number ?? 0
    print(options.json === true ? JSON.stringify({ version }) : `The database is at version ${version}.`)
    return exitCodes.done
  },
}
