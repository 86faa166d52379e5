import { AppError, type channelEndpoints } from '@tollgate/contract'
import type { Handlers } from '../../http/mount.ts'
import { deleteAbilities } from '../../store/abilities.ts'
import { deleteChannel, findChannel, listChannels, searchChannels } from '../../store/channels.ts'
import type { AdminDeps } from '../deps.ts'
import { catalogueModels } from './catalogue-models.ts'
import { createChannels } from './create-channels.ts'
import { shownChannel } from './shown-channel.ts'
import { testChannel } from './test-channel.ts'
import { updateChannel } from './update-channel.ts'

export function channelHandlers(deps: AdminDeps): Handlers<typeof channelEndpoints> {
  const { database } = deps
  const models = catalogueModels()
  return {
    listChannels: async (_, { query }) => {
      const { rows, total } = await listChannels(database.kysely, query)
      return { data: rows.map(shownChannel), total }
    },
    searchChannels: async (_, { query }) => {
      const rows = await searchChannels(database.kysely, query.keyword)
      return { data: rows.map(shownChannel) }
    },
    listCatalogueModels: async () => ({ data: models, beside: { object: 'list' } }),
    getChannel: async (_, { params }) => {
      const channel = await findChannel(database.kysely, params.id)
      if (!channel) throw new AppError('channel_not_found')
      return { data: shownChannel(channel) }
    },
    createChannels: async (_, { body }) => ({ data: await createChannels(deps, body) }),
    updateChannel: async (_, { body }) => ({ data: await updateChannel(deps, body) }),
    deleteChannel: async (_, { params }) => {
      const deleted = await database.change(async (tx) => {
        // In this order an edit that is under way has ended before its abilities are looked for.
        if (!(await deleteChannel(tx, params.id))) return false
        await deleteAbilities(tx, params.id)
        return true
      })
      if (!deleted) throw new AppError('channel_not_found')
      return {}
    },
    testChannel: async (_, { params, query }) => {
      const result = await testChannel(deps, { id: params.id, model: query.model })
      const time = result.milliseconds / 1000
      return { data: time, beside: { time, model: result.model, modelName: result.model } }
    },
  }
}
