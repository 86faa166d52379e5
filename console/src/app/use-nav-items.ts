import { useMatches } from 'react-router'
import { z } from 'zod'
import { isAdmin, type SessionUser, type Status } from '@tollgate/contract'
import type { NavItem, PageAccess, PublicSwitch } from '../lib/feature.ts'
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

const sectioned = z.object({ section: z.string() })

export function useSection(): string | undefined {
  return useMatches()
    .map(({ handle }) => sectioned.safeParse(handle).data?.section)
    .find((section) => section !== undefined)
}
