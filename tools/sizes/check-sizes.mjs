import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { ROOT } from '../launcher/install.mjs'
import { findTooLarge, measurePages } from './page-sizes.mjs'

const dist = path.join(ROOT, 'console/dist')
const manifest = JSON.parse(readFileSync(path.join(dist, '.vite/manifest.json'), 'utf8'))
const rows = measurePages(manifest, (file) => statSync(path.join(dist, `${file}.br`)).size)
for (const { page, bytes, files } of rows.toSorted((a, b) => b.bytes - a.bytes)) {
  console.log(`${String(bytes).padStart(7)}  ${String(files).padStart(2)} files  ${page}`)
}
const faults = findTooLarge(rows)
for (const fault of faults) console.error(fault)
process.exitCode = faults.length > 0 ? 1 : 0
