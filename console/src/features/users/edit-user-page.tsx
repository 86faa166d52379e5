import { useQuery } from '@tanstack/react-query'
import { useTranslation } from '../../i18n/use-translation.ts'
import { errorText } from '../../lib/report-error.ts'
import { useParams } from '../../lib/router/router.tsx'
import { Failed } from '../../ui/failed.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Page } from '../../ui/page.tsx'
import { EditUserForm } from './edit-user-form.tsx'
import { userQuery } from './queries.ts'

export function EditUserPage() {
  const { t } = useTranslation()
  const id = Number(useParams()['id'])
  const user = useQuery(userQuery(id))
  if (user.error && !user.data) {
    return (
      <Failed
        title={t('userTitle.edit')}
        message={errorText(user.error)}
        onRetry={() => void user.refetch()}
        list={{ path: '/user', title: t('userTitle.list') }}
      />
    )
  }
  if (!user.data) return <Loading page={t('userTitle.edit')} />
  return (
    <Page title={t('user.form.editTitleNamed', { name: user.data.username })} width="form">
      <EditUserForm key={id} user={user.data} />
    </Page>
  )
}
