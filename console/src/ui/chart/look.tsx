import classes from './chart.module.css'
import { SERIES_MAX } from './series.ts'

const TILE = 6

/** Patterns over the colors, shown in print and with forced colors. */
const OVERLAYS = [
  '',
  'M-1 7L7 -1M-1 1L1 -1M5 7L7 5',
  'M0 1.5H6M0 4.5H6',
  'M1.5 0V6M4.5 0V6',
  'M-1 -1L7 7M5 -1L7 1M-1 5L1 7',
  'M3 0V6M0 3H6',
  'M-1 7L7 -1M-1 -1L7 7',
] as const

const DASHES = ['', '6 3', '2 3', '8 3 2 3', '4 4', '1 4', ''] as const

export const dashOf = (look: number) => DASHES[look] ?? ''

const patternId = (prefix: string, look: number) => `${prefix}${look}`

export const fillOf = (prefix: string, look: number) => `url(#${patternId(prefix, look)})`

/** SVG patterns of all looks. Ids are global to the page, so each chart has its own prefix. */
export function Patterns({ prefix }: { prefix: string }) {
  return (
    <defs>
      {Array.from({ length: SERIES_MAX + 1 }, (_, look) => (
        <pattern
          key={look}
          id={patternId(prefix, look)}
          width={TILE}
          height={TILE}
          patternUnits="userSpaceOnUse"
        >
          <rect width={TILE} height={TILE} className={classes['ink']} data-look={look} />
          <path d={OVERLAYS[look]} className={classes['overlay']} />
        </pattern>
      ))}
    </defs>
  )
}

type SwatchProps = { kind: 'bars' | 'lines'; look: number; prefix: string }

export function Swatch({ kind, look, prefix }: SwatchProps) {
  return (
    <svg width={16} height={10} aria-hidden className={classes['swatch']}>
      {kind === 'bars' ? (
        <rect width={16} height={10} fill={fillOf(prefix, look)} />
      ) : (
        <path
          d="M0 5H16"
          className={classes['line']}
          data-look={look}
          strokeDasharray={dashOf(look)}
        />
      )}
    </svg>
  )
}
