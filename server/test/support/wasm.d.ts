// What interpreters.ts uses of packages whose own types do not resolve here, and of a global that only browsers' types have.

declare namespace WebAssembly {
  type Module = object
  type Instance = object
  type Imports = object
  function compile(bytes: Uint8Array): Promise<Module>
}

declare module '@php-wasm/node-8-4' {
  export function getPHPLoaderModule(): Promise<object>
}

declare module '@php-wasm/universal' {
  interface Files {
    readonly filesystems: { readonly NODEFS: object }
    mount(kind: object, options: { readonly root: string }, point: string): void
    unmount(point: string): void
  }

  interface Request {
    readonly code?: string
    readonly scriptPath?: string
    readonly method?: string
    readonly relativeUri?: string
    readonly headers?: { readonly [name: string]: string }
    readonly body?: Uint8Array
    readonly env?: { readonly [name: string]: string }
    readonly $_SERVER?: { readonly [name: string]: string }
  }

  export function loadPHPRuntime(loader: object): Promise<number>

  export class PHP {
    constructor(runtime: number)
    mkdir(path: string): void
    mount(path: string, mount: (php: PHP, files: Files, point: string) => () => void): Promise<unknown>
    /** Rejects where the script does not end well. */
    run(request: Request): Promise<{ readonly httpStatusCode: number; readonly text: string }>
  }
}
