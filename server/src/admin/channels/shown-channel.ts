import type { Channel, Language } from '@tollgate/contract'
import { detailInBoth } from '@tollgate/relay'
import type { ShownChannel } from '../../store/channels.ts'

/** The key is never shown again; forms show an empty one. */
export const shownChannel = (row: ShownChannel, language: Language): Channel => ({
  ...row,
  key: '',
  test_error: detailInBoth(row.test_error)[language],
})
