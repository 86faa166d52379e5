import { splitList } from '../lib/format.ts'
import type { TagColor } from './palette.ts'
import { Tag } from './tag.tsx'

const COLORS: Readonly<Record<string, TagColor>> = {
  vip: 'yellow',
  pro: 'yellow',
  svip: 'red',
  premium: 'red',
}

export function GroupTags({ group }: { group: string }) {
  const names = splitList(group)
  return (
    <span style={{ display: 'inline-flex', gap: 4, maxWidth: '100%' }}>
      {(names.length === 0 ? ['default'] : names).map((name) => (
        <Tag key={name} color={COLORS[name] ?? 'gray'}>
          {name}
        </Tag>
      ))}
    </span>
  )
}
