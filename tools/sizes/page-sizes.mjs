/** Limits of JavaScript that a page loads, in bytes compressed by Brotli and in files. */
const LOGIN_BYTES_MAX = 120_000
const PAGE_BYTES_MAX = 250_000
const FILES_MAX = 15

const LOGIN_PAGE = 'src/features/login/login-page.tsx'
const PAGE = /^src\/features\/([\w-]+)\/[\w-]+-page\.tsx$/
const ENTRY = 'index.html'

/**
 * Computes from the bundler's manifest what every page loads before it is used. Chunks that a page
 * loads later are measured in a browser: e2e/requests.e2e.ts.
 */
export function measurePages(manifest, sizeOf) {
  const shell = reach(manifest, [ENTRY])
  const pages = Object.keys(manifest).filter((key) => PAGE.test(key))
  return pages.map((page) => {
    const texts = `src/features/${PAGE.exec(page)[1]}/messages.ts`
    const added = reach(
      manifest,
      [page, texts].filter((key) => manifest[key]),
    )
    const scripts = new Set([...shell, ...added].map((key) => manifest[key].file))
    const files = [...scripts].filter((file) => file.endsWith('.js'))
    const bytes = files.reduce((sum, file) => sum + sizeOf(file), 0)
    const most = page === LOGIN_PAGE ? LOGIN_BYTES_MAX : PAGE_BYTES_MAX
    return { page, bytes, most, files: files.length }
  })
}

/** The transitive imports of these chunks. */
export function reach(manifest, starts) {
  const reached = new Set()
  const waiting = [...starts]
  for (let key = waiting.pop(); key !== undefined; key = waiting.pop()) {
    if (reached.has(key)) continue
    reached.add(key)
    waiting.push(...(manifest[key].imports ?? []))
  }
  return reached
}

/** One line per page that is too large. A manifest without the login page is wrong. */
export function findTooLarge(rows) {
  if (!rows.some(({ page }) => page === LOGIN_PAGE)) return ['the manifest names no login page']
  return rows.flatMap(({ page, bytes, most, files }) => [
    ...(bytes > most ? [`${page}: ${bytes} bytes of JavaScript, at most ${most}`] : []),
    ...(files > FILES_MAX ? [`${page}: ${files} files of JavaScript, at most ${FILES_MAX}`] : []),
  ])
}
