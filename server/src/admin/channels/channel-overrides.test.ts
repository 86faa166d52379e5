import { expect, test } from 'vitest'
import { answerChat, answerError, answerJson } from '../../../testing/fakes/scripted-upstream.ts'
import { openChannelWorld } from '../../../testing/worlds/channel-world.ts'
import type { Answer } from '../../../testing/worlds/control-plane.ts'
import { describeWorld } from '../../../testing/worlds/describe-planes.ts'

const CUSTOM = 8
const TENCENT = 23
const headers = { 'X-Team': 'planted-team', 'x-gate': 'Bearer planted-gate' }
const config = JSON.stringify({ region: 'eu', headers, remove_parameters: ['seed'] })
const HIDDEN = { 'X-Team': '***', 'x-gate': '***' }

describeWorld(openChannelWorld, 'overrides of a channel', (world) => {
  const add = (form: object = {}) => world.addChannel('a', { type: CUSTOM, config, ...form })
  const save = (body: object) => world.call('PUT', '/api/channel/', { body })
  const storedConfig = async (id: number) => (await world.rowOf(id)).config
  function expectRefused(answers: Answer[], message: RegExp) {
    for (const answer of answers) {
      expect(answer).toMatchObject({ success: false, message: expect.stringMatching(message) })
    }
  }
  const withHeaders = (given: object) => JSON.stringify({ headers: given })

  test('values of headers are in no answer', async () => {
    const id = await add()
    const answers = [await save({ id, name: 'renamed' })]
    for (const path of ['/api/channel/', '/api/channel/search?keyword=', `/api/channel/${id}`]) {
      answers.push(await world.call('GET', path))
    }
    for (const { success, text } of answers) {
      expect(success).toBe(true)
      expect(text).toContain('\\"X-Team\\":\\"***\\"')
      expect(text).toContain('\\"region\\":\\"eu\\"')
      expect(text).not.toContain('planted')
    }
    expect(world.plane.logLines.join('')).not.toContain('planted')
  })

  test('a form that sends the masks back changes nothing, and may change the rest', async () => {
    const id = await add()
    const { data: row } = await world.call('GET', `/api/channel/${id}`)
    expect((await save(row as object)).success).toBe(true) // Safe because the row is an object.
    expect(await storedConfig(id)).toBe(config)
    const edit = withHeaders({ 'x-team': '***', 'X-New': 'planted-new' })
    expect((await save({ id, config: edit })).success).toBe(true)
    expect(JSON.parse(await storedConfig(id))).toEqual({
      headers: { 'x-team': 'planted-team', 'X-New': 'planted-new' },
    })
  })

  test('values of headers do not follow to another server, whatever key comes with it', async () => {
    const id = await add()
    const moved = { id, key: 'sk-another', base_url: 'https://evil.example' }
    const proxied = JSON.stringify({ headers: HIDDEN, proxy: 'http://mine:8080' })
    const shown = withHeaders(HIDDEN)
    const body = { ...moved, type: CUSTOM, config: shown }
    const answers = [
      await save(moved),
      await save({ ...moved, config: shown }),
      await save({ id, key: 'sk-another', config: proxied }),
      await world.call('POST', '/api/channel/fetch_models', { body }),
    ]
    expectRefused(answers, /"config\.headers\.X-Team" has \*\*\*.*same server/)
    expect(await storedConfig(id)).toBe(config)
    const again = withHeaders({ 'X-Team': 'planted-again' })
    expect((await save({ ...moved, config: again })).success).toBe(true)
  })

  test('a mask is no value: of another header, of a copy, of a form without a channel', async () => {
    const id = await add()
    const body = { type: CUSTOM, base_url: 'https://a.example', config: withHeaders(HIDDEN) }
    const answers = [
      await save({ id, config: withHeaders({ 'X-Other': '***' }) }),
      await world.call('POST', '/api/channel/', {
        body: { ...body, name: 'copy', key: 'sk-1', models: 'm' },
      }),
      await world.call('POST', '/api/channel/fetch_models', { body: { ...body, key: 'sk-1' } }),
    ]
    expectRefused(answers, /"config\.headers\.X-(?:Other|Team)" has \*\*\*/)
    expect(await storedConfig(id)).toBe(config)
  })

  test('a request is signed with its body, so Tencent’s cannot be changed', async () => {
    const form = { type: TENCENT, key: '1|2|3', base_url: '' }
    const refusal = /"config\.remove_parameters" is not valid.*signed/
    const body = { ...form, config, name: 'signed', models: 'm' }
    expect((await world.call('POST', '/api/channel/', { body })).message).toMatch(refusal)
    const id = await add({ ...form, config: withHeaders(headers) })
    expect((await save({ id, config: '{"remove_parameters":["seed"]}' })).message).toMatch(refusal)
    const other = await add()
    expect((await save({ id: other, key: '1|2|3', type: TENCENT })).message).toMatch(refusal)
  })

  test.each([
    ['{"headers":{"Host":"x"}}', /"config\.headers\.Host".*gateway sets itself/],
    ['{"set_parameters":{"n":2}}', /"config\.set_parameters\.n".*charged/],
    ['{"card":{"m":{"reasoning":{"efforts":["x"]}}}}', /"config\.card\.m\.reasoning\.efforts\.0"/],
  ])('%s is neither stored nor sent', async (given, message) => {
    const id = await add()
    const body = { type: CUSTOM, key: 'sk-1', models: 'm', name: 'new', config: given }
    const form = { ...body, base_url: 'https://a.example' }
    const answers = [
      await save({ id, config: given }),
      await world.call('POST', '/api/channel/', { body: form }),
      await world.call('POST', '/api/channel/fetch_models', { body: form }),
    ]
    expectRefused(answers, message)
    expect(await storedConfig(id)).toBe(config)
  })

  test('headers are sent with a test, a list of models and a balance', async () => {
    const id = await add()
    const { provider } = world
    provider.script('a', answerChat())
    expect((await world.call('GET', `/api/channel/test/${id}`)).success).toBe(true)
    provider.script('a', answerJson({ data: [{ id: 'm' }] }))
    const body = { id, type: CUSTOM, base_url: provider.baseUrl('a'), config: withHeaders(HIDDEN) }
    expect((await world.call('POST', '/api/channel/fetch_models', { body })).success).toBe(true)
    provider.script('a', answerJson({ hard_limit_usd: 5, total_usage: 100 }))
    expect((await world.call('GET', `/api/channel/update_balance/${id}`)).success).toBe(true)
    const paths = provider.requestsOf('a').map(({ path }) => path.split('?')[0])
    expect(paths.slice(-4)).toEqual([
      '/v1/chat/completions',
      '/v1/models',
      '/v1/dashboard/billing/subscription',
      '/v1/dashboard/billing/usage',
    ])
    const sent = { 'x-team': 'planted-team', 'x-gate': 'Bearer planted-gate' }
    for (const request of provider.requestsOf('a').slice(-4)) {
      expect(request.headers).toMatchObject(sent)
    }
  })

  test('what a provider repeats of a header is hidden', async () => {
    const id = await add()
    world.provider.script('a', answerError(400, { message: 'No planted-team or planted-gate.' }))
    const { text } = await world.call('GET', `/api/channel/test/${id}`)
    expect(text).toContain('No [key] or [key].')
    expect(world.plane.logLines.join('')).not.toContain('planted')
  })
})
