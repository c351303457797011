// An endpoint's answer for a terminal: its beginning, indented, and nothing in it that the terminal would obey.

const linesMax = 10
const lineCharsMax = 160

export function shownAnswer(answer: string): string[] {
  if (answer === '') return []
  const lines = answer.trimEnd().split(/\r\n|[\r\n]/)
  const shown = lines.slice(0, linesMax).map(line => line.slice(0, lineCharsMax))
  const isWhole = lines.length <= linesMax && lines.every(line => line.length <= lineCharsMax)
  const rest = isWhole ? [] : [`… (${answer.length} characters in all; --json prints them)`]
  return [...shown.map(line => line.replace(/[^\P{Cc}\t]/gu, '\uFFFD')), ...rest].map(line => `  ${line}`.trimEnd())
}
