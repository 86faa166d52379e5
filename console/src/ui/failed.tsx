import { Button } from '@mantine/core'
import { useTranslation } from '../i18n/use-translation.ts'
import { Empty } from './empty.tsx'
import { Page } from './page.tsx'

type Props = { title: string; message: string; onRetry: () => void }

export function Failed({ title, message, onRetry }: Props) {
  const { t } = useTranslation()
  return (
    <Page title={title} width="form">
      <Empty
        alert
        title={t('common.form.loadFailed')}
        body={message}
        action={
          <Button variant="default" onClick={onRetry}>
            {t('common.action.retry')}
          </Button>
        }
      />
    </Page>
  )
}
