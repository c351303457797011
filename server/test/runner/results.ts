// What a person reads of a run: a line for each file, the failures at the end, where they are looked for.

import { styleText } from 'node:util'
import type { Ran } from './messages.ts'

const slowestShown = 10
const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`

export class Results {
  readonly #all: { readonly ran: Ran; readonly printed: string }[] = []
  readonly #startedAt = performance.now()
  readonly #withNotes: boolean

  constructor({ withNotes }: { readonly withNotes: boolean }) {
    this.#withNotes = withNotes
  }

  #write(text: string): void {
    process.stdout.write(text)
  }

  add(ran: Ran, printed: string): void {
    this.#all.push({ ran, printed })
    const mark = ran.failures.length === 0 ? styleText('green', '✔') : styleText('red', '✖')
    this.#write(`${mark} ${seconds(ran.wallMs).padStart(7)}  ${ran.file}\n`)
    for (const skipped of ran.skipped) this.#write(`            skipped: ${skipped}\n`)
    if (this.#withNotes || ran.failures.length > 0) for (const note of ran.notes) this.#write(`            ${note}\n`)
  }

  /** The exit code. */
  finish(filesExpected: number): number {
    for (const { ran, printed } of this.#failed()) this.#showFailure(ran, printed)
    if (this.#all.length >= slowestShown) this.#showSlowest()
    const passed = this.#all.reduce((sum, { ran }) => sum + ran.passed, 0)
    const skipped = this.#all.reduce((sum, { ran }) => sum + ran.skipped.length, 0)
    const failed = this.#all.reduce((sum, { ran }) => sum + ran.failures.length, 0)
    const files = new Set(this.#all.map(({ ran }) => ran.file)).size
    this.#write(
      `\n${passed} tests passed, ${failed} failed, ${skipped} skipped, in ${files} files and ${seconds(performance.now() - this.#startedAt)}.\n`,
    )
    return failed === 0 && files === filesExpected ? 0 : 1
  }

  #failed() {
    return this.#all.filter(({ ran }) => ran.failures.length > 0)
  }

  #showFailure(ran: Ran, printed: string): void {
    for (const { test, text } of ran.failures) {
      this.#write(`\n${styleText('red', `✖ ${ran.file}`)}\n  ${test}\n${indented(text)}\n`)
    }
    if (printed.trim() !== '') this.#write(`\n  It printed:\n${indented(printed.trimEnd())}\n`)
  }

  #showSlowest(): void {
    const slowest = this.#all.toSorted((a, b) => b.ran.wallMs - a.ran.wallMs).slice(0, slowestShown)
    this.#write('\nThe slowest files, with the CPU time of their own process:\n')
    for (const { ran } of slowest) {
      this.#write(`  ${seconds(ran.wallMs).padStart(8)} ${seconds(ran.cpuMs).padStart(8)}  ${ran.file}\n`)
    }
  }
}

const indented = (text: string) => text.replaceAll(/^(?=.)/gm, '    ')
