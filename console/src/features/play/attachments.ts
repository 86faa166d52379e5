import { t } from '../../i18n/texts.ts'
import { showError } from '../../lib/toast.ts'
import type { Attachment } from './conversation.ts'

export const ATTACHMENTS_MAX = 5
const MEGABYTES_MAX = 10
const BYTES_MAX = MEGABYTES_MAX * 1024 * 1024
/** Texts do not contain it. */
const NUL = '\u0000'

/** Office programs copy an image of the text with it. Then the text is pasted. */
export function pastedFiles(data: Pick<DataTransfer, 'files' | 'types' | 'getData'>): File[] {
  const isRich = data.types.includes('text/html') || data.types.includes('text/rtf')
  return isRich && data.getData('text/plain').trim() !== '' ? [] : [...data.files]
}

/** Reads as many files as there is room for, and says which cannot be sent. */
export async function readAttachments(files: readonly File[], room: number): Promise<Attachment[]> {
  if (files.length > room) showError(t('play.composer.tooMany', { count: ATTACHMENTS_MAX }))
  const read = await Promise.all(
    files.slice(0, Math.max(0, room)).map((file) =>
      readOne(file).catch(() => {
        // A folder, or a file that has been removed.
        showError(t('play.composer.unreadable', { name: file.name }))
        return null
      }),
    ),
  )
  return read.flatMap((attachment) => attachment ?? [])
}

async function readOne(file: File): Promise<Attachment | null> {
  const { name, type, size } = file
  if (size > BYTES_MAX) {
    showError(t('play.composer.tooLarge', { name, size: MEGABYTES_MAX }))
    return null
  }
  if (/^image\/(?:png|jpeg|webp|gif)$/.test(type)) {
    return { kind: 'image', name, data: await dataUrl(file) }
  }
  if (type === 'application/pdf') return { kind: 'pdf', name, data: await dataUrl(file) }
  const text = await file.text()
  if (!text.includes(NUL)) return { kind: 'text', name, data: text }
  showError(t('play.composer.unreadable', { name }))
  return null
}

const dataUrl = (file: File) =>
  new Promise<string>((resolve, reject) => {
    const reader = new FileReader()
    reader.addEventListener('load', () => {
      const { result } = reader
      if (typeof result === 'string') resolve(result)
      else reject(new Error(file.name))
    })
    reader.addEventListener('error', () => reject(reader.error ?? new Error(file.name)))
    reader.readAsDataURL(file)
  })
