import { isAdmin, type SessionUser, type Status } from '@tollgate/contract'
import type { NavItem, PageAccess, PublicSwitch } from '../lib/feature.ts'
import { useRoute } from '../lib/router/router.tsx'
import { useSession } from '../lib/session.ts'
import { linkOf, useStatus } from '../lib/status.ts'
import { navItems } from './features.ts'

export function mayOpen(access: PageAccess, user: SessionUser | null): boolean {
  if (access === 'public') return true
  return user !== null && (access === 'user' || isAdmin(user.role))
}

export const isPublic = (status: Status | undefined, name: PublicSwitch | undefined) =>
  name !== undefined && status?.[name] === true

export function useNavItems(): readonly NavItem[] {
  const user = useSession()
  const status = useStatus()
  return navItems.filter(
    ({ access, link, publicIf }) =>
      (mayOpen(access, user) || isPublic(status, publicIf)) &&
      (!link || linkOf(status, link) !== ''),
  )
}

export const useSection = () => useRoute()?.section
