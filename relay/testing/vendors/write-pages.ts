import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { vendorPages } from './pages.ts'

const FOLDER = path.join(import.meta.dirname, '../../../docs/reference')

rmSync(path.join(FOLDER, 'vendor-rules'), { recursive: true, force: true })
mkdirSync(path.join(FOLDER, 'vendor-rules'))
for (const { path: file, text } of vendorPages()) writeFileSync(path.join(FOLDER, file), text)
