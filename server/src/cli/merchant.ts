// tillbell merchant create | list

import { knownBaseUrl } from '../base-url.ts'
import { isEmail } from '../core/email.ts'
import { isoTime } from '../core/sale.ts'
import { openFoundation } from '../foundation.ts'
import { createMerchant } from '../setup/merchant.ts'
import { merchantSheet } from '../setup/sheet.ts'
import { violatedConstraint } from '../store/database.ts'
import { listMerchants } from '../store/merchants.ts'
import { type Command, exitCodes, jsonOption, textOption, UsageError } from './command.ts'
import { withFoundation } from './key.ts'

export const merchantCreate: Command = {
  positionals: [],
  options: {
    name: { type: 'name', says: "The merchant's name.", required: true },
    email: { type: 'email', says: "The owner's address, for the dashboard.", required: true },
    json: jsonOption,
  },
  examples: ["tillbell merchant create --name 'Corner Shop' --email owner@shop.example"],
  async run(call) {
    const { config, log, options, print } = call
    const asked = { name: textOption(call, 'name'), email: textOption(call, 'email') }
    if (!isEmail(asked.email)) throw new UsageError('--email must be an email address.')
    const foundation = await openFoundation(config, 'guest', log)
    try {
      const { sql, sealer, clock, newUuid } = foundation
      const setup = await createMerchant({ sql, sealer, mode: config.mode, now: clock.now, newUuid }, asked).catch(
        error => {
          if (violatedConstraint(error) === 'directory_pkey')
            throw new UsageError(`--email ${asked.email} has a login already.`)
          throw error
        },
      )
      const sheet = merchantSheet(foundation, setup, { baseUrl: await knownBaseUrl(foundation) })
      print(options.json === true ? JSON.stringify(sheet) : asText(sheet))
      return exitCodes.done
    } finally {
      await foundation.close()
    }
  },
}

export const merchantList: Command = {
  positionals: [],
  options: { json: jsonOption },
  examples: ['tillbell merchant list'],
  run: call =>
    withFoundation(call, async ({ sql }) => {
      const merchants = await listMerchants(sql)
      const rows = merchants.map(({ id, partnerId, name, email, createdAt }) => ({
        merchant: id,
        partner_id: partnerId,
        name,
        email,
        created_at: isoTime(createdAt),
      }))
      if (call.options.json === true) call.print(JSON.stringify(rows))
      else call.print(rows.map(row => Object.values(row).join('  ')).join('\n') || 'There are no merchants.')
    }),
}

function asText(sheet: object): string {
  const line = ([name, value]: [string, unknown]): string =>
    value !== null && typeof value === 'object'
      ? `${name}:\n${Object.entries(value)
          .map(each => `  ${line(each)}`)
          .join('\n')}`
      : `${name}: ${value}`
  return Object.entries(sheet).map(line).join('\n')
}
