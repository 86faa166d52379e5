import { AppError } from '@tollgate/contract'
import { descriptorOf, isServable } from '@tollgate/relay/catalogue'

/** Throws if the relay does not support the type, or if the type needs an address and has none. */
export function requireServedType({ type, base_url }: { type: number; base_url: string }) {
  if (!isServable(type)) throw new AppError('channel_type_unserved', { type })
  if (base_url === '' && descriptorOf(type)?.baseUrl === '') {
    throw new AppError('channel_base_url_required')
  }
}
