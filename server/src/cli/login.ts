// tillbell login reset

import { knownBaseUrl } from '../base-url.ts'
import { parseEmail } from '../core/email.ts'
import { noteAtCommandLine } from '../join-console-notes.ts'
import { linkUrl, newResetLink } from '../join-login-links.ts'
import { findLogin } from '../store/logins.ts'
import { dropSecondFactor } from '../store/second-factors.ts'
import { type Command, jsonOption, NotFoundError } from './command.ts'
import { withFoundation } from './key.ts'

export const loginReset: Command = {
  positionals: ['EMAIL'],
  options: {
    'second-factor-off': {
      type: 'flag',
      says: 'Ask for no code any more: their authenticator and their recovery codes are lost.',
    },
    json: jsonOption,
  },
  examples: ['tillbell login reset ada@shop.example'],
  run: call =>
    withFoundation(call, async foundation => {
      const { sql } = foundation
      const login = await findLogin(sql, parseEmail(call.positionals[0] ?? '') ?? '')
      if (login === null) throw new NotFoundError('Nobody signs in to the dashboard with that email address.')
      const { merchantId: merchant, email } = login
      if (call.options['second-factor-off'] === true) {
        await sql.begin(scope => dropSecondFactor(scope, login))
        await noteAtCommandLine(foundation, merchant, { action: 'second_factor_turned_off', about: email })
      }
      const url = linkUrl(await knownBaseUrl(foundation), await newResetLink(foundation, login))
      await noteAtCommandLine(foundation, merchant, { action: 'reset_link_made', about: email })
      const meaning = `Give ${email} this link. It sets a new password, once, within an hour:`
      call.print(call.options.json === true ? JSON.stringify({ merchant, email, url }) : `${meaning}\n${url}`)
    }),
}
