// Answers are read by people with curl as well as by programs: indented, and ended by a line feed.

export function answerText(body: object): string {
  return `${JSON.stringify(body, null, 2)}\n`
}
