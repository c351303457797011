// Takes a mail in: who sent it, what it asks, and committed before anybody is told so. The one function behind SMTP, HTTP and
// the command line.

import type { Envelope, InboundPorts, Taken } from './ports.ts'

export async function takeIn(_ports: InboundPorts, _envelope: Envelope, _raw: Buffer): Promise<Taken> {
  return { kind: 'not_now', enhanced: '4.3.0', sentence: 'No mail is taken yet.' }
}
