import {
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
}: AdminDeps): Handlers<typeof statusEndpoints> {
  return {
    getStatus: async () => ({
      data: statusSchema.parse({
        version,
        start_time: startedAt,
        ...publicOptions(settings.current()),
      }),
    }),
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
