import { AppError, type Channel, type channelEndpoints, type Language } from '@tollgate/contract'
import { detailInBoth } from '@tollgate/relay'
import { shutModels } from '../../domain/shut-models.ts'
import type { Handlers } from '../../http/mount.ts'
import { deleteAbilities } from '../../store/abilities.ts'
import {
  deleteChannel,
  findChannel,
  listChannels,
  searchChannels,
  type ShownChannel,
} from '../../store/channels.ts'
import type { AdminDeps } from '../deps.ts'
import { withProviderDaysLeft } from '../forecasts.ts'
import { reauthorize, reauthorizeNow } from '../reauthorize.ts'
import { catalogueModels } from './catalogue-models.ts'
import type { ChannelRuns } from './channel-runs.ts'
import { createChannels } from './create-channels.ts'
import { deleteDisabledChannels } from './delete-disabled-channels.ts'
import { fetchModels } from './fetch-models.ts'
import { hidePasswords } from './hidden-passwords.ts'
import { planRoute } from './plan-route.ts'
import { testChannel } from './test-channel.ts'
import { testChannels } from './test-channels.ts'
import { updateBalance, updateBalances } from './update-balance.ts'
import { updateChannel } from './update-channel.ts'

export function channelHandlers(
  deps: AdminDeps,
  runs: ChannelRuns,
): Handlers<typeof channelEndpoints> {
  const { database } = deps
  const present = (row: ShownChannel, { language }: { language: Language }) =>
    presentChannel(row, language, deps.now())
  const models = catalogueModels()
  return {
    listChannels: async (context, { query }) => {
      const { rows, total } = await listChannels(database.kysely, query)
      const data = rows.map((row) => present(row, context))
      return { data: await withProviderDaysLeft(deps, data), total }
    },
    searchChannels: async (context, { query }) => {
      const rows = await searchChannels(database.kysely, query)
      const data = rows.map((row) => present(row, context))
      return { data: await withProviderDaysLeft(deps, data) }
    },
    listCatalogueModels: async () => ({ data: models, extra: { object: 'list' } }),
    planRoute: async (_, { query }) => ({ data: await planRoute(deps, query) }),
    getChannel: async (context, { params }) => {
      const channel = await findChannel(database.kysely, params.id)
      if (!channel) throw new AppError('channel_not_found')
      const [data] = await withProviderDaysLeft(deps, [present(channel, context)])
      if (!data) throw new AppError('channel_not_found')
      return { data }
    },
    createChannels: async (context, { body }) => {
      const rows = await createChannels(deps, context, body)
      return { data: rows.map((row) => present(row, context)) }
    },
    updateChannel: async (context, { body }) => ({
      data: present(await updateChannel(deps, context, body), context),
    }),
    deleteChannel: async (context, { params }) => {
      await database.change(async (tx) => {
        // Deleting the channel first waits for a running edit, whose abilities are then found.
        const deleted = await deleteChannel(tx, params.id)
        await reauthorize(tx, deps, context)
        if (!deleted) throw new AppError('channel_not_found')
        await deleteAbilities(tx, params.id)
      })
      return {}
    },
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

/** The list adds the forecast to it. */
type ShownAs = Omit<Channel, 'days_left'>

/** Never returns the key or passwords in addresses; forms display an empty key. */
const presentChannel = (row: ShownChannel, language: Language, now: number): ShownAs => ({
  ...hidePasswords(row),
  key: '',
  test_error: detailInBoth(row.test_error)[language],
  shut_models: shutModels(row, new Date(now).toISOString().slice(0, 10)),
})
