import { describe, expect, test } from 'vitest'
import { answerJson } from '../../../testing/fakes/scripted-upstream.ts'
import { DATABASES } from '../../../testing/harness/databases.ts'
import { waitUntil } from '../../../testing/harness/wait-until.ts'
import { setUp } from '../../../testing/worlds/relay-scenario.ts'

const choices = [{ index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }]
const asked = (model: string) => ({
  model,
  [model === 'o3' ? 'max_completion_tokens' : 'max_tokens']: 1,
  messages: [{ role: 'user', content: 'x' }],
})
const reasoning = (tokens: number) => ({
  prompt_tokens: 8,
  completion_tokens: tokens + 1,
  completion_tokens_details: { reasoning_tokens: tokens },
})

describe.each(DATABASES)('a report far beyond its request, on %s', (kind) => {
  test.each([
    ['reasoning of a model that does not reason', 'gpt-4o', reasoning(16_000)],
    ['reasoning beyond the limit of the client', 'o3', reasoning(16_000)],
    ['reasoning of an unknown model beyond the limit', 'nobody-knows', reasoning(100_000)],
    ['a prompt out of proportion', 'gpt-4o', { prompt_tokens: 32_828, completion_tokens: 2 }],
  ])('%s is counted by the gateway, marked, and reported once', async (_name, model, usage) => {
    const script = [answerJson({ choices, usage })]
    const world = await setUp([{ models: model, script }], { kind })
    for (const each of [1, 2]) expect((await world.ask(asked(model))).status, `${each}`).toBe(200)
    const { logs } = await world.books()
    for (const row of logs) {
      expect(row).toMatchObject({ prompt_tokens: 8, completion_tokens: 1 })
      expect(JSON.parse(row.basis ?? '')).toMatchObject({
        usage_source: 'overruled',
        overruled: {
          prompt_tokens: usage.prompt_tokens,
          completion_tokens: usage.completion_tokens,
        },
      })
    }
    const alerts = () =>
      world.database.kysely
        .selectFrom('outbox')
        .select('message')
        .where('message', 'like', '%channel-alert%')
        .execute()
    await waitUntil(async () => (await alerts()).length > 0)
    expect(await alerts()).toHaveLength(1)
  })

  test('a plausible report is charged unchanged', async () => {
    const usage = { prompt_tokens: 12, completion_tokens: 1 }
    const script = [answerJson({ choices, usage })]
    const world = await setUp([{ models: 'gpt-4o', script }], { kind })
    expect((await world.ask(asked('gpt-4o'))).status).toBe(200)
    const { log } = await world.books()
    expect(log).toMatchObject({ prompt_tokens: 12, completion_tokens: 1 })
    expect(JSON.parse(log?.basis ?? '')).toMatchObject({ usage_source: 'reported' })
  })
})
