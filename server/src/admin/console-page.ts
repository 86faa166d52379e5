import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { escapeHtml } from '../text/escape-html.ts'

/** What the build writes about each page: `tools/console-pages.mjs`. */
const PAGES_FILE = '.vite/pages.json'

const pagesSchema = z.array(
  z.object({
    /** Segments that begin with a colon are parameters. */
    path: z.string(),
    /** Whether visitors may see the page; a name is that of a switch in the status. */
    visitors: z.enum(['always', 'never', 'public_catalog', 'public_status']),
    /** Scripts and style sheets. */
    files: z.array(z.string()),
  }),
)

type PageFiles = z.infer<typeof pagesSchema>[number]

/** What the operator calls the site, and which pages visitors may see. */
export type Site = { name: string; logo: string; public_catalog: boolean; public_status: boolean }

type Asked = { pathname: string; isSignedIn: boolean; site: Site }

export type ConsolePage = (asked: Asked) => string

/** Placeholders in the built HTML, replaced by the operator's. */
const NAME = 'Tollgate'
const LOGO = '/logo.svg'

/** Where visitors are sent from pages that are not for them. */
const LOGIN = '/login'

/**
 * The HTML of the console. It names the files of the page that was asked for, so that the browser
 * requests them with the entry instead of after it has run.
 */
export function createConsolePage(folder: string, index: string, basePath: string): ConsolePage {
  const html = basePath === '' ? index : underPath(index, basePath)
  const pages = readPages(folder)
  const built = new Map<PageFiles, string>()
  const build = (page: PageFiles) => {
    const text = html.replace('</head>', `${linksTo(page, basePath)}</head>`)
    built.set(page, text)
    return text
  }
  return ({ pathname, isSignedIn, site }) => {
    const asked = findPage(pages, pathname)
    const mayOpen = asked === undefined || isSignedIn || isPublic(asked, site)
    const page = mayOpen ? asked : findPage(pages, LOGIN)
    const text = page === undefined ? html : (built.get(page) ?? build(page))
    return withBrand(text, site, basePath)
  }
}

const isPublic = ({ visitors }: PageFiles, site: Site) =>
  visitors === 'always' || (visitors !== 'never' && site[visitors])

/** The page with the paths of its files as browsers see them, and the path for its scripts. */
const underPath = (index: string, basePath: string) =>
  index
    .replaceAll(/(?<=(?:src|href)=")\//g, `${basePath}/`)
    .replace('<head>', `<head>\n    <meta name="base-path" content="${basePath}" />`)

/**
 * The operator's name and logo: in the frame that the browser draws before any script runs, and for
 * the scripts, which learn them from the API later.
 */
function withBrand(html: string, { name, logo }: Site, basePath: string): string {
  const image = `<img src="${basePath}${LOGO}"`
  const metas = `  ${meta('site-name', name)}\n    ${meta('site-logo', logo)}\n  </head>`
  return html
    .replaceAll(`>${NAME}<`, () => `>${escapeHtml(name || NAME)}<`)
    .replace(image, () => (logo === '' ? image : `<img src="${escapeHtml(logo)}"`))
    .replace('</head>', () => metas)
}

const meta = (name: string, content: string) =>
  `<meta name="${name}" content="${escapeHtml(content)}" />`

/** Low priority: the entry and its style sheet draw the frame first. */
const linkTo = (file: string, basePath: string) => {
  const kind = file.endsWith('.css') ? 'rel="preload" as="style"' : 'rel="modulepreload"'
  return `  <link ${kind} crossorigin fetchpriority="low" href="${basePath}/${file}" />\n  `
}

const linksTo = ({ files }: PageFiles, basePath: string) =>
  files.map((file) => linkTo(file, basePath)).join('')

const segmentsOf = (path: string) => path.split('/').filter((segment) => segment !== '')

const isParameter = (segment: string) => segment.startsWith(':')

const parametersOf = ({ path }: PageFiles) => segmentsOf(path).filter(isParameter).length

/** Matches like the console's router: the fewest parameters win, in any case of letters. */
function findPage(pages: readonly PageFiles[], pathname: string): PageFiles | undefined {
  const given = segmentsOf(pathname.toLowerCase())
  const fits = ({ path }: PageFiles) => {
    const wanted = segmentsOf(path)
    return (
      wanted.length === given.length &&
      wanted.every((segment, index) => isParameter(segment) || segment === given[index])
    )
  }
  return pages.filter(fits).toSorted((a, b) => parametersOf(a) - parametersOf(b))[0]
}

const isMissing = (error: unknown) =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT'

/** Other builds wrote no list, or one in another form; browsers then load the files later. */
function readPages(folder: string): readonly PageFiles[] {
  let text: string
  try {
    text = readFileSync(join(folder, PAGES_FILE), 'utf8')
  } catch (error) {
    if (!isMissing(error)) throw error
    return []
  }
  try {
    return pagesSchema.parse(JSON.parse(text))
  } catch {
    return []
  }
}
