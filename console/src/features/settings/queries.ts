import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { isOptionKey, type OptionKey, OPTIONS, optionEndpoints } from '@tollgate/contract'
import { call } from '../../lib/api.ts'
import { confirmLosses } from '../../lib/price-check.ts'
import { isPriceChange } from '../../lib/price-options.ts'
import { errorText } from '../../lib/report-error.ts'
import { statusQuery } from '../../lib/status.ts'
import { showSuccess } from '../../lib/toast.ts'
import { unconfirmedQuery } from '../../lib/unconfirmed.ts'
import { type Change, type Drafts, draftOf } from './drafts.ts'

/** All options except secrets, as editable texts. Not refetched during editing. */
export const optionsQuery = queryOptions({
  queryKey: ['options'],
  queryFn: async ({ signal }): Promise<Drafts> => {
    const { data } = await call(optionEndpoints.listOptions, {}, signal)
    const known = data.flatMap(({ key, value }) =>
      isOptionKey(key) ? [[key, draftOf(key, value)] as const] : [],
    )
    return Object.fromEntries(known)
  },
  refetchOnWindowFocus: false,
  staleTime: 0,
  gcTime: 0,
})

/** Mutations with this scope run one at a time, in order. */
const SCOPE = { id: 'options' }

const put = (change: Change) => call(optionEndpoints.updateOption, { body: change })

/**
 * Reloads the public status, page texts and pending confirmations that the changed options affect.
 */
function useStatusRefresh() {
  const client = useQueryClient()
  return async (keys: readonly OptionKey[]) => {
    if (keys.some((key) => OPTIONS[key].identity !== undefined)) {
      await client.invalidateQueries({ queryKey: unconfirmedQuery.queryKey })
    }
    if (keys.some((key) => OPTIONS[key].public !== undefined)) {
      await client.invalidateQueries({ queryKey: statusQuery.queryKey })
    }
    await client.invalidateQueries({ queryKey: ['content'] })
  }
}

type Save = {
  changes: readonly Change[]
  onSaved: (key: OptionKey) => void
  onRefused: (key: OptionKey, reason: string) => void
}

/** Saves options one by one and stops at the first refusal. Options saved before stay saved. */
export function useSaveOptions() {
  const client = useQueryClient()
  const refreshStatus = useStatusRefresh()
  return useMutation({
    scope: SCOPE,
    mutationFn: async ({ changes, onSaved, onRefused }: Save) => {
      const prices = changes.filter(isPriceChange)
      if (prices.length > 0) await confirmLosses({ options: prices })
      for (const change of changes) {
        try {
          await put(change)
        } catch (error) {
          onRefused(change.key, errorText(error))
          throw error
        }
        onSaved(change.key)
      }
    },
    onSettled: async (_data, _error, { changes }) => {
      await client.refetchQueries({ queryKey: optionsQuery.queryKey })
      await refreshStatus(changes.map(({ key }) => key))
    },
  })
}

/** Flips a switch optimistically and back on refusal. The error is shown as a toast. */
export function useFlipOption(key: OptionKey, message: string) {
  const client = useQueryClient()
  const refreshStatus = useStatusRefresh()
  const show = (isOn: boolean) =>
    client.setQueryData(
      optionsQuery.queryKey,
      (stored) => stored && { ...stored, [key]: String(isOn) },
    )
  return useMutation({
    scope: SCOPE,
    mutationFn: (isOn: boolean) => put({ key, value: String(isOn) }),
    onMutate: show,
    onError: (_error, isOn) => show(!isOn),
    onSuccess: async () => {
      showSuccess(message)
      await refreshStatus([key])
    },
  })
}
