import type { Page } from 'playwright-core'
import { z } from 'zod'

type Answer = {
  status?: number
  contentType?: string
  headers?: Record<string, string>
  body: string
}

type Values = Record<string, unknown>

const valuesAnswer = z.looseObject({ data: z.looseObject({}) })
const rowsAnswer = z.looseObject({ data: z.array(z.looseObject({})) })

/** Changes the server's answers to the calls of a page. */
export const changeText = (
  page: Page,
  pattern: string | RegExp,
  change: (text: string, url: string) => string,
) =>
  page.route(pattern, async (route) => {
    const response = await route.fetch()
    const body = change(await response.text(), route.request().url())
    await route.fulfill({ response, body })
  })

export const changeData = (
  page: Page,
  pattern: string | RegExp,
  change: (data: Values) => Values,
) =>
  changeText(page, pattern, (text) => {
    const answer = valuesAnswer.parse(JSON.parse(text))
    return JSON.stringify({ ...answer, data: change(answer.data) })
  })

export const changeRows = (
  page: Page,
  pattern: string | RegExp,
  change: (rows: Values[]) => Values[],
) =>
  changeText(page, pattern, (text) => {
    const answer = rowsAnswer.parse(JSON.parse(text))
    return JSON.stringify({ ...answer, data: change(answer.data) })
  })

type Release = () => Promise<void>

const releases = new WeakMap<Page, Set<Release>>()

/**
 * Answers the requests of a page to an address, in which `*` stands for any text. Null aborts a
 * request. Use it for pages that load: Playwright's routes pause every request and switch the HTTP
 * cache off, so a page load takes twice the CPU time.
 */
export async function intercept(
  page: Page,
  urlPattern: string,
  answer: (url: string) => Answer | null,
): Promise<Release> {
  const session = await page.context().newCDPSession(page)
  session.on('Fetch.requestPaused', ({ requestId, request }) => {
    const given = answer(request.url)
    const answered =
      given === null
        ? session.send('Fetch.failRequest', { requestId, errorReason: 'Failed' })
        : session.send('Fetch.fulfillRequest', { requestId, ...responseOf(given) })
    // The page may have been closed.
    answered.catch(() => {})
  })
  await session.send('Fetch.enable', { patterns: [{ urlPattern }] })
  const ofPage = releases.get(page) ?? new Set()
  releases.set(page, ofPage)
  const release = async () => {
    if (ofPage.delete(release)) await session.detach()
  }
  ofPage.add(release)
  return release
}

function responseOf({ status = 200, contentType, headers = {}, body }: Answer) {
  const all = { ...(contentType !== undefined && { 'content-type': contentType }), ...headers }
  return {
    responseCode: status,
    responseHeaders: Object.entries(all).map(([name, value]) => ({ name, value })),
    body: Buffer.from(body).toString('base64'),
  }
}

export async function releaseAll(page: Page) {
  for (const release of releases.get(page) ?? []) await release()
}
