/**
 * Limits of JavaScript in bytes, compressed by Brotli: for the first page that a visitor opens, and
 * for what each further page adds.
 */
const LOGIN_BYTES_MAX = 134_000
const PAGE_BYTES_MAX = 95_000

const LOGIN_PAGE = 'src/features/login/login-page.tsx'
const PAGE = /^src\/features\/([\w-]+)\/[\w-]+-page\.tsx$/
const ENTRY = 'index.html'

/**
 * Computes from the bundler's manifest what every page loads before it is used. Chunks that a page
 * loads later are measured in a browser: e2e/first-load.e2e.ts.
 */
export function measurePages(manifest, sizeOf) {
  const shell = reach(manifest, [ENTRY])
  const weigh = (keys) => {
    const files = new Set([...keys].map((key) => manifest[key].file))
    return [...files].reduce((sum, file) => sum + (file.endsWith('.js') ? sizeOf(file) : 0), 0)
  }
  const pages = Object.keys(manifest).filter((key) => PAGE.test(key))
  return pages.map((page) => {
    const texts = `src/features/${PAGE.exec(page)[1]}/messages.ts`
    const added = reach(
      manifest,
      [page, texts].filter((key) => manifest[key]),
    )
    const whole = weigh(new Set([...shell, ...added]))
    return page === LOGIN_PAGE
      ? { page, bytes: whole, most: LOGIN_BYTES_MAX }
      : { page, bytes: whole - weigh(shell), most: PAGE_BYTES_MAX }
  })
}

/** The transitive imports of these chunks. */
function reach(manifest, starts) {
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
  return rows
    .filter(({ bytes, most }) => bytes > most)
    .map(({ page, bytes, most }) => `${page}: ${bytes} bytes of JavaScript, at most ${most}`)
}
