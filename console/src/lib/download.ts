/** Safari reads the file some time after the click. */
const FILE_KEPT_MS = 60_000

export function downloadText(fileName: string, text: string | string[], type = 'text/plain') {
  const url = URL.createObjectURL(new Blob([text].flat(), { type: `${type};charset=utf-8` }))
  const link = document.createElement('a')
  link.href = url
  link.download = fileName
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), FILE_KEPT_MS)
}

/** Replaces characters that file systems reject with a dash. */
export const fileNameOf = (text: string, ending: string) =>
  `${text.trim().replace(/[\p{Cc}\\/:*?"<>|]/gu, '-')}.${ending}`
