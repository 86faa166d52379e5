import { t } from '../i18n/texts.ts'
import { reloadLostStyles } from './lost-styles.ts'
import { reportError } from './report-error.ts'

/** A chunk that takes longer counts as lost. */
const DEADLINE_MS = 120_000

/** Loads a code chunk. The error names the part and the cause. */
export async function loadChunk<Part>(name: string, load: () => Promise<Part>): Promise<Part> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    const seconds = DEADLINE_MS / 1000
    late.reject(new Error(t('common.error.chunkLate', { seconds })))
  }, DEADLINE_MS)
  try {
    const loaded = Promise.all([load(), reloadLostStyles()])
    const [part] = await Promise.race([loaded, late.promise])
    return part
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error)
    throw new Error(t('common.error.chunk', { name, cause }), { cause: error })
  } finally {
    clearTimeout(timer)
  }
}

/** Loads an optional part. Reports a failure and returns `undefined`. */
export async function loadExtra<Part>(name: string, load: () => Promise<Part>) {
  try {
    return await loadChunk(name, load)
  } catch (error) {
    reportError(error, { onSignedOut: () => {} })
    return undefined
  }
}
