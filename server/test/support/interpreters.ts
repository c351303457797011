// PHP, Ruby and Python as npm carries them: the real interpreters, compiled to WebAssembly, so that what we give merchants
// in these languages runs on any machine. Each is started once, when it is first needed.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { WASI } from 'node:wasi'
import { getPHPLoaderModule } from '@php-wasm/node-8-4'
import { loadPHPRuntime, PHP } from '@php-wasm/universal'
import { RubyVM } from '@ruby/wasm-wasi'
import { loadPyodide } from 'pyodide'

interface Environment {
  readonly [name: string]: string
}

/** A folder of this machine. Each interpreter has it as `/shared`. */
export const sharedFolder = mkdtempSync(join(tmpdir(), 'tillbell-interpreters-'))
process.on('exit', () => rmSync(sharedFolder, { recursive: true, force: true }))

/** Answers what it prints. */
export async function runPhp(code: string, environment: Environment = {}): Promise<string> {
  const { text } = await (await php()).run({ code, env: environment })
  return text
}

export interface PhpRequest {
  /** Within the shared folder. */
  readonly script: string
  readonly method?: string
  readonly path: string
  readonly body: string
  readonly environment: Environment
}

/** Has a script answer a request, as a web server would. */
export async function askPhp(request: PhpRequest): Promise<{ readonly status: number; readonly text: string }> {
  const { script, method = 'POST', path, body, environment } = request
  const { httpStatusCode: status, text } = await (await php()).run({
    scriptPath: `/shared/${script}`,
    method,
    relativeUri: path,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new TextEncoder().encode(body),
    env: environment,
  })
  return { status, text }
}

const php = once(async () => {
  const started = new PHP(await loadPHPRuntime(await getPHPLoaderModule()))
  started.mkdir('/shared')
  await started.mount('/shared', (_, files, point) => {
    files.mount(files.filesystems.NODEFS, { root: sharedFolder }, point)
    return () => files.unmount(point)
  })
  return started
})

/** Answers what it prints. The methods that one script defines, another does not see. */
export async function runRuby(code: string, environment: Environment = {}): Promise<string> {
  const vm = await ruby()
  writeFileSync(join(sharedFolder, 'script.rb'), code)
  writeFileSync(join(sharedFolder, 'environment.json'), JSON.stringify(environment))
  return vm
    .eval(`
      require 'json'
      require 'stringio'
      ENV.replace(JSON.parse(File.read('/shared/environment.json')))
      begin
        $stdout = StringIO.new
        Object.new.instance_eval(File.read('/shared/script.rb'), '/shared/script.rb')
        $stdout.string
      ensure
        $stdout = STDOUT
      end`)
    .toString()
}

const ruby = once(async () => {
  const wasm = createRequire(import.meta.url).resolve('@ruby/3.4-wasm-wasi/dist/ruby+stdlib.wasm')
  const wasip1 = new WASI({ version: 'preview1', preopens: { '/shared': sharedFolder } })
  const module = await WebAssembly.compile(await readFile(wasm))
  return (await RubyVM.instantiateModule({ module, wasip1 })).vm
})

/** Answers what it prints. The names that one script defines, another does not see. */
export async function runPython(code: string, environment: Environment = {}): Promise<string> {
  const py = await python()
  const printed: string[] = []
  py.setStdout({ batched: line => printed.push(line) })
  const os = py.pyimport('os')
  const globals = py.toPy({ __name__: '__main__' })
  os.environ.clear()
  os.environ.update(py.toPy(environment))
  py.runPython(code, { globals, filename: 'script.py' })
  return printed.join('\n')
}

const python = once(async () => {
  const py = await loadPyodide()
  py.mountNodeFS('/shared', sharedFolder)
  return py
})

function once<T>(start: () => Promise<T>): () => Promise<T> {
  let started: Promise<T> | undefined
  return () => {
    started ??= start()
    return started
  }
}
