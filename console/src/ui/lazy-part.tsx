import { type ComponentType, lazy, type ReactNode, Suspense, useState } from 'react'
import { loadExtra } from '../lib/load-chunk.ts'

type Props<Part> = {
  /** Name of the part, shown in the error message. */
  name: string
  load: () => Promise<ComponentType<Part>>
  props: Part
  fallback?: ReactNode
  onFail?: () => void
}

const Nothing = () => null

/** Lazily loaded optional part. A failed load shows an error and leaves the page as is. */
export function LazyPart<Part extends object>(settings: Props<Part>) {
  const { name, load, props, fallback, onFail } = settings
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
