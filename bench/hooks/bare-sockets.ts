// The limit: the same requests over plain sockets, written beforehand, with no database, no signature and no care for failures.

import { connect } from 'node:net'
import { hookBody } from '@tillbell/sdk'
import { atOnce, type Enter, manyDetails, privateKey } from './contestant.ts'

export const enter: Enter = async ({ receiverUrl }) => {
  const { hostname, port } = new URL(receiverUrl)
  let left = 0
  const sendAll = async (requests: string[]) => {
    const sendInTurn = async () => {
      for (let request = requests.pop(); request !== undefined; request = requests.pop()) {
        await send(request)
        left -= 1
      }
    }
    await Promise.all(Array.from({ length: atOnce }, sendInTurn))
  }
  const send = (request: string) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const socket = connect({ host: hostname, port: Number(port), noDelay: true })
    socket.once('error', reject)
    socket.once('data', () => {
      socket.destroy()
      resolve()
    })
    socket.write(request)
    return promise
  }
  return {
    async load(count) {
      const requests = manyDetails(count).map(details => {
        const body = hookBody(details, privateKey)
        return (
          'POST / HTTP/1.1\r\nAccept: */*\r\nContent-Type: application/x-www-form-urlencoded\r\nConnection: close\r\n' +
          `Host: ${hostname}:${port}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
        )
      })
      left = count
      void sendAll(requests)
    },
    left: async () => left,
    tidy: async () => {},
    stop: async () => {},
  }
}
