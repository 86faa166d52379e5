import { useQuery } from '@tanstack/react-query'
import { useCallback } from 'react'
import { statusEndpoints } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { call } from '../../lib/api.ts'
import { toSafeFragment } from '../../lib/html.ts'
import { errorText } from '../../lib/report-error.ts'
import { Failed } from '../../ui/failed.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Page } from '../../ui/page.tsx'
import { RichText } from '../../ui/rich-text.tsx'
import { Framed } from './framed.tsx'
import { loneAddress } from './lone-address.ts'
import { Unset } from './unset.tsx'

const ENDPOINTS = {
  terms: statusEndpoints.getTerms,
  about: statusEndpoints.getAbout,
} as const

export function TextPage({ name }: { name: keyof typeof ENDPOINTS }) {
  const { t, language } = useTranslation()
  const { data, error, refetch } = useQuery({
    queryKey: ['content', name, language],
    queryFn: async ({ signal }) => (await call(ENDPOINTS[name], {}, signal)).data.trim(),
    meta: { shownByPage: true },
  })
  const title = t(`contentTitle.${name}`)
  if (data === undefined) {
    return error ? (
      <Failed title={title} message={errorText(error)} onRetry={() => void refetch()} />
    ) : (
      <Loading page={title} />
    )
  }
  const address = loneAddress(data)
  if (address !== null) return <Framed title={title} address={address} />
  if (data === '') {
    const texts = { body: t('content.page.unsetAbout'), forAdmins: t('content.page.setAbout') }
    return <Unset title={title} {...texts} />
  }
  return (
    <Page title={title} width="text">
      <Prose title={title} source={data} />
    </Page>
  )
}

/** Omits a first heading that repeats the page title. */
function Prose({ title, source }: { title: string; source: string }) {
  const toFragment = useCallback(
    async (text: string) => {
      const fragment = await toSafeFragment(text)
      const first = fragment.firstElementChild
      if (first?.tagName === 'H1' && first.textContent === title) first.remove()
      return fragment
    },
    [title],
  )
  return <RichText source={source} toFragment={toFragment} />
}
