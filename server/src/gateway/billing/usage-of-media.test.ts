import { describe, expect, test } from 'vitest'
import { mp3 } from '../../../testing/fakes/mp3-file.ts'
import { answerJson, answerStream, chunk, DONE } from '../../../testing/fakes/scripted-upstream.ts'
import { DATABASES } from '../../../testing/harness/databases.ts'
import { ASKED, setUp } from '../../../testing/worlds/relay-scenario.ts'

/* Reports of non-text tokens. What was requested or delivered is charged at its own price. */

const MODEL = 'gpt-4o-audio-preview'
const SPEECH = { id: 'a', data: Buffer.alloc(48_000).toString('base64'), transcript: 'Hello there' }
const USAGE = {
  prompt_tokens: 10,
  completion_tokens: 60,
  completion_tokens_details: { audio_tokens: 50 },
}
const asked = { ...ASKED, model: MODEL, max_tokens: 100 }
const saying = (message: object) =>
  answerJson({
    choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: 'stop' }],
    usage: USAGE,
  })
const SPOKEN = { content: null, audio: SPEECH }
const delta = (audio: object) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: { audio } }] })}\n\n`
const spokenStream = answerStream([
  delta(SPEECH),
  chunk({ finish: 'stop' }),
  chunk({ usage: USAGE }),
  DONE,
])

describe.each(DATABASES)('speech of a text model, on %s', (kind) => {
  const open = (script: ReturnType<typeof saying>) =>
    setUp([{ models: MODEL, script: [script] }], { kind, quota: 1e9 })

  test.each([
    ['whole', saying(SPOKEN), {}],
    ['in a stream', spokenStream, { stream: true }],
  ])('that was not requested is charged as speech: %s', async (_how, script, members) => {
    const world = await open(script)
    await (await world.ask({ ...asked, ...members })).text()
    const { log } = await world.books()
    expect(JSON.parse(log?.basis ?? '')).toMatchObject({
      usage_source: 'reported',
      completion_tokens: 60,
      kinds: [{ kind: 'audio_completion', tokens: 50 }],
    })
  })

  test('that was neither delivered nor requested is not charged', async () => {
    const world = await open(saying({ content: 'Hello there' }))
    await (await world.ask(asked)).text()
    await world.expectLog({ usage_source: 'overruled' })
  })

  test.each([
    ['in another spelling', { Modalities: ['text', 'audio'], Audio: { voice: 'alloy' } }],
    ['in a body within the body', { extra_body: { modalities: ['text', 'audio'] } }],
  ])('cannot be requested for %s', async (_how, members) => {
    const world = await open(saying(SPOKEN))
    expect((await world.ask({ ...asked, ...members })).status).toBe(400)
    expect(world.calls()).toEqual([0])
  })
})

/** One pixel. */
const PICTURE =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

describe.each(DATABASES)('an image, on %s', (kind) => {
  test.each([
    ['as large as the model that answers can make it', 'gpt-4o-mini', 36_835, 'reported'],
    ['larger than any', 'gpt-4o-mini', 60_000, 'overruled'],
    ['of an unknown model', 'seer-of-nobody', 16_900, 'reported'],
    ['larger than such', 'seer-of-nobody', 30_000, 'overruled'],
    ['larger than at a model that is known', 'gpt-4o', 16_900, 'overruled'],
  ])('%s', async (_title, mapping, prompt_tokens, usage_source) => {
    const model = 'gpt-4-vision-preview'
    const usage = { prompt_tokens, completion_tokens: 5 }
    const choice = { index: 0, message: { content: 'hi' }, finish_reason: 'stop' }
    const script = [answerJson({ choices: [choice], usage })]
    const world = await setUp([{ models: model, mapping, script }], { kind, quota: 1e9 })
    const content = [{ type: 'image_url', image_url: { url: PICTURE } }]
    const body = { model, max_tokens: 50, messages: [{ role: 'user', content }] }
    expect((await world.ask(body)).status).toBe(200)
    await world.expectLog({ usage_source })
  })
})

test("Gemini's audio tokens are charged at the audio ratio", async () => {
  const model = 'gemini-2.5-flash'
  const answer = {
    candidates: [{ content: { role: 'model', parts: [{ text: 'Hi' }] }, finishReason: 'STOP' }],
    usageMetadata: {
      promptTokenCount: 1000,
      candidatesTokenCount: 30,
      promptTokensDetails: [
        { modality: 'TEXT', tokenCount: 100 },
        { modality: 'AUDIO', tokenCount: 900 },
      ],
    },
  }
  const world = await setUp([{ script: [answerJson(answer)], type: 24, models: model }], {
    quota: 1_000_000,
  })
  const input_audio = { data: mp3(28.1).toString('base64'), format: 'mp3' }
  const messages = [{ role: 'user', content: [{ type: 'input_audio', input_audio }] }]
  expect((await world.ask({ ...ASKED, model, messages })).status).toBe(200)
  // 100 at 1, 900 at 3.33333, 30 at 8.33333; at 0.15.
  await world.expectLog({ quota: 503, prompt_tokens: 1000 })
})
