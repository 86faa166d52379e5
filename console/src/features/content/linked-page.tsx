import { useQuery } from '@tanstack/react-query'
import { useTranslation } from '../../i18n/use-translation.ts'
import { errorText } from '../../lib/report-error.ts'
import { type LinkName, linkOf, statusQuery } from '../../lib/status.ts'
import { Failed } from '../../ui/failed.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Framed } from './framed.tsx'
import { Unset } from './unset.tsx'

export function LinkedPage({ name }: { name: LinkName }) {
  const { t } = useTranslation()
  const { data, error, refetch } = useQuery(statusQuery)
  const title = t(`contentTitle.${name}`)
  if (!data) {
    return error ? (
      <Failed title={title} message={errorText(error)} onRetry={() => void refetch()} />
    ) : (
      <Loading page={title} />
    )
  }
  const address = linkOf(data, name)
  if (address !== '') return <Framed title={title} address={address} />
  return (
    <Unset
      title={title}
      body={t('content.page.unset')}
      forAdmins={name === 'chat' ? t('content.page.setChat') : t('content.page.setLink', { name })}
    />
  )
}
