import { type ComponentType, lazy, type ReactNode, Suspense, useState } from 'react'
import { loadExtra } from '../lib/load-chunk.ts'

type Props<Part> = {
  /** What the reader is told could not be loaded. */
  name: string
  load: () => Promise<ComponentType<Part>>
  props: Part
  fallback?: ReactNode
  onFail?: () => void
}

const Nothing = () => null

/** A part whose code comes when it is wanted; without it the page stays as it is and says why. */
export function Arriving<Part extends object>(arriving: Props<Part>) {
  const { name, load, props, fallback, onFail } = arriving
  const [Part] = useState(() =>
    lazy<ComponentType<Part>>(async () => {
      const part = await loadExtra(name, load)
      if (!part) onFail?.()
      return { default: part ?? Nothing }
    }),
  )
  return (
    <Suspense fallback={fallback}>
      <Part {...props} />
    </Suspense>
  )
}
