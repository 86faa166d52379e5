import type { ExampleModel } from '../catalog.ts'
import { codeOf } from './code.ts'
import { exampleRequest } from './example.ts'

type Place = { address: string; key: string }

/** A command that calls the model, whatever its API. */
export function modelCommand(model: ExampleModel, { address, key }: Place) {
  const { path, body } = exampleRequest(model)
  if (body !== undefined) return codeOf('curl', { address, key, path, body })
  const authorization = `-H "Authorization: Bearer ${key}"`
  if (model.api === 'realtime') {
    return `websocat ${authorization} "${address.replace(/^http/, 'ws')}${path}"`
  }
  return [
    `curl ${address}${path} \\`,
    `  ${authorization} \\`,
    `  -F model="${model.id}" \\`,
    '  -F file=@speech.mp3',
  ].join('\n')
}
