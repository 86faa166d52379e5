/** Saves a text as a file in UTF-8. */
export function downloadText(fileName: string, text: string, type = 'text/plain') {
  const url = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }))
  const link = document.createElement('a')
  link.href = url
  link.download = fileName
  link.click()
  URL.revokeObjectURL(url)
}

/** What file systems refuse in a name becomes a dash. */
export const fileNameOf = (text: string, ending: string) =>
  `${text.trim().replace(/[\p{Cc}\\/:*?"<>|]/gu, '-')}.${ending}`
