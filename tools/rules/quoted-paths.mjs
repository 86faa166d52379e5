import { readFileSync } from 'node:fs'
import path from 'node:path'

const ROOMS = ['bench', 'console', 'contract', 'docs', 'e2e', 'relay', 'server', 'tools']
/** A path below a folder of this repository, or the end of a path to a code file. */
const QUOTED = new RegExp(
  String.raw`\`((?:${ROOMS.join('|')})/[\w./-]+|(?:[\w.-]+/)*[\w.-]+\.(?:tsx?|mjs|css))\``,
  'g',
)
const COMMENT_LINE = /^\s*(?:\/\/|\/?\*)/
/** Builds write these. */
const BUILT = /^bench\/bin$|^[\w-]+\/dist(?:\/|$)/
/** A diary, whose entries keep the names of their day. */
const DIARY = 'bench/LAB.md'

/** Paths in backticks, in pages and in comments, that no file or folder has. */
export function findMissingPaths({ root, files }) {
  const known = new Set(files.flatMap((file) => [file, ...parentsOf(file), ...endsOf(file)]))
  return files
    .filter((file) => /\.(?:md|tsx?|mjs|css)$/.test(file) && file !== DIARY)
    .flatMap((file) => {
      const lines = readFileSync(path.join(root, file), 'utf8').split('\n')
      return lines.flatMap((line, index) =>
        file.endsWith('.md') || COMMENT_LINE.test(line)
          ? missingIn(line, known).map((quoted) => `${file}:${index + 1}: no file ${quoted}`)
          : [],
      )
    })
}

const missingIn = (line, known) =>
  [...line.matchAll(QUOTED)]
    .map(([, quoted]) => quoted.replace(/\/$/, ''))
    .filter((quoted) => !known.has(quoted) && !BUILT.test(quoted))

function parentsOf(file) {
  const parent = path.posix.dirname(file)
  return parent === '.' ? [] : [parent, ...parentsOf(parent)]
}

/** Pages leave out `server/src/` and the like. */
function endsOf(file) {
  const steps = file.split('/')
  return steps.slice(1).map((_, index) => steps.slice(index + 1).join('/'))
}
