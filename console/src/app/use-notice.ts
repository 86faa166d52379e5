import { createElement, useEffect } from 'react'
import { toSafeFragment } from '../lib/html.ts'
import { useStatus } from '../lib/status.ts'
import { setPrompted, wasPrompted } from '../lib/storage.ts'
import { showNotice } from '../lib/toast.ts'
import { RichText } from '../ui/rich-text.tsx'

/** Short hash: equal texts have equal fingerprints. */
function fingerprint(text: string): string {
  let hash = 0
  for (const character of text) hash = (Math.imul(hash, 31) + (character.codePointAt(0) ?? 0)) | 0
  return (hash >>> 0).toString(36)
}

/** Shows the operator's notice until dismissed; each text once per browser. */
export function useNotice() {
  const notice = useStatus()?.notice.trim() ?? ''
  useEffect(() => {
    const identifier = `notice-${fingerprint(notice)}`
    if (notice === '' || wasPrompted(identifier)) return
    const content = createElement(RichText, { source: notice, toFragment: toSafeFragment })
    showNotice(content, identifier, () => setPrompted(identifier))
  }, [notice])
}
