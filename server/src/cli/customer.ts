// tillbell customer erase

import { knownBaseUrl } from '../base-url.ts'
import { lowerCaseEmail } from '../core/email.ts'
import type { MerchantId } from '../core/ids.ts'
import { customerEraser } from '../join-cards.ts'
import { join } from '../join-work.ts'
import { openMetrics } from '../observe/metrics.ts'
import { type Command, FailedError, jsonOption, merchantOption, NotFoundError, textOption } from './command.ts'
import { withFoundation } from './key.ts'

export const customerErase: Command = {
  positionals: [],
  options: {
    merchant: merchantOption,
    email: { type: 'email', says: "The customer's address.", required: true },
    json: jsonOption,
  },
  examples: ['tillbell customer erase --merchant m_… --email ada@example.com'],
  run: call =>
    withFoundation(call, async foundation => {
      const service = { mode: call.config.mode, baseUrl: await knownBaseUrl(foundation) }
      const joined = join(foundation, call.log, openMetrics(), service)
      const email = lowerCaseEmail(textOption(call, 'email'))
      const erased = await customerEraser(foundation, joined)(textOption(call, 'merchant') as MerchantId, email)
      if (erased === 'not known') throw new NotFoundError('That merchant has no customer with this address.')
      if (erased === 'gateway silent')
        throw new FailedError('A gateway did not confirm that it removed a card. Try again.')
      call.print(call.options.json === true ? JSON.stringify({ erased: true }) : 'Erased.')
    }),
}
