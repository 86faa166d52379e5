import { expect, test } from 'vitest'
import { finish } from '../bytes/steps.ts'
import { countSteps } from '../bytes/testing/count-steps.ts'
import { embeddingsAnswer, encodeVectors } from './encode-vectors.ts'

const vectors = Array.from({ length: 20 }, () => Array.from({ length: 3072 }, (_, at) => at / 1024))

test.each(['float', 'base64'])('many vectors are written in steps: %s', (encoding_format) => {
  const request = { encoding_format }
  const answer = embeddingsAnswer({ model: 'm', request }, vectors, 20)
  const { count, value } = countSteps(answer)
  expect(count).toBeGreaterThan(5)
  const encoded = finish(encodeVectors(vectors, request))
  expect(JSON.parse(value.toString())).toEqual({
    object: 'list',
    data: encoded.map((embedding, index) => ({ object: 'embedding', index, embedding })),
    model: 'm',
    usage: { prompt_tokens: 20, total_tokens: 20 },
  })
})
