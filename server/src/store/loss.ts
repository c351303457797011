// When the database is away: what that looks like, and how it is waited for.

import { setTimeout as delay } from 'node:timers/promises'
import { AwayError } from '../core/away.ts'

/** The connection broke, or could not be had: whether what was on it was done is not known. */
export class ConnectionLostError extends AwayError {
  readonly code: string
  constructor(message: string, { code = 'CONNECTION_LOST', cause }: { code?: string; cause?: unknown } = {}) {
    super(message, { cause })
    this.code = code
  }
}

const systemCodes = [
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN'],
  ...['EMFILE', 'ENFILE', 'EADDRNOTAVAIL', 'ERR_STREAM_DESTROYED', 'ERR_STREAM_WRITE_AFTER_END', 'CONNECTION_LOST'],
]

/** A server that takes no writes, because it is a standby or was made one. */
export const readOnlyCode = '25006'
const diskFullCode = '53100'
const tooManyCode = '53300'
/** In the words of the pool, for one that waited in its line; for one that it could not make it has others. */
const noneFree = 'timeout exceeded when trying to connect'

/**
 * What PostgreSQL says to everybody, whatever was asked: it ends, it begins, it follows another, it has no room. Not among them is what one
 * statement may be to blame for, as a bad block (58030) or more locks than there is memory for (53200): it would be repeated for ever.
 */
const serverCodes = ['57P01', '57P02', '57P03', '25P03', '08006', '08003', tooManyCode, readOnlyCode, diskFullCode]

const lossCodes = new Set([...systemCodes, ...serverCodes])

export function isConnectionLoss(error: unknown): boolean {
  if (error instanceof ConnectionLostError) return true
  const { code, syscall } = error as { code?: unknown; syscall?: unknown }
  return lossCodes.has(String(code)) || (code === 'ENOENT' && syscall === 'connect')
}

/** All connections that it gives, or that we ask of it, are taken: no reason to leave it. */
export function isCrowded(error: unknown): boolean {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown }
  return code === tooManyCode || message === noneFree
}

export function isDiskFull(error: unknown): boolean {
  return (error as { code?: unknown }).code === diskFullCode
}

/** The driver says in words alone that a connection ended or could not be had in time. */
export function explained(error: unknown): never {
  const { code, message } = error as { code?: unknown; message?: unknown }
  const isDriversOwn =
    code === undefined && /connection|terminated|timeout|not queryable|from backend/i.test(String(message))
  throw isDriversOwn || isConnectionLoss(error) ? lossBy(error) : error
}

/** Whatever keeps a connection from being made, nothing was asked on it. */
export function lossBy(error: unknown): ConnectionLostError {
  if (error instanceof ConnectionLostError) return error
  const { code, message } = error as { code?: unknown; message?: unknown }
  return new ConnectionLostError(String(message), { ...(typeof code === 'string' && { code }), cause: error })
}

const reconnectDelaysMs = [50, 100, 200, 400, 800, 1_600, 3_200]

/** Does the work again while the database is away for a moment: a restart, a failover. Only for work that may be done again. */
export async function whileReconnecting<T>(work: () => Promise<T>): Promise<T> {
  for (const delayMs of reconnectDelaysMs) {
    try {
      return await work()
    } catch (error) {
      if (!isConnectionLoss(error)) throw error
      await delay(delayMs)
    }
  }
  return work()
}
