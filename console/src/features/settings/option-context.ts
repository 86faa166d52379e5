import { createContext, useContext } from 'react'
import type { Drafts } from './drafts.ts'

type OptionContextValue = {
  stored: Drafts
  /** Reports whether a section has unsaved changes. */
  onUnsaved: (section: string, isUnsaved: boolean) => void
}

export const OptionContext = createContext<OptionContextValue | null>(null)

export function useOptionContext(): OptionContextValue {
  const context = useContext(OptionContext)
  if (context === null) throw new Error('useOptionContext needs an OptionContext above it')
  return context
}
