// A contestant in a process of its own: told over IPC what to do, and answering when it is done.

import type { Contestant, Surroundings } from './contestant.ts'

type Told =
  | { readonly enter: string; readonly surroundings: Surroundings }
  | { readonly load: number }
  | 'tidy'
  | 'left'
  | 'stop'

let contestant: Contestant | null = null

async function doAsTold(told: Told): Promise<number> {
  if (told === 'left') return contestant?.left() ?? 0
  if (told === 'stop') await contestant?.stop()
  else if (told === 'tidy') await contestant?.tidy()
  else if ('enter' in told) contestant = await (await import(`./${told.enter}.ts`)).enter(told.surroundings)
  else await contestant?.load(told.load)
  return 0
}

process.on('message', (told: Told) => {
  doAsTold(told).then(
    done => process.send?.({ done }),
    error => process.send?.({ failed: String(error?.stack ?? error) }),
  )
})
process.on('disconnect', () => process.exit())
