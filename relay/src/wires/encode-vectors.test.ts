import { expect, test } from 'vitest'
import { finish } from '../bytes/steps.ts'
import { embeddingsAnswer, encodeVectors } from './encode-vectors.ts'

const vectors = Array.from({ length: 20 }, () => Array.from({ length: 3072 }, (_, at) => at / 1024))

test.each(['float', 'base64'])('many vectors are written in steps: %s', (encoding_format) => {
  const request = { encoding_format }
  const steps = embeddingsAnswer({ model: 'm', request }, vectors, 20)
  let count = 0
  let step = steps.next()
  while (step.done !== true) {
    count += 1
    step = steps.next()
  }
  expect(count).toBeGreaterThan(5)
  expect(JSON.parse(step.value.toString())).toEqual({
    object: 'list',
    data: finish(encodeVectors(vectors, request)).map((embedding, index) => ({
      object: 'embedding',
      index,
      embedding,
    })),
    model: 'm',
    usage: { prompt_tokens: 20, total_tokens: 20 },
  })
})
