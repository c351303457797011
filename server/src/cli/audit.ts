// tillbell audit

import { type Audit, audit, type Finding } from '../store/audit.ts'
import { type Command, exitCodes, jsonOption } from './command.ts'
import { knownMerchant, withFoundation } from './key.ts'

export const auditBooks: Command = {
  positionals: [],
  options: {
    merchant: { type: 'id', says: 'Only this merchant (m_…).' },
    json: jsonOption,
  },
  examples: ['tillbell audit --merchant m_…'],
  async run(call) {
    let fits = false
    const ended = await withFoundation(call, async foundation => {
      const only = call.options.merchant === undefined ? null : await knownMerchant(call, foundation)
      const audited = await audit(foundation.sql, only)
      call.print(call.options.json === true ? asJson(audited) : asText(audited))
      fits = audited.findings.length === 0
    })
    return fits ? ended : exitCodes.failed
  },
}

function asJson({ checked, findings, findingsLeftOut, notes, notesLeftOut }: Audit): string {
  return JSON.stringify({ checked, findings, findings_left_out: findingsLeftOut, notes, notes_left_out: notesLeftOut })
}

function asText({ checked, findings, findingsLeftOut, notes, notesLeftOut }: Audit): string {
  const counts = Object.entries(checked).map(([what, count]) => `${count} ${what}`)
  const line = ({ merchant, sentence }: Finding) => `${merchant}: ${sentence}`
  const more = (count: number, what: string) => (count === 0 ? [] : [`… and ${count} more ${what}.`])
  const found = findings.length + findingsLeftOut
  return [
    ...findings.map(line),
    ...more(findingsLeftOut, 'findings'),
    ...notes.map(note => `note: ${line(note)}`),
    ...more(notesLeftOut, 'notes'),
    `Checked ${counts.join(', ')}.`,
    found === 0 ? 'Everything fits.' : `${found} ${found === 1 ? 'thing does' : 'things do'} not fit.`,
  ].join('\n')
}
