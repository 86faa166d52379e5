import { useTranslation } from 'react-i18next'
import { Link, useMatches } from 'react-router'
import { z } from 'zod'
import { useIsAdmin, useSession } from '../lib/session.ts'
import { navItems } from './features.ts'
import classes from './layout.module.css'

const sectioned = z.object({ section: z.string() })

/** What the signed-in role can reach; the section of the current page is marked. */
export function NavLinks({ onFollow }: { onFollow?: () => void }) {
  const { t } = useTranslation()
  const user = useSession()
  const isAdmin = useIsAdmin()
  const sections = useMatches().map(({ handle }) => sectioned.safeParse(handle).data?.section)
  if (!user) return null
  return navItems
    .filter(({ access }) => access === 'user' || isAdmin)
    .map(({ path, label }) => (
      <Link
        key={path}
        to={path}
        className={classes['link']}
        aria-current={sections.includes(path) ? 'page' : undefined}
        onClick={onFollow}
      >
        {t(label)}
      </Link>
    ))
}
