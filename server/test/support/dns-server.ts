// A small DNS server on loopback that says what it is told: records, nothing, that it fails, or not a word. What is too long for
// UDP is answered by TCP.

import dgram from 'node:dgram'
import { once } from 'node:events'
import net, { isIPv6 } from 'node:net'

const typeCodes = { A: 1, CNAME: 5, PTR: 12, MX: 15, TXT: 16, AAAA: 28 } as const
export type RecordType = keyof typeof typeCodes

/** An empty list: the name exists and has no such records. An MX is `10 mail.shop.test`. */
export type DnsReply = readonly string[] | 'no such name' | 'fails' | 'silent'

export interface DnsServer {
  /** For TILLBELL_DNS. */
  readonly address: string
  /** Every question that came, as `A shop.test`. One whose answer takes TCP counts once. */
  readonly asked: readonly string[]
  /** What was asked until now. */
  forget(): void
  /** It keeps no process alive, and so need not be closed. */
  unref(): void
  close(): Promise<void>
}

/** `times` is how often the same was asked before. */
export async function startDns(reply: (type: RecordType, name: string, times: number) => DnsReply): Promise<DnsServer> {
  const asked: string[] = []
  const answer = (query: Buffer, bytesMax = Number.POSITIVE_INFINITY) => {
    const question = readQuestion(query)
    if (question === null) return null
    const { type, name } = question
    const text = `${type} ${name}`
    const times = asked.filter(each => each === text).length
    const said = reply(type, name, times)
    const bytes = said === 'silent' ? null : answerTo(query, question, said)
    if (bytes !== null && bytes.length > bytesMax) return truncated(bytes, question)
    asked.push(text)
    return bytes
  }
  const { udp, tcp } = await listenOnBoth()
  udp.on('message', (query, from) => {
    const bytes = answer(query, udpBytesMax)
    if (bytes !== null) udp.send(bytes, from.port, from.address)
  })
  const connections = new Set<net.Socket>()
  tcp.on('connection', socket => {
    connections.add(socket.on('close', () => connections.delete(socket)).on('error', () => {}))
    answerOnConnection(socket, answer)
  })
  return {
    address: `127.0.0.1:${udp.address().port}`,
    asked,
    forget: () => void asked.splice(0),
    unref() {
      udp.unref()
      tcp.unref()
    },
    async close() {
      for (const socket of connections) socket.destroy()
      await Promise.all([udp, tcp].map(each => new Promise<void>(resolve => each.close(() => resolve()))))
    },
  }
}

/** On one port, which may be free for the one and taken for the other. */
async function listenOnBoth(): Promise<{ udp: dgram.Socket; tcp: net.Server }> {
  const tcp = net.createServer().listen(0, '127.0.0.1')
  await once(tcp, 'listening')
  const udp = dgram.createSocket('udp4').bind((tcp.address() as net.AddressInfo).port, '127.0.0.1')
  try {
    await once(udp, 'listening')
    return { udp, tcp }
  } catch {
    udp.close()
    tcp.close()
    return listenOnBoth()
  }
}

/** What servers send by UDP at most. */
const udpBytesMax = 1_232
const truncatedFlag = 0x0200

/** Without records: then it is asked again by TCP. */
function truncated(answer: Buffer, { end }: Question): Buffer {
  const short = Buffer.from(answer.subarray(0, end))
  short.writeUInt16BE(short.readUInt16BE(2) | truncatedFlag, 2)
  short.writeUInt16BE(0, 6)
  return short
}

/** Each message has its length before it. */
function answerOnConnection(socket: net.Socket, answer: (query: Buffer) => Buffer | null): void {
  let received = Buffer.alloc(0)
  socket.on('data', chunk => {
    received = Buffer.concat([received, chunk])
    while (received.length >= 2 && received.length >= 2 + received.readUInt16BE(0)) {
      const end = 2 + received.readUInt16BE(0)
      const bytes = answer(received.subarray(2, end))
      received = received.subarray(end)
      if (bytes !== null) socket.write(Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 255]), bytes]))
    }
  })
}

interface Question {
  readonly type: RecordType
  readonly name: string
  /** Where it ends in the query. */
  readonly end: number
}

const headerBytes = 12
const responseCodes = { 'no such name': 3, fails: 2 }

function readQuestion(query: Buffer): Question | null {
  const labels: string[] = []
  let at = headerBytes
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  const code = query.readUInt16BE(at + 1)
  const [type] = Object.entries(typeCodes).find(([, known]) => known === code) ?? []
  return type === undefined ? null : { type: type as RecordType, name: labels.join('.').toLowerCase(), end: at + 5 }
}

function answerTo(query: Buffer, { type, end }: Question, said: Exclude<DnsReply, 'silent'>): Buffer {
  const records = typeof said === 'string' ? [] : said
  const header = Buffer.alloc(headerBytes)
  query.copy(header, 0, 0, 2) // the query's id
  header.writeUInt16BE(0x8180 | (typeof said === 'string' ? responseCodes[said] : 0), 2)
  header.writeUInt16BE(1, 4)
  header.writeUInt16BE(records.length, 6)
  return Buffer.concat([header, query.subarray(headerBytes, end), ...records.map(record => recordBytes(type, record))])
}

function recordBytes(type: RecordType, record: string): Buffer {
  const data = dataBytes(type, record)
  const head = Buffer.alloc(headerBytes)
  head.writeUInt16BE(0xc000 | headerBytes, 0) // the name: that of the question
  head.writeUInt16BE(typeCodes[type], 2)
  head.writeUInt16BE(1, 4) // class IN
  head.writeUInt32BE(3_600, 6) // seconds to live: whoever keeps answers is found out
  head.writeUInt16BE(data.length, 10)
  return Buffer.concat([head, data])
}

function dataBytes(type: RecordType, record: string): Buffer {
  if (type === 'A') return Buffer.from(record.split('.').map(Number))
  if (type === 'AAAA') return ipv6Bytes(record)
  if (type === 'CNAME' || type === 'PTR') return nameBytes(record)
  if (type === 'MX') return exchangeBytes(record)
  const parts = Buffer.from(record)
    .toString('latin1')
    .match(/.{1,255}/gs) ?? ['']
  return Buffer.concat(parts.map(part => Buffer.concat([Buffer.from([part.length]), Buffer.from(part, 'latin1')])))
}

function nameBytes(name: string): Buffer {
  const labels = name.split('.').map(label => Buffer.from(label, 'latin1'))
  return Buffer.concat([...labels.flatMap(label => [Buffer.from([label.length]), label]), Buffer.from([0])])
}

function exchangeBytes(record: string): Buffer {
  const [preference = '', name = ''] = record.split(' ')
  return Buffer.concat([Buffer.from([0, Number(preference)]), nameBytes(name)])
}

function ipv6Bytes(address: string): Buffer {
  if (!isIPv6(address) || address.includes('.')) throw new Error(`write ${address} without dots`)
  const [left = '', right] = address.split('::')
  const groups = (text: string) => (text === '' ? [] : text.split(':'))
  const after = groups(right ?? '')
  const zeros = Array<string>(8 - groups(left).length - after.length).fill('0')
  return Buffer.from([...groups(left), ...zeros, ...after].map(group => group.padStart(4, '0')).join(''), 'hex')
}
