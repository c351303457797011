// Validators are compiled when the first request needs them, and once for the same schema: the resources of REST are there
// twice, and most processes are never asked for most of them. To compile them all took two thirds of the time of a start.

import ajvCompiler, { type BuildCompilerFromPool } from '@fastify/ajv-compiler'
import type { FastifySchemaCompiler } from 'fastify'

type Compile = FastifySchemaCompiler<object>
type Validator = ReturnType<Compile>

export const compiledWhenUsed: BuildCompilerFromPool = (externalSchemas, options) => {
  const compile = ajvCompiler()(externalSchemas, options) as unknown as Compile
  const known = new WeakMap<object, Validator>()
  const lazily: Compile = route => {
    const validator: Validator = data => {
      const compiled = known.get(route.schema) ?? compile(route)
      known.set(route.schema, compiled)
      const answer = compiled(data)
      validator.errors = compiled.errors ?? null
      return answer
    }
    return validator
  }
  return lazily as unknown as ReturnType<BuildCompilerFromPool>
}
