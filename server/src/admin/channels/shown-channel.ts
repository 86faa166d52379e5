import type { Channel } from '@tollgate/contract'
import type { ShownChannel } from '../../store/channels.ts'

/** The key is never shown again; forms show an empty one. */
export const shownChannel = (row: ShownChannel): Channel => ({ ...row, key: '' })
