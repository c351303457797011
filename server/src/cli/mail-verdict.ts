// What was found out about a mail, for people.

import type { ConsentVerdict, Verdict } from '../core/letter.ts'

/** Rule by rule. */
export function verdictLines({ sender, isProven, rules, spf, dmarc, signatures, consent }: Verdict): string[] {
  const who = sender ?? 'nobody in particular'
  const asked = consent === undefined ? [] : consentLines(consent)
  return [
    `It is from ${who}, who is ${isProven ? 'believed' : 'not believed'}:`,
    ...ruleLines(rules),
    ...asked,
    `SPF ${spf}, DMARC ${dmarc}; ${signatures.length === 0 ? 'no signature' : signatures.map(shownSignature).join('; ')}.`,
  ]
}

function consentLines({ isGiven, rules }: ConsentVerdict): string[] {
  return [`It ${isGiven ? 'says' : 'does not say'} that its sender wants to pay:`, ...ruleLines(rules)]
}

function ruleLines(rules: Verdict['rules'] | ConsentVerdict['rules']): string[] {
  const width = Math.max(...rules.map(({ rule }) => rule.length))
  return rules.map(({ rule, holds, says }) => `  ${rule.padEnd(width)}  ${holds ? 'holds' : (says ?? 'does not hold')}`)
}

function shownSignature({ domain, selector, result, isAligned }: Verdict['signatures'][number]): string {
  return `signed by ${domain} (${selector}): ${result}, ${isAligned ? '' : 'not '}aligned`
}
