import { pino } from 'pino'
import { beforeAll, describe, expect, test } from 'vitest'
import { CHANNEL_STATUS, ROLE } from '@tollgate/contract'
import { answerChat, answerJson, type Behaviour } from '../../../testing/fakes/scripted-upstream.ts'
import { DATABASES } from '../../../testing/harness/databases.ts'
import { openOnce } from '../../../testing/harness/open-once.ts'
import {
  accessTokenOf,
  channelForm,
  idsOf,
  openControlPlane,
  type Person,
} from '../../../testing/worlds/control-plane.ts'
import { outboxOf } from '../../../testing/worlds/outbox.ts'
import { inOrder, MODEL, setUp, type World } from '../../../testing/worlds/relay-scenario.ts'
import { systemClock } from '../../clock.ts'
import { switchChannel } from '../../store/channel-status.ts'
import { createChannelAutoDisable } from './channel-auto-disable.ts'
import { openChannelRegistry } from './channel-registry.ts'

const UNCACHED = { cachedTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 }

describe.each(DATABASES)('implausible reports, on %s', (kind) => {
  let admin: Person
  let id: number

  const plane = openOnce(() => openControlPlane(kind))
  beforeAll(async () => {
    admin = await plane.addPerson(ROLE.admin)
    const made = await plane.call('POST', '/api/channel/', { as: admin, body: channelForm })
    id = idsOf(made)[0] ?? 0
  })
  const log = pino({ level: 'silent' })

  /** Reports from a freshly started process. */
  const reportTwice = async () => {
    const channel = (await openChannelRegistry({ ...plane, log, clock: systemClock }))().channel(id)
    if (!channel) throw new Error('there is no such channel')
    const autoDisable = createChannelAutoDisable({ ...plane, log, now: () => plane.clock.now })
    for (const promptTokens of [1e6, 2e6]) {
      autoDisable.flagSuspectUsage(channel, {
        reported: { ...UNCACHED, promptTokens, completionTokens: 7 },
        counted: { ...UNCACHED, promptTokens: 8, completionTokens: 2 },
      })
    }
    await autoDisable.flushed()
  }

  const alerts = async () =>
    (await outboxOf(plane)).filter((message) => message.type === 'channel-alert')

  const edit = (change: object) =>
    plane.call('PUT', '/api/channel/', {
      headers: { authorization: accessTokenOf(admin) },
      body: { id, ...change },
    })

  const setStatus = (status: 'disabled' | 'enabled') =>
    plane.database.change(async (tx) => {
      const { disabled, enabled } = { disabled: CHANNEL_STATUS.autoDisabled, enabled: 1 }
      const now = status === 'disabled' ? enabled : disabled
      const row = await tx
        .selectFrom('channels')
        .select('key_sealed')
        .where('id', '=', id)
        .executeTakeFirstOrThrow()
      const judged = { id, status: now, key_sealed: row.key_sealed }
      return switchChannel(tx, judged, { event: status, reason: '' }, 1)
    })

  test('cause one alert across all processes, and another after the channel was edited or re-enabled', async () => {
    await Promise.all([reportTwice(), reportTwice(), reportTwice()])
    const alert = {
      type: 'channel-alert',
      channel_id: id,
      name: channelForm.name,
      event: 'misreported',
      reason:
        'The provider reported 1,000,000 prompt and 7 completion tokens for one request; 8 and 2 were counted and charged.',
      reason_zh:
        '服务商对一次请求报告提示 1,000,000 tokens、补全 7 tokens；本站实际计得提示 8 tokens、补全 2 tokens，并按此计费。',
    }
    const told = async () =>
      (await alerts()).filter(
        (message) => message.type === 'channel-alert' && message.event === 'misreported',
      )
    expect(await told()).toEqual([alert])
    plane.clock.now += 2 * 24 * 3600 * 1000
    await reportTwice()
    expect(await told()).toEqual([alert])
    await edit({ priority: 7 })
    await reportTwice()
    await reportTwice()
    expect(await told()).toEqual([alert, alert])
    expect(await setStatus('disabled')).toBe(true)
    expect(await setStatus('enabled')).toBe(true)
    await reportTwice()
    expect(await told()).toEqual([alert, alert, alert])
  })
})

describe('a refusal about neither the key nor the account disables no channel', () => {
  async function expectEnabled(world: World) {
    await world.gateway().shutDown()
    for (const channel of world.channels) {
      expect((await world.statusOf(channel)).status).toBe(CHANNEL_STATUS.enabled)
    }
    await world.books()
  }

  const ANSWER = {
    candidates: [{ content: { role: 'model', parts: [{ text: 'Hi' }] }, finishReason: 'STOP' }],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
  }
  const google = (code: number, status: string, message: string) =>
    answerJson({ error: { code, status, message } }, { status: code })
  const NOT_OURS = 'You do not have permission to access the File abc.'
  const NOT_READY = 'The File abc is not in an ACTIVE state.'
  const NOT_ALLOWED = 'The caller does not have permission'
  const foreign = {
    fileData: {
      mimeType: 'application/pdf',
      fileUri: 'https://generativelanguage.googleapis.com/v1beta/files/abc',
    },
  }

  test.each<[Behaviour, number, string]>([
    [google(403, 'PERMISSION_DENIED', NOT_OURS), 404, 'access the File abc'],
    [google(400, 'FAILED_PRECONDITION', NOT_READY), 400, 'not in an ACTIVE state'],
    [google(403, 'PERMISSION_DENIED', NOT_ALLOWED), 502, 'The upstream provider refused'],
  ])('about a file, at Google: %#', async (refusal, status, words) => {
    const script: Behaviour = (response, request) =>
      (request.body.includes('fileUri') ? refusal : answerJson(ANSWER))(response, request)
    const provider = { script: [script], type: 24 }
    const world = await setUp([{ ...provider, priority: 1, key: 'a\nb' }, provider])
    const path = `/v1beta/models/${MODEL}:generateContent`
    const contents = (...parts: object[]) => ({ contents: [{ role: 'user', parts }] })
    const refused = await world.ask(contents({ text: 'hi' }, foreign), { path })
    expect(refused.status).toBe(status)
    expect(await refused.text()).toContain(words)
    const [before = 0] = world.calls()
    expect((await world.ask(contents({ text: 'hi' }), { path })).status).toBe(200)
    expect(world.calls()[0]).toBe(before + 1)
    await expectEnabled(world)
  })

  test('about one endpoint, at OpenAI, which another channel offers', async () => {
    const message =
      'You have insufficient permissions for this operation. Missing scopes: api.embeddings.request.'
    const error = { message, type: 'invalid_request_error', param: null, code: null }
    const vectors = {
      object: 'list',
      data: [{ object: 'embedding', index: 0, embedding: [0.5] }],
      usage: { prompt_tokens: 10, total_tokens: 10 },
    }
    const byPath =
      (embedding: Behaviour): Behaviour =>
      (response, request) =>
        (request.path.includes('embeddings') ? embedding : answerChat())(response, request)
    const world = await setUp(
      inOrder(byPath(answerJson({ error }, { status: 401 })), byPath(answerJson(vectors))),
    )
    const embedded = await world.ask({ model: MODEL, input: 'hi' }, { path: '/v1/embeddings' })
    expect(embedded.status).toBe(200)
    expect(world.calls()).toEqual([1, 1])
    expect((await world.ask()).status).toBe(200)
    expect(world.calls()).toEqual([2, 1])
    await expectEnabled(world)
  })
})
