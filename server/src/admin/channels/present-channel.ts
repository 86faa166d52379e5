import type { Channel, Language } from '@tollgate/contract'
import { detailInBoth } from '@tollgate/relay'
import type { ShownChannel } from '../../store/channels.ts'
import { hidePasswords } from './hidden-passwords.ts'

/** Never returns the key or passwords in addresses; forms display an empty key. */
export const presentChannel = (row: ShownChannel, language: Language): Channel => ({
  ...hidePasswords(row),
  key: '',
  test_error: detailInBoth(row.test_error)[language],
})
