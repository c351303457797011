// What was found out about a mail, for people.

import type { Verdict } from '../core/letter.ts'

/** Rule by rule. */
export function verdictLines({ sender, isProven, rules, spf, dmarc, signatures }: Verdict): string[] {
  const who = sender ?? 'nobody in particular'
  const width = Math.max(...rules.map(({ rule }) => rule.length))
  return [
    `It is from ${who}, who is ${isProven ? 'believed' : 'not believed'}:`,
    ...rules.map(({ rule, holds, says }) => `  ${rule.padEnd(width)}  ${holds ? 'holds' : (says ?? 'does not hold')}`),
    `SPF ${spf}, DMARC ${dmarc}; ${signatures.length === 0 ? 'no signature' : signatures.map(shownSignature).join('; ')}.`,
  ]
}

function shownSignature({ domain, selector, result, isAligned }: Verdict['signatures'][number]): string {
  return `signed by ${domain} (${selector}): ${result}, ${isAligned ? '' : 'not '}aligned`
}
