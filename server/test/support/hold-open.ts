// A service or a command in a process of its own, to be killed: opens what its argument says, tells each event as a line
// of JSON, and closes when its input ends. It does not exit by itself: that it ends after closing is part of the test.
import { type EmbeddedOptions, openEmbedded } from '../../src/store/postgres/embedded.ts'

const argument = JSON.parse(process.argv[2] ?? '{}') as {
  dataFolder: string
  as: EmbeddedOptions['as']
  surroundings?: Parameters<typeof openEmbedded>[1]
}

function tell(event: object): void {
  process.stdout.write(`${JSON.stringify(event)}\n`)
}

try {
  const { dataFolder, as, surroundings } = argument
  const log: EmbeddedOptions['log'] = event => tell({ event: 'log', ...event })
  const { address, folder, notice, close } = await openEmbedded({ dataFolder, as, log }, surroundings)
  tell({ event: 'open', address, folder, notice })
  process.stdin.resume().once('end', async () => {
    await close()
    tell({ event: 'closed' })
  })
} catch (error) {
  tell({ event: 'refused', name: (error as Error).name, text: (error as Error).message })
}
