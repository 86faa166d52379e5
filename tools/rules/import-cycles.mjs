import { readFileSync } from 'node:fs'
import path from 'node:path'

const PRODUCTION = /^(?:contract|relay|server|console)\/src\/.*\.tsx?$/
const TEST_CODE = /\.test\.tsx?$|\/testing\//
const IMPORT =
  /\bfrom '(\.{1,2}\/[^']+)'|\bimport\(\s*'(\.{1,2}\/[^']+)'\s*\)|^import '(\.{1,2}\/[^']+)'/gm

/**
 * Production files never import each other in a circle. Unlike `import/no-cycle` this rule also
 * sees `import type` and `import()`.
 */
export function findImportCycles({ root, files }) {
  const imports = readImports(root, files)
  const cycles = []
  const visited = new Set()
  const visit = (file, trail) => {
    const start = trail.indexOf(file)
    if (start !== -1) cycles.push([...trail.slice(start), file].join(' → '))
    if (visited.has(file)) return
    visited.add(file)
    for (const target of imports.get(file)) visit(target, [...trail, file])
  }
  for (const file of imports.keys()) visit(file, [])
  return cycles.map((cycle) => `${cycle}: an import cycle`)
}

/** By production file, the production files that it imports. */
function readImports(root, files) {
  const production = new Set(files.filter((file) => PRODUCTION.test(file) && !TEST_CODE.test(file)))
  return new Map(
    [...production].map((file) => {
      const text = readFileSync(path.join(root, file), 'utf8')
      const targets = [...text.matchAll(IMPORT)].map(([, from, dynamic, bare]) =>
        path.posix.join(path.posix.dirname(file), from ?? dynamic ?? bare),
      )
      return [file, targets.filter((target) => production.has(target))]
    }),
  )
}
