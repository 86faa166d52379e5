import { createContext, useContext } from 'react'
import type { Drafts } from './drafts.ts'

type OptionsHere = {
  /** What the server has, as it is edited. */
  stored: Drafts
  /** A section tells whether it has changes that are not saved. */
  onUnsaved: (section: string, isUnsaved: boolean) => void
}

export const OptionContext = createContext<OptionsHere | null>(null)

export function useOptionsHere(): OptionsHere {
  const here = useContext(OptionContext)
  if (here === null) throw new Error('options are edited within a tab of them')
  return here
}
