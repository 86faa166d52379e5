import { expect, test } from 'vitest'
import { taskTo } from '../../streams/testing/call-to.ts'
import { mistralSpeech } from './speech.ts'

const decoded = (answer: string, more: object = {}) => {
  const request = { input: 'Hi', voice: 'en_paul_neutral', ...more }
  const call = taskTo('speech', { key: 'mk', model: 'voxtral-mini-tts-2603', request })
  return mistralSpeech.decodeTask(Buffer.from(answer), call).toString()
}

test('an answer without audio is returned unchanged', () => {
  for (const text of ['', '<html>', '[]', '{"audio_data":""}', '{"audio_data":7}']) {
    expect(decoded(text)).toBe(text)
  }
})

test('samples are integers, as OpenAI sends them', () => {
  const fractions = Buffer.alloc(21)
  const given = [0, 0.5, -1, 2, Number.NaN]
  given.forEach((fraction, at) => fractions.writeFloatLE(fraction, at * 4))
  const answer = JSON.stringify({ audio_data: fractions.toString('base64') })
  const { audio, content_type } = JSON.parse(decoded(answer, { response_format: 'pcm' }))
  expect(content_type).toBe('audio/pcm')
  const samples = Buffer.from(audio, 'base64')
  expect(given.map((_, at) => samples.readInt16LE(at * 2))).toEqual([0, 16_384, -32_767, 32_767, 0])
  expect(samples).toHaveLength(10)
})
