// A mail's HTML part, for mail programs that know little of HTML and drop what stands above the body: tables, styles on the
// elements themselves, and nothing fetched but the merchant's logo. By night its colours are those of the pages by night,
// where the program can do that; a merchant's own stay as they are.

import { inkOn } from '../../core/look.ts'
import { type Html, html, trusted } from '../html.ts'
import type { Words } from '../words/words.ts'
import type { MailLetterhead, MailWay, OtherWay, ToldMail } from './mail.ts'

const day = { paper: '#f6f5f2', onPaper: '#3d3a34', card: '#ffffff', ink: '#23211d', soft: '#645f56', line: '#e2ded6' }
const ownButton = '#23506f'
const fonts = 'font-family: system-ui, -apple-system, Segoe UI, Helvetica, Arial, sans-serif'

const night = trusted(`
  .paper { background: #161518 !important; color: #cbc7bf !important; }
  .card { background: #201f23 !important; border-color: #37353b !important; color: #ece9e2 !important; }
  .soft { color: #aaa499 !important; }
  .row { border-color: #37353b !important; }
  .link { color: #9accee !important; }`)

export function htmlOf(words: Words, head: MailLetterhead, told: ToldMail): string {
  const { backgroundColor } = head.colors
  const scheme = backgroundColor === null ? 'light dark' : 'light'
  const paper = backgroundColor ?? day.paper
  const onPaper = backgroundColor === null ? day.onPaper : inkOn(backgroundColor)
  return html`<!doctype html>
<html lang="${words.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="${scheme}">
<meta name="supported-color-schemes" content="${scheme}">
<title>${told.subject}</title>
${backgroundColor === null ? html`<style>@media (prefers-color-scheme: dark) {${night}\n}</style>` : null}
</head>
<body class="paper" style="margin: 0; padding: 0; background: ${paper}; color: ${onPaper}; ${fonts}">
<div role="main" lang="${words.language}">
<table role="presentation" class="paper" width="100%" cellpadding="0" cellspacing="0" border="0" style="background: ${paper}; color: ${onPaper}">
<tr><td align="center" style="padding: 32px 12px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="max-width: 480px">
<tr><td align="center" style="padding: 0 0 20px; font-size: 18px; font-weight: 600; ${fonts}">${whose(head)}</td></tr>
<tr><td class="card" dir="auto" style="padding: 28px 24px; background: ${day.card}; border: 1px solid ${day.line}; border-radius: 10px; color: ${day.ink}; font-size: 16px; line-height: 1.5; ${fonts}">
${bodyOf(head, told)}
</td></tr>
${footOf(words, head)}
</table>
</td></tr>
</table>
</div>
</body>
</html>
`.text
}

function whose({ merchant, logoUrl }: MailLetterhead): Html {
  if (logoUrl === null) return html`<bdi>${merchant}</bdi>`
  return html`<img src="${logoUrl}" alt="${merchant}" style="max-width: 240px; max-height: 64px; border: 0">`
}

function bodyOf({ colors }: MailLetterhead, { heading, sentences, facts, button, notes, otherWay }: ToldMail): Html {
  return html`<h1 style="margin: 0 0 12px; font-size: 22px; line-height: 1.25; ${fonts}">${heading}</h1>
${sentences.map(sentence => html`<p style="margin: 0 0 12px">${sentence}</p>\n`)}${factsOf(facts)}
${button === null ? null : buttonOf(button, colors.buttonColor ?? ownButton)}
${otherWay === undefined ? null : otherWayOf(otherWay)}
${notes.map(note => html`<p class="soft" style="margin: 12px 0 0; color: ${day.soft}; font-size: 14px">${note}</p>\n`)}`
}

function factsOf(facts: ToldMail['facts']): Html | null {
  if (facts.length === 0) return null
  const edge = `border-top: 1px solid ${day.line}`
  const rows = facts.map(
    ([name, value]) => html`<tr>
<th scope="row" align="left" valign="top" class="soft row" style="padding: 8px 12px 8px 0; ${edge}; color: ${day.soft}; font-size: 14px; font-weight: 400; ${fonts}">${name}</th>
<td align="right" valign="top" class="row" style="padding: 8px 0; ${edge}; font-size: 14px; word-break: break-word; ${fonts}"><bdi>${value}</bdi></td>
</tr>\n`,
  )
  return html`<table width="100%" cellpadding="0" cellspacing="0" border="0" style="margin: 16px 0">${rows}</table>`
}

function buttonOf({ says, url }: MailWay, color: string): Html {
  return html`<table role="presentation" cellpadding="0" cellspacing="0" border="0" style="margin: 20px 0">
<tr><td align="center" bgcolor="${color}" style="background: ${color}; border-radius: 8px">
<a href="${url}" target="_blank" rel="noopener noreferrer" style="display: inline-block; padding: 12px 24px; color: ${inkOn(color)}; font-size: 16px; font-weight: 600; text-decoration: none; ${fonts}">${says}</a>
</td></tr>
</table>`
}

function otherWayOf({ says, url, link }: OtherWay): Html {
  return html`<p class="soft" style="margin: 12px 0 0; color: ${day.soft}; font-size: 14px">${says}
<a class="link" href="${url}" target="_blank" rel="noopener noreferrer" style="color: ${ownButton}">${link}</a></p>`
}

function footOf({ frame }: Words, { supportEmail, isSandbox }: MailLetterhead): Html | null {
  if (supportEmail === null && !isSandbox) return null
  return html`<tr><td align="center" style="padding: 20px 0 0; font-size: 14px; line-height: 1.5; ${fonts}">
${supportEmail === null ? null : html`<p style="margin: 0 0 4px">${frame.questions} ${supportEmail}</p>`}
${isSandbox ? html`<p style="margin: 0">${frame.sandbox}</p>` : null}
</td></tr>`
}
