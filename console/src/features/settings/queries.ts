import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { isOptionKey, type OptionKey, OPTIONS, optionEndpoints } from '@tollgate/contract'
import { call } from '../../lib/api.ts'
import { errorText } from '../../lib/report-error.ts'
import { statusQuery } from '../../lib/status.ts'
import { showSuccess } from '../../lib/toast.ts'
import { unconfirmedQuery } from '../../lib/unconfirmed.ts'
import { type Change, type Drafts, draftOf } from './drafts.ts'

/** Every option that is no secret, as it is edited. Not read again under the hands of an editor. */
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

/** One change at a time, in the order they were asked for. */
const SCOPE = { id: 'options' }

const put = (change: Change) => call(optionEndpoints.updateOption, { body: change })

/**
 * What every page says of this service is read again when one of these options is part of it, and
 * so is what waits for the super administrator.
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

/** Saves one after the other and stops at the first that is refused; what is saved stays saved. */
export function useSaveOptions() {
  const client = useQueryClient()
  const refreshStatus = useStatusRefresh()
  return useMutation({
    scope: SCOPE,
    mutationFn: async ({ changes, onSaved, onRefused }: Save) => {
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

/** Flips a switch at once, and back when the server refuses; why is said where all errors are. */
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
