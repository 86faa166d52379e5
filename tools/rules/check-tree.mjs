import path from 'node:path'
import { listFiles, TREE_RULES } from './tree.mjs'

const root = path.resolve(process.argv[2] ?? path.join(import.meta.dirname, '../..'))
const files = listFiles(root)
const violations = []
for (const rule of TREE_RULES) violations.push(...(await rule({ root, files })))

console.log(violations.join('\n') || `${files.length} files obey the rules of the house`)
process.exitCode = violations.length > 0 ? 1 : 0
