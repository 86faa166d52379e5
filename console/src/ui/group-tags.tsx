import { splitList } from '../lib/format.ts'
import type { TagColor } from './palette.ts'
import { Tag } from './tag.tsx'

const COLORS: Readonly<Record<string, TagColor>> = {
  vip: 'yellow',
  pro: 'yellow',
  svip: 'red',
  premium: 'red',
}

/** Group tags; an empty list means the default group. */
export function GroupTags({ group }: { group: string }) {
  const names = splitList(group)
  return (
    <span style={{ display: 'inline-flex', gap: 4 }}>
      {(names.length === 0 ? ['default'] : names).map((name) => (
        <Tag key={name} color={COLORS[name] ?? 'gray'}>
          {name}
        </Tag>
      ))}
    </span>
  )
}
