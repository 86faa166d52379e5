// Finds the sources of functions of the built server.
import { readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Names functions of a profile by their sources, as `name path:line`. */
export function createNames(root) {
  const maps = new Map()
  const mapOf = (url) => {
    if (!maps.has(url)) {
      const text = readFileSync(`${fileURLToPath(url)}.map`, 'utf8')
      maps.set(url, new SourceMap(JSON.parse(text)))
    }
    return maps.get(url)
  }
  const dist = `file://${join(root, 'server/dist')}/`
  return ({ functionName, url, lineNumber, columnNumber }) => {
    const name = functionName || '(anonymous)'
    if (!url.startsWith(dist)) return url ? `${name} ${url.split('/').at(-1)}` : name
    const { originalSource, originalLine } = mapOf(url).findEntry(lineNumber, columnNumber)
    if (originalSource === undefined) return name
    const path = originalSource.replace(/^(?:\.\.\/)+/, '')
    return `${name} ${path}:${originalLine + 1}`
  }
}
