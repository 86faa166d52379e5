import { describe, expect, test } from 'vitest'
import { answerChat } from '../../../testing/fakes/scripted-upstream.ts'
import { DATABASES } from '../../../testing/harness/databases.ts'
import { ASKED, setUp } from '../../../testing/worlds/relay-scenario.ts'

const model = 'alias'
const FILE = { type: 'file', file: { file_id: 'file-1' } }
const withFile = {
  ...ASKED,
  model,
  max_tokens: 10,
  messages: [{ role: 'user', content: [FILE] }],
}
const MODELS = ['gemini-2.5-flash', 'gpt-4o', 'gpt-4.1', 'claude-sonnet-4-6']
const pricesOf = (ratio: number) =>
  JSON.stringify(Object.fromEntries(MODELS.map((name) => [name, ratio])))

/** A token costs 1, and at most 3.3 as audio for Gemini or 2 in Claude's one-hour cache. */
const PRICES: [['ModelRatio', string], ['CompletionRatio', string]] = [
  ['ModelRatio', pricesOf(1)],
  ['CompletionRatio', pricesOf(1)],
]
const channel = (mapping: string) => ({ script: [answerChat()], models: model, mapping })

describe.each(DATABASES)('a file, on %s', (kind) => {
  test.each([
    [model, 'gpt-4o', 300_000, 200],
    [model, 'gemini-2.5-flash', 3_400_000, 403],
    [model, 'gemini-2.5-flash', 3_600_000, 200],
    [model, 'claude-sonnet-4-6', 1_990_000, 403],
    [model, 'claude-sonnet-4-6', 2_010_000, 200],
    ['gpt-4.1', 'my-deployment', 1_000_000, 403],
    ['gpt-4.1', 'my-deployment', 1_100_000, 200],
    ['gpt-4.1', 'gpt-4o', 1_000_000, 403],
    ['gpt-4o', 'my-deployment', 300_000, 200],
  ])('with %s that is called %s, with a balance of %i, ends as %i', async (...given) => {
    const [asked, mapping, quota, status] = given
    const provider = { ...channel(mapping), models: asked }
    const world = await setUp([provider], { kind, quota, options: PRICES })
    expect((await world.ask({ ...withFile, model: asked })).status).toBe(status)
    expect(world.calls()).toEqual([status === 200 ? 1 : 0])
  })

  test('is sent to the channel whose model reads no more than the balance pays for', async () => {
    const first = { ...channel('claude-sonnet-4-6'), priority: 1 }
    const world = await setUp([first, channel('gpt-4o')], { kind, quota: 600_000, options: PRICES })
    expect((await world.ask(withFile)).status).toBe(200)
    expect(world.calls()).toEqual([0, 1])
    await world.expectLog({ uncollected: 0 })
  })
})
