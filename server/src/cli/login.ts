// tillbell login invite | reset

import { knownBaseUrl } from '../base-url.ts'
import { parseEmail } from '../core/email.ts'
import { roles } from '../core/login.ts'
import { noteAtCommandLine } from '../join-console-notes.ts'
import { linkUrl, newResetLink, putNewInvitation } from '../join-login-links.ts'
import { findLogin } from '../store/logins.ts'
import { dropSecondFactor } from '../store/second-factors.ts'
import { type Command, jsonOption, merchantOption, NotFoundError, UsageError } from './command.ts'
import { knownMerchant, withFoundation } from './key.ts'

export const loginInvite: Command = {
  positionals: ['EMAIL'],
  options: {
    merchant: merchantOption,
    role: { type: 'role', says: `What they may do: ${roles.join(', ')}.`, required: true },
    json: jsonOption,
  },
  notes: [
    'Give the link only to somebody of whom you know that the address is theirs: it is their login from then on.',
  ],
  examples: ['tillbell login invite ada@shop.example --merchant m_… --role viewer'],
  run: call =>
    withFoundation(call, async foundation => {
      const { sql } = foundation
      const merchantId = await knownMerchant(call, foundation)
      const email = parseEmail(call.positionals[0] ?? '')
      if (email === null) throw new UsageError('EMAIL must be an email address, like ada@shop.example.')
      const role = roles.find(each => each === call.options.role)
      if (role === undefined) throw new UsageError(`--role must be one of ${roles.join(', ')}.`)
      if ((await findLogin(sql, email)) !== null) throw new UsageError(`${email} has a login already.`)
      const invited = { merchantId, email, role, madeBy: null }
      const url = linkUrl(await knownBaseUrl(foundation), await sql.begin(scope => putNewInvitation(scope, invited)))
      await noteAtCommandLine(foundation, merchantId, { action: 'member_invited', about: email })
      const meaning = `Give ${email} this link. It makes their login, once, within seven days:`
      call.print(
        call.options.json === true ? JSON.stringify({ merchant: merchantId, email, role, url }) : `${meaning}\n${url}`,
      )
    }),
}

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
