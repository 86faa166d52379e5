import { expect, test } from 'vitest'
import { taskTo } from '../../streams/testing/call-to.ts'
import { mistralSpeech } from './speech.ts'

test('samples are integers, as OpenAI sends them', () => {
  const fractions = Buffer.alloc(21)
  const given = [0, 0.5, -1, 2, Number.NaN]
  given.forEach((fraction, at) => fractions.writeFloatLE(fraction, at * 4))
  const answer = JSON.stringify({ audio_data: fractions.toString('base64') })
  const request = { input: 'Hi', voice: 'en_paul_neutral', response_format: 'pcm' }
  const call = taskTo('speech', { key: 'mk', model: 'voxtral-mini-tts-2603', request })
  const decoded = mistralSpeech.decodeTask(Buffer.from(answer), call).toString()
  const { audio, content_type } = JSON.parse(decoded)
  expect(content_type).toBe('audio/pcm')
  const samples = Buffer.from(audio, 'base64')
  expect(given.map((_, at) => samples.readInt16LE(at * 2))).toEqual([0, 16_384, -32_767, 32_767, 0])
  expect(samples).toHaveLength(10)
})
