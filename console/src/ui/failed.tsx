import { Button, Group } from '@mantine/core'
import { useTranslation } from '../i18n/use-translation.ts'
import { Link } from '../lib/router/router.tsx'
import { Empty } from './empty.tsx'
import { Page } from './page.tsx'

type Props = {
  title: string
  message: string
  onRetry: () => void
  /** The list that the page belongs to, as trying again does not bring back what was deleted. */
  list?: { path: string; title: string }
}

export function Failed({ title, message, onRetry, list }: Props) {
  const { t } = useTranslation()
  return (
    <Page title={title} width="form">
      <Empty
        alert
        title={t('common.form.loadFailed')}
        body={message}
        action={
          <Group gap="xs">
            <Button variant="default" onClick={onRetry}>
              {t('common.action.retry')}
            </Button>
            {list && (
              <Button variant="default" component={Link} to={list.path}>
                {t('common.action.backTo', { page: list.title })}
              </Button>
            )}
          </Group>
        }
      />
    </Page>
  )
}
