import { type ComponentType, type ReactNode, useEffect, useEffectEvent, useState } from 'react'
import { loadExtra } from '../lib/load-chunk.ts'

type Props<Part> = {
  /** Name of the part, shown in the error message. */
  name: string
  load: () => Promise<ComponentType<Part>>
  props: Part
  fallback?: ReactNode
  onFail?: () => void
}

/**
 * Lazily loaded optional part. A failed load shows an error and leaves the page as is. Suspense
 * would keep the part back for 300 ms, in which typed text is lost.
 */
export function LazyPart<Part extends object>({
  name,
  load,
  props,
  fallback,
  onFail,
}: Props<Part>) {
  const [loaded, setLoaded] = useState<{ Part: ComponentType<Part> }>()
  const start = useEffectEvent(async (isGone: () => boolean) => {
    const Part = await loadExtra(name, load)
    if (isGone()) return
    if (Part) setLoaded({ Part })
    else onFail?.()
  })
  useEffect(() => {
    let isGone = false
    void start(() => isGone)
    return () => {
      isGone = true
    }
  }, [])
  return loaded ? <loaded.Part {...props} /> : fallback
}
