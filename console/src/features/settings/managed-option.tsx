import type { ManagedMark } from '../../lib/managed.ts'
import { LazyPart } from '../../ui/lazy-part.tsx'

// Most installations have no configuration file.
const load = async () => (await import('../../ui/managed-note.tsx')).ManagedNote

export function ManagedOption({ mark }: { mark: ManagedMark }) {
  return <LazyPart name="managed-note" load={load} props={{ mark }} />
}
