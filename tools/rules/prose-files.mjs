import { readFileSync } from 'node:fs'
import path from 'node:path'
import { findInProse, widthProblem } from './prose.mjs'

const COMMENT = /\/\*[\s\S]*?\*\//g
const FENCE = /^\s*```[\s\S]*?^\s*```/gm

/** Pages, and comments of the files that oxlint does not read. */
export function findPoorProse({ root, files }) {
  return files
    .filter((file) => /\.(?:md|css|c|h)$/.test(file) && !file.includes('/__fixtures__/'))
    .flatMap((file) => {
      const text = readFileSync(path.join(root, file), 'utf8')
      return (file.endsWith('.md') ? pageProblems(text) : commentProblems(text)).map(
        ({ line, message }) => `${file}:${line}: ${message}`,
      )
    })
}

function pageProblems(text) {
  const prose = text.replaceAll(FENCE, (code) => code.replaceAll(/./g, ''))
  return [...wideLines(prose, 1), ...poorWords(prose, 'page', 1)]
}

function commentProblems(text) {
  return [...text.matchAll(COMMENT)].flatMap(({ 0: comment, index }) => {
    const lineStart = text.lastIndexOf('\n', index) + 1
    const first = lineOf(text, index)
    const lines = text.slice(lineStart, index + comment.length)
    return [...wideLines(lines, first), ...poorWords(comment, 'comment', first)]
  })
}

function wideLines(text, first) {
  return text.split('\n').flatMap((line, index) => {
    const message = widthProblem(line)
    return message === undefined ? [] : [{ line: first + index, message }]
  })
}

function poorWords(text, kind, first) {
  return findInProse(text, kind).map(({ index, message }) => ({
    line: first - 1 + lineOf(text, index),
    message,
  }))
}

function lineOf(text, index) {
  return text.slice(0, index).split('\n').length
}
