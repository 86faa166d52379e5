import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { priceEndpoints, ROLE } from '@tollgate/contract'
import { DATABASES } from '../../../testing/harness/databases.ts'
import {
  channelForm,
  type ControlPlane,
  idsOf,
  openControlPlane,
  type Person,
} from '../../../testing/worlds/control-plane.ts'

describe.each(DATABASES)('prices of new models on %s', (kind) => {
  let plane: ControlPlane
  let admin: Person

  beforeAll(async () => {
    plane = await openControlPlane(kind)
    admin = await plane.addPerson(ROLE.admin)
  })
  beforeEach(async () => {
    await setOption('ModelRatio', '{}')
    await setOption('DefaultModelRatio', 'null')
  })
  afterAll(() => plane.close())

  const setOption = (key: string, value: string) =>
    plane.call('PUT', '/api/option/', { as: admin, body: { key, value } })
  const create = (form: object) =>
    plane.call('POST', '/api/channel/', {
      as: admin,
      body: { ...channelForm, key: 'sk-1', ...form },
    })
  const own = () => plane.settings.current().ModelRatio
  const listed = async () => {
    const { data } = await plane.call('GET', '/api/price/unpriced', { as: admin })
    return priceEndpoints.listUnpricedModels.parts.data.parse(data)
  }

  test('a new channel gives its unpriced models an estimate, which the price pages list', async () => {
    await setOption('ModelRatio', '{"own-model":4}')
    await create({
      models: 'gpt-6-sol,own-model,qwen-local,house-model,alias',
      model_mapping: '{"alias":"gpt-6-sol"}',
    })
    expect(own()).toEqual({ 'own-model': 4, 'qwen-local': 1.25, 'house-model': 30 })
    expect(plane.settings.current().CompletionRatio).toMatchObject({ 'qwen-local': 3 })
    expect((await listed()).map(({ model, estimated }) => [model, estimated])).toEqual(
      expect.arrayContaining([
        ['qwen-local', true],
        ['house-model', true],
      ]),
    )
    await setOption('ModelRatio', '{"qwen-local":2,"house-model":30}')
    expect((await listed()).map(({ model }) => model)).toEqual(['house-model'])
  })

  test('an edit that adds models prices them, any other edit prices nothing', async () => {
    const [id] = idsOf(await create({ models: 'gpt-6-sol' }))
    const edit = (body: object) =>
      plane.call('PUT', '/api/channel/', { as: admin, body: { id, ...body } })
    await edit({ models: 'gpt-6-sol,glm-local' })
    expect(Object.keys(own())).toEqual(['glm-local'])
    await setOption('ModelRatio', '{}')
    await edit({ priority: 3 })
    expect(own()).toEqual({})
  })

  test('nothing is priced where the default ratio charges such models', async () => {
    await setOption('DefaultModelRatio', '30')
    await create({ models: 'qwen-local' })
    expect(own()).toEqual({})
  })
})
