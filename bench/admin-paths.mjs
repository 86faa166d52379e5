// Finds the GET endpoints to measure, from the server's OpenAPI document.

/** Requests that the console sends when a table is sorted or a time range is chosen. */
function chosenPaths(now) {
  const today = now - (now % 86_400)
  const span = `start_timestamp=${today}&end_timestamp=${now + 3600}`
  const month = `start_timestamp=${now - 30 * 86_400}&end_timestamp=${now + 3600}`
  return [
    `/api/log/?size=10&${span}`,
    `/api/log/?size=10&model_name=gpt-4o&${month}`,
    `/api/log/?size=10&type=1`,
    `/api/log/self?size=10&${month}`,
    `/api/log/stat?type=0&${span}`,
    `/api/log/stat?type=0&${month}`,
    `/api/log/stat?username=user77&${month}`,
    `/api/log/self/stat?type=0&${month}`,
    `/api/stat/?step=hour&${span}`,
    `/api/stat/?utc_offset=480&${month}`,
    `/api/stat/self?utc_offset=480&${month}`,
    `/api/stat/channels?step=hour&${span}`,
    `/api/stat/channels?utc_offset=480&${month}`,
    `/api/stat/channels?step=hour&ids=1,2,3,4,5,6,7,8,9,10&${span}`,
    '/api/user/?size=10&sort=used_quota&order=desc',
    '/api/user/?size=10&p=500',
    '/api/token/?size=10&sort=remain_quota&order=desc',
  ]
}

/** Fills in an existing id, a page size of ten, and a search word. */
function pathOf(path, { parameters }) {
  const names = new Set(parameters.map(({ name }) => name))
  const query = []
  if (names.has('size')) query.push('size=10')
  if (names.has('keyword')) query.push(path.includes('/log/') ? 'keyword=1' : 'keyword=user12')
  const filled = path.replace('{id}', '1')
  return query.length === 0 ? filled : `${filled}?${query.join('&')}`
}

/** Reads without an answer to measure, and why. */
const LEFT_OUT = new Map([
  ['/api/user/2fa', 'only for a session of the console'],
  ['/api/log/export', 'streams every row'],
  ['/api/log/self/export', 'streams every row'],
  ['/api/price/feed/{id}/changes', 'needs a feed, which is outside of this machine'],
])

/** Endpoints that require a time range are among the chosen paths. */
const needsSpan = ({ parameters }) =>
  parameters.some(({ in: place, required }) => place === 'query' && required)

/** Every list and read endpoint. A GET that documents 403 for other sites changes something. */
export async function findPaths(address) {
  const response = await fetch(`${address}/api/openapi.json`, {
    signal: AbortSignal.timeout(5_000),
  })
  const { paths } = await response.json()
  const reads = Object.entries(paths).flatMap(([path, { get }]) =>
    get && !('403' in get.responses) && !needsSpan(get) && !LEFT_OUT.has(path)
      ? [pathOf(path, get)]
      : [],
  )
  return [...reads, ...chosenPaths(Math.floor(Date.now() / 1000))]
}
