// What every gateway adapter promises, as tests. An adapter starts by passing these: the service's safety stands on them.

import { test } from 'node:test'
import { has, type OpenBench, type Promised } from './bench.ts'
import { keepsCardsToItself } from './cards.ts'
import { authenticates, fences, tellsDoubtFromRefusal } from './doubt.ts'
import { answersWhatWasAsked, chargesOnce, keepsToTheStates, keepsToWhatWasTaken, tellsWhatWasTaken } from './money.ts'
import { watch } from './watched.ts'

export type { ConformanceBench, OpenBench } from './bench.ts'

export function gatewayConformance(name: string, open: OpenBench): void {
  const promised: Promised = (says, needs, body) => {
    test(`${name}: ${says}`, async context => {
      const bench = await open()
      const { gateway, notes, nothingLeaked } = watch(bench)
      try {
        const lacks = needs.find(need => !has(bench, need))
        if (lacks === undefined) await body({ ...bench, gateway, notes })
        else context.skip(`This gateway has no ${lacks}.`)
        nothingLeaked()
      } finally {
        await bench.close()
      }
    })
  }
  chargesOnce(promised)
  answersWhatWasAsked(promised)
  tellsWhatWasTaken(promised)
  keepsToWhatWasTaken(promised)
  keepsToTheStates(promised)
  fences(promised)
  authenticates(promised)
  tellsDoubtFromRefusal(promised)
  keepsCardsToItself(promised)
}
