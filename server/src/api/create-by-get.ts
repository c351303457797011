// A GET with a body, which no router expects.

import type { IncomingMessage } from 'node:http'

const createdByGet = /^\/api\/v5\/rest\/transactions(\/refunds)?$/

/** The interface creates by GET with a body. It goes on as the POST it is; one that announces a body never lists. */
export function createByGet(request: IncomingMessage): void {
  if (request.method !== 'GET') return
  const named = createdByGet.exec(pathOf(request.url ?? ''))
  if (named === null) return
  const { headers } = request
  const announcesBody = ['content-type', 'content-length', 'transfer-encoding'].some(
    name => headers[name] !== undefined,
  )
  const onlyCreates = named[1] !== undefined
  if (!announcesBody && !onlyCreates) return
  request.method = 'POST'
  request.wasGet = true
}

/** As the router reads it: a proxy may send the whole address, and any letter may be percent-encoded. */
function pathOf(target: string): string {
  const [path = ''] = target.replace(/^https?:\/\/[^/?#]*/i, '').split(/[?#]/, 1)
  try {
    return decodeURI(path)
  } catch {
    return path // the router refuses it
  }
}
