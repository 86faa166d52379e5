import { isMantineColorScheme, type MantineColorSchemeManager } from '@mantine/core'
import { getStored, onStored, setStored } from '../lib/storage.ts'

/**
 * Stores the chosen theme under the console's own key. Without a choice the system's theme applies.
 */
export function storedColorScheme(): MantineColorSchemeManager {
  let stop = () => {}
  const read = () => {
    const stored = getStored('theme')
    return isMantineColorScheme(stored) ? stored : 'auto'
  }
  return {
    get: read,
    set: (value) => {
      if (value !== getStored('theme')) setStored('theme', value)
    },
    subscribe: (onUpdate) => {
      stop = onStored('theme', () => onUpdate(read()))
    },
    unsubscribe: () => stop(),
    clear: () => setStored('theme', null),
  }
}
