import type { ReactNode } from 'react'
import type { OptionKey } from '@tollgate/contract'
import { useManagedOption } from '../../lib/managed.ts'
import { ManagedOption } from './managed-option.tsx'
import classes from './settings.module.css'

type Props = { name: OptionKey; children: ReactNode }

/** Disables an option that a locked file manages. Tables stay open for their other entries. */
export function ManagedField({ name, children }: Props) {
  const mark = useManagedOption(name)
  const isLocked = mark?.isLocked === true && mark.names.length === 0
  return (
    <fieldset className={classes['field']} disabled={isLocked}>
      {children}
      {mark && <ManagedOption mark={mark} />}
    </fieldset>
  )
}
