import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import type { Progress, ReadAll } from './read-all.ts'

/** Reads all rows and passes them to `onRead`. A failure is reported and passes nothing. */
export function useSaving<Row>(readAll: ReadAll<Row>, onRead: (rows: readonly Row[]) => void) {
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
        return await readAll({ signal, onProgress: setProgress })
      } catch (error) {
        if (signal.aborted) return null
        throw error
      }
    },
    onSuccess: (rows) => rows && onRead(rows),
    onSettled: () => setProgress(undefined),
  })
  return { progress, start: () => mutate(), cancel: () => running.current?.abort() }
}
