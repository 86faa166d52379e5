import {
  AppError,
  optionKeys,
  OPTIONS,
  type OptionValues,
  type statusEndpoints,
  statusSchema,
} from '@tollgate/contract'
import type { Handlers } from '../../http/mount.ts'
import type { AdminDeps } from '../deps.ts'
import { DEFAULT_TERMS } from './default-terms.ts'

export function statusHandlers({
  settings,
  version,
  startedAt,
  checkDatabase,
}: AdminDeps): Handlers<typeof statusEndpoints> {
  return {
    getStatus: async () => {
      const database = await checkDatabase()
      // Health checks of this API family ask here.
      if (!database.answers) throw new AppError('database_unavailable', {}, database.error)
      return {
        data: statusSchema.parse({
          version,
          start_time: startedAt,
          ...publicOptions(settings.current()),
        }),
      }
    },
    getNotice: async () => ({ data: settings.current().Notice }),
    getAbout: async () => ({ data: settings.current().About }),
    getHomePageContent: async () => ({ data: settings.current().HomePageContent }),
    getTerms: async ({ language }) => {
      const { Terms } = settings.current()
      return { data: Terms === '' ? DEFAULT_TERMS[language] : Terms }
    },
  }
}

const publicOptions = (values: OptionValues) =>
  Object.fromEntries(
    optionKeys.flatMap((key) => {
      const { public: field } = OPTIONS[key]
      return field === undefined ? [] : [[field, values[key]]]
    }),
  )
