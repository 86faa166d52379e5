import { Button } from '@mantine/core'
import { useTranslation } from '../../i18n/use-translation.ts'
import { Link } from '../../lib/router/router.tsx'
import { useIsAdmin } from '../../lib/session.ts'
import { Empty } from '../../ui/empty.tsx'
import { Page } from '../../ui/page.tsx'

type Props = { title: string; body: string; forAdmins: string }

/** Page without content from the operator. Administrators see where to add it. */
export function Unset({ title, body, forAdmins }: Props) {
  const { t } = useTranslation()
  const isAdmin = useIsAdmin()
  return (
    <Page title={title} width="text">
      <Empty
        title={body}
        {...(isAdmin && { body: forAdmins })}
        action={
          <Button component={Link} to={isAdmin ? '/setting' : '/'} variant="default">
            {t(isAdmin ? 'content.page.settings' : 'content.page.home')}
          </Button>
        }
      />
    </Page>
  )
}
