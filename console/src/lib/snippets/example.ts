import type { ModelApi } from '@tollgate/contract'
import type { ExampleModel } from '../catalog.ts'

/** A request as the API takes it. `body` is absent where the request is no JSON. */
export type ExampleRequest = { path: string; body?: Readonly<Record<string, unknown>> }

const BODIES: Readonly<
  Record<Exclude<ModelApi, 'transcriptions' | 'realtime'>, { path: string; rest: object }>
> = {
  chat: {
    path: '/v1/chat/completions',
    rest: { messages: [{ role: 'user', content: 'Hello' }] },
  },
  completions: { path: '/v1/completions', rest: { prompt: 'Once upon a time' } },
  embeddings: { path: '/v1/embeddings', rest: { input: 'Hello' } },
  rerank: {
    path: '/v1/rerank',
    rest: { query: 'capital of France', documents: ['Paris', 'Berlin'] },
  },
  ocr: {
    path: '/v1/ocr',
    rest: {
      document: { type: 'document_url', document_url: 'https://example.com/a.pdf' },
      pages: [0],
    },
  },
  moderations: { path: '/v1/moderations', rest: { input: 'Hello' } },
  images: { path: '/v1/images/generations', rest: { prompt: 'A red bicycle' } },
  speech: { path: '/v1/audio/speech', rest: { input: 'Hello', voice: 'alloy' } },
}

/** The smallest request that the model answers. */
export function exampleRequest({ id, api }: ExampleModel): ExampleRequest {
  if (api === 'transcriptions') return { path: '/v1/audio/transcriptions' }
  if (api === 'realtime') return { path: `/v1/realtime?model=${encodeURIComponent(id)}` }
  const { path, rest } = BODIES[api]
  return { path, body: { model: id, ...rest } }
}
