/**
 * The paths of other consoles by the page here that replaces them: both of New API, one-hub and
 * done-hub, LiteLLM. Bookmarks and invite links outlive a move.
 */
export const OLD_PATHS: Readonly<Record<string, readonly string[]>> = {
  '/dashboard': [
    '/console',
    '/console/detail',
    '/dashboard/overview',
    '/panel',
    '/panel/dashboard',
    '/ui',
  ],
  '/usage': ['/panel/analytics', '/panel/multi-user-stats'],
  '/channel': ['/console/channel', '/channels', '/panel/channel'],
  '/token': ['/console/token', '/keys', '/panel/token'],
  '/catalog': ['/console/models', '/models/metadata', '/panel/model_price'],
  '/redemption': ['/console/redemption', '/redemption-codes', '/panel/redemption'],
  '/user': ['/console/user', '/users', '/panel/user'],
  '/setting': ['/console/personal', '/profile', '/panel/profile'],
  '/setting/operation': ['/console/setting', '/system-settings/site', '/panel/setting'],
  '/setting/prices': ['/panel/pricing'],
  '/play': ['/console/playground', '/console/chat', '/playground', '/panel/playground'],
  '/log': ['/console/log', '/usage-logs', '/usage-logs/common', '/panel/log'],
  '/topup': ['/console/topup', '/wallet', '/panel/topup'],
  '/billing': ['/panel/invoice'],
  '/login': ['/sign-in'],
  '/register': ['/sign-up'],
}

/** Null for a path that no other console has. */
export function pathNow(pathname: string): string | null {
  const given = pathname.replace(/\/+$/, '').toLowerCase()
  for (const [path, old] of Object.entries(OLD_PATHS)) if (old.includes(given)) return path
  return null
}
