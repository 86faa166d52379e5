/**
 * The URL without the path that a reverse proxy serves this server under. A proxy may also have
 * removed it.
 */
export function withoutBasePath(url: string, basePath: string): string {
  if (basePath === '' || !url.startsWith(basePath)) return url
  const rest = url.slice(basePath.length)
  if (rest === '' || rest.startsWith('?')) return `/${rest}`
  return rest.startsWith('/') ? rest : url
}
