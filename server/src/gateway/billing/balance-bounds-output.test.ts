import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import {
  answerAsAsked,
  type Behaviour,
  chunk,
  DONE,
  neverAnswer,
} from '../../../testing/fakes/scripted-upstream.ts'
import { DATABASES } from '../../../testing/harness/databases.ts'
import {
  type Provider,
  QUOTA,
  type Setup,
  setUp,
  STREAMED,
  type World,
} from '../../../testing/worlds/relay-scenario.ts'
import {
  clock,
  hasty,
  HEDGE_MS,
  readUntil,
} from '../../../testing/worlds/stream-failover-scenario.ts'

const WORD = ' token'
const WORDS = 20_000

const talksOn: Behaviour = async (response) => {
  response.setMaxListeners(0)
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (let word = 0; word < WORDS && !response.destroyed; word++) {
    const isTaken = response.write(chunk({ content: WORD }))
    if (!isTaken)
      await new Promise((resolve) => response.once('drain', resolve).once('close', resolve))
  }
  response.end(DONE)
}

describe.each(DATABASES)('on %s a stream', (kind) => {
  const quota = 1000
  const setUpTalker = (setup: Setup) =>
    setUp(talksOn, { ...setup, kind, options: [['StreamHoldTokens', '256']] })

  async function talkUntilUnpaid(world: World) {
    const text = await (await world.ask(STREAMED)).text()
    expect(text).not.toContain('[DONE]')
    expect(text).toContain('insufficient_user_quota')
    const { log, account, key } = await world.books()
    expect(log).toMatchObject({ end_reason: 'quota_used_up', outcome: 'settled', uncollected: 0 })
    const said = text.split(WORD).length - 1
    expect(log?.completion_tokens).toBeGreaterThanOrEqual(said * 0.9)
    expect(log?.completion_tokens).toBeLessThanOrEqual(said)
    return { charge: log?.quota ?? 0, account, key }
  }

  function expectUsedUp(left: number) {
    expect(left).toBeGreaterThanOrEqual(0)
    expect(left).toBeLessThan(quota / 10)
  }

  // guards: C11.2
  test('ends where its balance ends, and pays for the delivered output', async () => {
    const { charge, account } = await talkUntilUnpaid(await setUpTalker({ quota }))
    expect(account.quota).toBe(quota - charge)
    expectUsedUp(account.quota)
  })

  test('ends at the limit of its key, whatever the balance of its user', async () => {
    const world = await setUpTalker({ tokenQuota: quota })
    const { charge, account, key } = await talkUntilUnpaid(world)
    expect(account.quota).toBe(QUOTA - charge)
    expect(key.remain_quota).toBe(quota - charge)
    expectUsedUp(key.remain_quota)
  })

  test('ends at the budget of its key, whatever the balance of its user', async () => {
    const world = await setUpTalker({})
    const { database, ledger, token } = world
    await database.change((tx) => ledger.editBudget(tx, { tokenId: token, quota, period: 'day' }))
    const { charge, account } = await talkUntilUnpaid(world)
    expect(account.quota).toBe(QUOTA - charge)
    const { spent } = await database.kysely
      .selectFrom('token_budgets')
      .select('spent')
      .where('token_id', '=', token)
      .executeTakeFirstOrThrow()
    expect(spent).toBe(charge)
    expectUsedUp(quota - spent)
  })
})

/** More than the balance pays for, in one event, which is delivered as a whole or not at all. */
const TOO_MUCH = chunk({ content: WORD.repeat(10_000) })

async function askUntilUnpaid(
  providers: Provider[],
  setup: Setup,
  read = (answer: Response) => answer.text(),
) {
  const options = setup.options ?? []
  const world = await setUp(providers, {
    ...setup,
    quota: 1000,
    options: [['StreamHoldTokens', '256'], ...options],
  })
  const text = await read(await world.ask(STREAMED))
  expect(text).toContain('insufficient_user_quota')
  const { log } = await world.books()
  expect(log).toMatchObject({ end_reason: 'quota_used_up', outcome: 'settled', uncollected: 0 })
  return { text, log }
}

const pausesAmidItsWords =
  (isOver: Promise<void>): Behaviour =>
  async (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (let word = 0; word < 100; word++) response.write(chunk({ content: WORD }))
    await isOver
    response.end(TOO_MUCH + DONE)
  }

describe.each(DATABASES)('on %s a stream whose balance ends after a silence', (kind) => {
  test.each([
    ['without another channel', []],
    ['with which another was asked to go on', [{ script: [neverAnswer], priority: -1 }]],
  ])('%s pays for the output before it', async (_how, others) => {
    const isOver = Promise.withResolvers<void>()
    const providers = [{ script: [pausesAmidItsWords(isOver.promise)] }, ...others]
    const hasAllWords = (body: string) => body.split(WORD).length > 100
    const { text, log } = await askUntilUnpaid(providers, { ...hasty, kind }, (answer) =>
      readUntil(answer, hasAllWords, async () => {
        await clock.advance(3 * HEDGE_MS)
        isOver.resolve()
      }),
    )
    expect(text.split(WORD)).toHaveLength(101)
    expect(log).toMatchObject({ completion_tokens: 100 })
  })
})

describe.each(DATABASES)('on %s a stream whose balance ends', (kind) => {
  const saysTooMuch =
    (...said: string[]): Behaviour =>
    async (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      for (const event of said) response.write(event)
      await sleep(100)
      const usage = { prompt_tokens: 10, completion_tokens: 10_001 }
      response.end(TOO_MUCH + chunk({ finish: 'stop' }) + chunk({ usage }) + DONE)
    }

  test('pays the reported prompt and the delivered output', async () => {
    const script = [saysTooMuch(chunk({ content: 'Hi' }))]
    const { text, log } = await askUntilUnpaid([{ script }], { kind })
    expect(text).toContain('Hi')
    expect(text).not.toContain(WORD)
    expect(log).toMatchObject({ prompt_tokens: 10, completion_tokens: 1 })
    expect(JSON.parse(log?.basis ?? '').usage_source).toBe('counted')
  })
})

describe.each(DATABASES)('on %s a stream', (kind) => {
  const MODELS = { o3: 1, 'gpt-4o': 1 }
  const options: Setup['options'] = [
    ['ModelRatio', JSON.stringify(MODELS)],
    ['CompletionRatio', JSON.stringify(MODELS)],
  ]

  test.each([
    ['o3', 'o3', true],
    ['o3', 'my-deployment', true],
    ['alias', 'o3', true],
    ['gpt-4o', 'my-deployment', false],
  ])('from %s at %s is limited because of hidden reasoning: %s', async (model, mapping, isTold) => {
    const script = [answerAsAsked]
    const world = await setUp([{ script, models: model, mapping }], {
      kind,
      quota: 5000,
      options,
    })
    await (await world.ask({ ...STREAMED, model })).text()
    const [sent] = world.upstream.requestsOf('p0')
    expect(JSON.parse(sent?.body.toString() ?? '')).toMatchObject({ model: mapping })
    expect(/"max_(?:completion_)?tokens"/.test(sent?.body.toString() ?? '')).toBe(isTold)
  })
})
