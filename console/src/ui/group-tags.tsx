import { splitList } from '../lib/format.ts'
import type { TagColor } from './palette.ts'
import { Tag } from './tag.tsx'

const COLORS: Readonly<Record<string, TagColor>> = {
  vip: 'yellow',
  pro: 'yellow',
  svip: 'red',
  premium: 'red',
}

/** `wraps` where the height is free; tables cut the names instead. */
export function GroupTags({ group, wraps = false }: { group: string; wraps?: boolean }) {
  const names = splitList(group)
  const flexWrap = wraps ? 'wrap' : 'nowrap'
  return (
    <span style={{ display: 'inline-flex', flexWrap, gap: 4, maxWidth: '100%' }}>
      {(names.length === 0 ? ['default'] : names).map((name) => (
        <Tag key={name} color={COLORS[name] ?? 'gray'}>
          {name}
        </Tag>
      ))}
    </span>
  )
}
