import { isOptionKey, OPTIONS, type optionEndpoints } from '@tollgate/contract'
import type { Handlers } from '../../http/mount.ts'
import { listUnconfirmed } from '../../settings/confirmation.ts'
import { recordedText } from '../../settings/present-option.ts'
import { readManaged } from '../../store/managed-objects.ts'
import { listOptionChanges } from '../../store/options.ts'
import type { AdminDeps } from '../deps.ts'
import { requireConfirmed } from '../second-factor/require-confirmed.ts'
import { confirmOptions } from './confirm-options.ts'
import { moveGroup } from './move-group.ts'
import { presentManaged } from './present-managed.ts'
import { createTestMail } from './send-test-mail.ts'
import { updateOption } from './update-option.ts'

export function optionHandlers(deps: AdminDeps): Handlers<typeof optionEndpoints> {
  const sendTestMail = createTestMail(deps)
  return {
    moveGroup: async (context, { body }) => ({ data: await moveGroup(deps, context, body) }),
    listOptions: async () => ({ data: [...deps.settings.list()] }),
    updateOption: async (context, { body }) => {
      if (needsStepUp(body.key)) await requireConfirmed(deps, context)
      await updateOption(deps, context, body)
      return {}
    },
    listOptionChanges: async (_, { query }) => {
      const { rows, total } = await listOptionChanges(deps.database.kysely, query)
      const data = rows.map((row) => ({ ...masked(row), confirmed: row.confirmed === 1 }))
      return { data, total }
    },
    listUnconfirmedOptions: async () => ({ data: await listUnconfirmed(deps.database.kysely) }),
    getManaged: async () => ({ data: presentManaged(await readManaged(deps.database.kysely)) }),
    confirmOptions: async (context, { body }) => {
      await confirmOptions(deps, context, body)
      return {}
    },
    sendTestMail: async (context, { body }) => {
      await sendTestMail(context, body)
      return {}
    },
  }
}

/** Rows of earlier versions have addresses in full. */
const masked = <Row extends { key: string; before: string; after: string }>(row: Row): Row => {
  const { key, before, after } = row
  if (!isOptionKey(key)) return row
  return { ...row, before: recordedText(key, before), after: recordedText(key, after) }
}

const needsStepUp = (key: string) =>
  key === 'SecondFactorRequired' || (isOptionKey(key) && OPTIONS[key].identity !== undefined)
