import { Button, Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { Page } from '../ui/page.tsx'

const WAYS_ON = {
  notFound: { to: '/', label: 'app.notFound.home' },
  notAllowed: { to: '/', label: 'app.notFound.home' },
  factorNeeded: { to: '/setting', label: 'app.factorNeeded.settings' },
} as const

/** A page that this reader cannot have: why, and where to go instead. */
export function DeadEnd({ reason }: { reason: keyof typeof WAYS_ON }) {
  const { t } = useTranslation()
  const { to, label } = WAYS_ON[reason]
  return (
    <Page title={t(`app.${reason}.title`)} width="text">
      <Stack gap="lg" align="flex-start">
        <Text role="alert">{t(`app.${reason}.body`)}</Text>
        <Button component={Link} to={to}>
          {t(label)}
        </Button>
      </Stack>
    </Page>
  )
}
