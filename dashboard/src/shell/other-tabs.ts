// All tabs of a browser share one session: what one of them does to it, the others hear.

import { servedUnder } from './served-under.ts'

export type Told = 'signed in' | 'signed out'

const channel = new BroadcastChannel(`tillbell ${servedUnder}`)

export function tellOtherTabs(what: Told): void {
  channel.postMessage(what)
}

export function onTold(listener: (what: Told) => void): void {
  channel.onmessage = ({ data }: MessageEvent<Told>) => listener(data)
}
