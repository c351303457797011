// Structured logs. Nothing secret is ever handed to the logger; the paths below are the second line of defence.

import pino, { type Logger } from 'pino'

export type { Logger }

const secretPaths = [
  'authorization',
  'password',
  'secret',
  'api_secret',
  'private_key',
  'number',
  'cvc',
  'credentials',
  'token',
]

export function openLog(level: string, destination: Pick<NodeJS.WritableStream, 'write'> = gatheredStderr()): Logger {
  return pino(
    {
      level,
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: label => ({ level: label }) },
      serializers: { err: describe },
      redact: { paths: secretPaths.flatMap(path => [path, `*.${path}`]), censor: '[redacted]' },
    },
    destination,
  )
}

const gatherMs = 10

/**
 * Lines of a few milliseconds go out in one system call: one each was a twentieth of what a request costs. What is gathered when the
 * process ends, by an error too, goes out with its end.
 */
function gatheredStderr(): Pick<NodeJS.WritableStream, 'write'> {
  let lines = ''
  let writesAtTheEnd = false
  const writeOut = () => {
    const gathered = lines
    lines = ''
    if (gathered !== '') process.stderr.write(gathered)
  }
  return {
    write(line: string) {
      if (!writesAtTheEnd) process.on('exit', writeOut)
      writesAtTheEnd = true
      if (lines === '') setTimeout(writeOut, gatherMs)
      lines += line
      return true
    },
  }
}

/** An error without its details: PostgreSQL's quote the row that it refused, with all that a customer is. */
function describe(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) }
  const { name, message, stack } = error
  const { code, constraint } = error as { code?: unknown; constraint?: unknown }
  return { type: name, message, code, constraint, stack }
}
