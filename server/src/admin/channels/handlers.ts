import { AppError, type channelEndpoints } from '@tollgate/contract'
import type { Handlers } from '../../http/mount.ts'
import { requireUnlockedChannels } from '../../settings/require-unmanaged.ts'
import { deleteAbilities } from '../../store/abilities.ts'
import { deleteChannel, findChannel } from '../../store/channels.ts'
import type { AdminDeps } from '../deps.ts'
import { reauthorize, reauthorizeNow } from '../reauthorize.ts'
import { catalogueModels } from './catalogue-models.ts'
import type { ChannelRuns } from './channel-runs.ts'
import { createChannels } from './create-channels.ts'
import { deleteDisabledChannels } from './delete-disabled-channels.ts'
import { fetchModels } from './fetch-models.ts'
import { channelFileHandlers } from './file-handlers.ts'
import { withHealth } from './health.ts'
import { channelKeyHandlers } from './keys.ts'
import { listByHealth, searchByHealth, summarizeChannels } from './list-by-health.ts'
import { planRoute } from './plan-route.ts'
import { presentChannel, presentChannels } from './present-channels.ts'
import { testChannel } from './test-channel.ts'
import { testChannels } from './test-channels.ts'
import { channelTraffic } from './traffic.ts'
import { updateBalance, updateBalances } from './update-balance.ts'
import { updateChannel } from './update-channel.ts'

export function channelHandlers(
  deps: AdminDeps,
  runs: ChannelRuns,
): Handlers<typeof channelEndpoints> {
  const { database } = deps
  const models = catalogueModels()
  return {
    listChannels: async (context, { query }) => {
      const { rows, total } = await listByHealth(deps, query)
      return { data: await presentChannels(deps, rows, context), total }
    },
    searchChannels: async (context, { query }) => {
      const rows = await searchByHealth(deps, query)
      return { data: await presentChannels(deps, rows, context) }
    },
    summarizeChannels: async (_, { query }) => ({ data: await summarizeChannels(deps, query) }),
    listCatalogueModels: async () => ({ data: models, extra: { object: 'list' } }),
    planRoute: async (_, { query }) => ({ data: await planRoute(deps, query) }),
    getChannel: async (context, { params }) => {
      const channel = await findChannel(database.kysely, params.id)
      if (!channel) throw new AppError('channel_not_found')
      return { data: await presentChannel(deps, channel, context) }
    },
    createChannels: async (context, { body }) => {
      const rows = await createChannels(deps, context, body)
      return { data: await presentChannels(deps, await withHealth(deps, rows), context) }
    },
    updateChannel: async (context, { body }) => ({
      data: await presentChannel(deps, await updateChannel(deps, context, body), context),
    }),
    deleteChannel: async (context, { params }) => {
      await database.change(async (tx) => {
        // Deleting the channel first waits for a running edit, whose abilities are then found.
        const deleted = await deleteChannel(tx, params.id)
        await reauthorize(tx, deps, context)
        if (!deleted) throw new AppError('channel_not_found')
        await requireUnlockedChannels(tx, [params.id])
        await deleteAbilities(tx, params.id)
      })
      return {}
    },
    ...channelKeyHandlers(deps),
    ...channelFileHandlers(deps),
    getChannelTraffic: async ({ language }, { params }) => ({
      data: await channelTraffic(deps, params.id, language),
    }),
    testChannel: async (context, { params, query }) => {
      await reauthorizeNow(deps, context)
      return testChannel(deps, { id: params.id, ...query })
    },
    fetchModels: async (context, { body }) => ({ data: await fetchModels(deps, context, body) }),
    testChannels: async (context, { query }) => {
      await testChannels(deps, context, { run: runs.tests, scope: query.scope })
      return {}
    },
    getTestProgress: async () => ({ data: await runs.tests.progress() }),
    deleteDisabledChannels: async (context) => ({
      data: await deleteDisabledChannels(deps, context),
    }),
    updateBalance: async (context, { params }) => {
      const balance = await updateBalance(deps, context, params.id)
      return { data: balance, extra: { balance } }
    },
    updateBalances: async (context) => {
      await updateBalances(deps, context, runs.balances)
      return {}
    },
  }
}
