import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ROLE } from '@tollgate/contract'
import {
  channelForm,
  type ControlPlane,
  idsOf,
  openControlPlane,
  type Person,
} from '../../../testing/control-plane.ts'
import { DATABASES } from '../../../testing/databases.ts'
import {
  answerChat,
  answerError,
  type ScriptedUpstream,
  startScriptedUpstream,
} from '../../../testing/scripted-upstream.ts'

const CUSTOM = 8
const KEY = 'planted-key'
const SAID = `No ${KEY}, planted-code (GET /v1/models?code=planted-code&v=planted)`

describe.each(DATABASES)('what a provider repeats of a channel on %s', (kind) => {
  let plane: ControlPlane
  let admin: Person
  let provider: ScriptedUpstream

  beforeAll(async () => {
    plane = await openControlPlane(kind)
    admin = await plane.addPerson(ROLE.admin)
    provider = await startScriptedUpstream()
  })
  afterAll(async () => {
    await provider.close()
    await plane.close()
  })

  const add = async () => {
    const base_url = `${provider.baseUrl('a')}?code=planted-code&v=planted`
    const body = { ...channelForm, type: CUSTOM, key: KEY, base_url }
    return idsOf(await plane.call('POST', '/api/channel/', { as: admin, body }))[0] ?? 0
  }

  const asks: [string, (id: number) => Promise<{ text: string }>][] = [
    ['a test', (id) => plane.call('GET', `/api/channel/test/${id}`, { as: admin })],
    ['a balance', (id) => plane.call('GET', `/api/channel/update_balance/${id}`, { as: admin })],
    [
      'the models',
      (id) =>
        plane.call('POST', '/api/channel/fetch_models', {
          as: admin,
          body: { id, type: CUSTOM, base_url: `${provider.baseUrl('a')}?code=***&v=***` },
        }),
    ],
  ]

  test.each(asks)('is without its key and the secrets in its address: %s', async (_, send) => {
    const id = await add()
    provider.script('a', answerError(400, { message: SAID }))
    const before = provider.requestsOf('a').length
    const { text } = await send(id)
    expect(provider.requestsOf('a').slice(before)[0]?.path).toContain('code=planted-code')
    expect(text).toContain('No [key], [key] (GET /v1/models?code=[key]&v=[key])')
    const shown = await plane.call('GET', `/api/channel/${id}`, { as: admin })
    expect(text + shown.text + plane.logLines.join('')).not.toContain('planted')
  })

  test('also in a reply to a test', async () => {
    const id = await add()
    provider.script('a', answerChat(SAID))
    const { success, message } = await plane.call('GET', `/api/channel/test/${id}`, { as: admin })
    expect([success, message]).toEqual([true, expect.stringMatching(/^No \[key\], \[key\]/)])
    expect(message).not.toContain('planted')
  })
})
