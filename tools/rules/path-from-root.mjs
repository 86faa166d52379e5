import path from 'node:path'

/** Path of the linted file relative to oxlint's working directory, with forward slashes. */
export function pathFromRoot(context) {
  return path.relative(context.cwd, context.filename).split(path.sep).join('/')
}
