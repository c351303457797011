// What a process says about itself on its port for metrics.

import type { ServiceProcess } from './process.ts'

/** The sum of a metric, of those with this in their labels. */
export type Measured = (name: string, label?: string) => number

export async function measure(process: Pick<ServiceProcess, 'logged'>): Promise<Measured> {
  const [, port] = /"metricsPort":([0-9]+)/.exec(process.logged()) ?? []
  const answer = await fetch(`http://127.0.0.1:${port}/metrics`)
  if (answer.status !== 200) throw new Error(`metrics answered ${answer.status}`)
  const lines = (await answer.text()).split('\n')
  return (name, label = '') =>
    lines
      .filter(line => (line.startsWith(`${name} `) || line.startsWith(`${name}{`)) && line.includes(label))
      .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0)
}
