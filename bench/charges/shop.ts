// What a shop asks, over and over: its requests, written beforehand but for their keys, on connections that stay open.

export interface Shop {
  readonly port: number
  readonly path: string
  readonly authorization: string
  readonly body: string
}

export interface Sold {
  readonly perSecond: number
  readonly refused: number
  /** What was answered to the last that was refused. */
  readonly lastRefusal: string
  readonly p50Ms: number
  readonly p99Ms: number
}

export const connections = 64
