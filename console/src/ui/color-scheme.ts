import { isMantineColorScheme, type MantineColorSchemeManager } from '@mantine/core'
import { getStored, onStored, setStored } from '../lib/storage.ts'

/** Keeps the chosen theme under our own key; without a choice the system decides. */
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
