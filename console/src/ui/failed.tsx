import { Button } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { Empty } from './empty.tsx'

/** What stands where a form or a page could not load its data. */
export function Failed({ message, onRetry }: { message: string; onRetry: () => void }) {
  const { t } = useTranslation()
  return (
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
  )
}
