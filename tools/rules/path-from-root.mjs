import path from 'node:path'

/** The path of the file being linted, with forward slashes, from the folder oxlint was started in. */
export function pathFromRoot(context) {
  return path.relative(context.cwd, context.filename).split(path.sep).join('/')
}
