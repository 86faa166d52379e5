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
      <Button
        size="compact-xs"
        variant="default"
        onClick={({ currentTarget }) => {
          focusHeading(currentTarget)
          onRetry()
        }}
      >
        {t('common.action.retry')}
      </Button>
    </Text>
  )
}

/** The button goes away while the figures load again, and must not take the focus along. */
function focusHeading(button: Element) {
  const own = button.closest('section')?.querySelector<HTMLElement>('h2')
  const heading = own ?? document.querySelector<HTMLElement>('main h1')
  if (!heading) return
  heading.tabIndex = -1
  heading.focus({ preventScroll: true })
}
