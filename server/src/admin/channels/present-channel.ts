import type { Channel, Language } from '@tollgate/contract'
import { detailInBoth } from '@tollgate/relay'
import type { ShownChannel } from '../../store/channels.ts'
import { hidePasswords } from './hidden-passwords.ts'

/** The key and the passwords in addresses are never shown again; forms show an empty key. */
export const shownChannel = (row: ShownChannel, language: Language): Channel => ({
  ...hidePasswords(row),
  key: '',
  test_error: detailInBoth(row.test_error)[language],
})
