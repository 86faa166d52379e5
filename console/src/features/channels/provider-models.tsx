import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { channelEndpoints, type EndpointCall } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { call } from '../../lib/api.ts'
import { formatNumber } from '../../lib/format.ts'
import { showSuccess } from '../../lib/toast.ts'

export type ModelSource = EndpointCall<typeof channelEndpoints.fetchModels>['body']

type Fetched = { models: string[]; unpriced: string[] }

export function FetchModelsButton({
  source,
  onFetched,
}: {
  /** Null if a field that it needs has an error, which the form then shows. */
  source: () => Promise<ModelSource | null>
  onFetched: (fetched: Fetched) => void
}) {
  const { t } = useTranslation()
  const fetching = useMutation({
    mutationFn: async () => {
      const body = await source()
      return body && (await call(channelEndpoints.fetchModels, { body })).data
    },
    onSuccess: (fetched) => {
      if (fetched === null) return
      onFetched(fetched)
      const count = fetched.models.length
      showSuccess(t('channelForm.modelsFetched', { count, number: formatNumber(count) }))
    },
  })
  return (
    <Button
      size="compact-sm"
      variant="default"
      loading={fetching.isPending}
      onClick={() => fetching.mutate()}
    >
      {t('channelForm.fetchModels')}
    </Button>
  )
}
