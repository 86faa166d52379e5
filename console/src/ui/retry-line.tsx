import { Button, Text } from '@mantine/core'
import { useTranslation } from '../i18n/use-translation.ts'
import { errorText } from '../lib/report-error.ts'

type Props = { error: Error; onRetry: () => void }

/** Why a part of a page has no figures, where a whole panel would be too much. */
export function RetryLine({ error, onRetry }: Props) {
  const { t } = useTranslation()
  return (
    <Text size="sm" component="span" role="alert">
      {errorText(error)}{' '}
      <Button size="compact-xs" variant="default" onClick={onRetry}>
        {t('common.action.retry')}
      </Button>
    </Text>
  )
}
