import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import type { ReadAll } from './read-all.ts'

export type Progress = {
  count: number
  /** Remaining rate-limit wait in seconds; null while reading. */
  waitSeconds: number | null
}

type Saved = { parts: string[]; count: number; isCut: boolean }

type Target<Row> = { textOf: (rows: readonly Row[]) => string; onRead: (saved: Saved) => void }

/**
 * Reads all rows as text, which takes a fraction of their memory, and passes it to `onRead`. A
 * failure is reported and passes nothing.
 */
export function useSaving<Row>(readAll: ReadAll<Row>, { textOf, onRead }: Target<Row>) {
  const running = useRef<AbortController>(null)
  const [progress, setProgress] = useState<Progress>()
  useEffect(() => () => running.current?.abort(), [])

  const { mutate } = useMutation({
    mutationFn: async () => {
      const controller = new AbortController()
      const { signal } = controller
      running.current = controller
      setProgress({ count: 0, waitSeconds: null })
      try {
        const parts: string[] = []
        let count = 0
        const { isCut } = await readAll({
          signal,
          onRows: (rows) => {
            parts.push(textOf(rows))
            count += rows.length
            setProgress({ count, waitSeconds: null })
          },
          onWait: (waitSeconds) => setProgress({ count, waitSeconds }),
        })
        return { parts, count, isCut }
      } catch (error) {
        if (signal.aborted) return null
        throw error
      }
    },
    onSuccess: (saved) => saved && onRead(saved),
    onSettled: () => setProgress(undefined),
  })
  return { progress, start: () => mutate(), cancel: () => running.current?.abort() }
}
