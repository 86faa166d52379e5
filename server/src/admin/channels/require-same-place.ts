import { AppError } from '@tollgate/contract'
import { originOf } from '@tollgate/relay/catalogue'
import { proxyOf } from '../../domain/channel-proxy.ts'

type Place = { type: number; base_url: string; config: string }

/** Whether a test of the one says anything of the other. */
export const isSamePlace = (before: Place, after: Place) =>
  before.type === after.type && before.base_url === after.base_url && before.config === after.config

/**
 * Otherwise whoever may edit a channel could have its key sent to a machine of their own: to another provider, or, where
 * nothing is encrypted, through a proxy that reads along.
 */
export function requireSamePlace(before: Place, after: Place) {
  const origin = originOf(after)
  if (originOf(before) !== origin || isReadAlong(before, { config: after.config, origin }))
    throw new AppError('key_needed_again')
}

/** Whether a proxy that was not there before sees what goes to the origin. */
export function isReadAlong(
  before: Pick<Place, 'config'>,
  { config, origin }: { config: string; origin: string },
): boolean {
  const proxy = proxyOf(config)
  return proxy !== null && proxy !== proxyOf(before.config) && !/^https:/i.test(origin)
}
