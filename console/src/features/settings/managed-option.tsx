import { lazy, Suspense } from 'react'
import type { ManagedMark } from '../../lib/managed.ts'

// Most installations have no configuration file.
const ManagedNote = lazy(async () => ({
  default: (await import('../../ui/managed-note.tsx')).ManagedNote,
}))

export function ManagedOption({ mark }: { mark: ManagedMark }) {
  return (
    <Suspense fallback={null}>
      <ManagedNote mark={mark} />
    </Suspense>
  )
}
