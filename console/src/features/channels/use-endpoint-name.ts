import { TEST_ENDPOINTS } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'

/** The name of a tested endpoint; of one that this version does not know, its word. */
export function useEndpointName(): (endpoint: string) => string {
  const { t } = useTranslation()
  return (endpoint) => {
    const known = TEST_ENDPOINTS.find((one) => one === endpoint)
    return known === undefined ? endpoint : t(`channel.endpoint.${known}`)
  }
}
