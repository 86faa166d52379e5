import { expect, test } from 'vitest'
import type { TaskEndpoint } from '../provider.ts'
import { taskTo } from '../streams/testing/call-to.ts'
import { aliCodec } from './ali/codec.ts'
import { geminiCodec } from './google-gemini/codec.ts'
import { minimaxCodec } from './minimax/codec.ts'
import { mistralSpeech } from './mistral/speech.ts'

const NO_JSON = ['', '<html>', '[]', '7']
const REFUSED = '{"data":{"image_urls":["x"],"audio":"00"},"base_resp":{"status_code":1008}}'
const NO_AUDIO = ['{"data":7}', '{"data":{"audio":"zz"}}', REFUSED]
const UNDRAWN = ['{}', '{"candidates":[{"finishReason":"STOP"}]}', '{"candidates":7}']

type Codec = { decodeTask: typeof mistralSpeech.decodeTask }

test.each<[string, Codec, TaskEndpoint, string, string[]]>([
  ['Alibaba', aliCodec, 'images', 'm', ['{"output":7}']],
  ['Alibaba', aliCodec, 'rerank', 'm', ['{"output":7}']],
  ['MiniMax', minimaxCodec, 'speech', 'image-01', NO_AUDIO],
  ['MiniMax', minimaxCodec, 'images', 'image-01', NO_AUDIO],
  ['Mistral', mistralSpeech, 'speech', 'm', ['{"audio_data":""}', '{"audio_data":7}']],
  ['Imagen', geminiCodec, 'images', 'imagen-4.0-generate-001', ['{}', '{"predictions":[{}]}']],
  ['Gemini', geminiCodec, 'images', 'gemini-2.5-flash-image', UNDRAWN],
])(
  '%s: an answer without results is returned unchanged',
  (_name, codec, endpoint, model, texts) => {
    const call = taskTo(endpoint, { key: 'k', model, request: { prompt: 'a cat', input: 'Hi' } })
    for (const text of [...NO_JSON, ...texts]) {
      expect(codec.decodeTask(Buffer.from(text), call).toString()).toBe(text)
    }
  },
)
