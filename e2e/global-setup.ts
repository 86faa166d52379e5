import { rmSync } from 'node:fs'
import { installOnce } from './installation.ts'

let folder = ''

export async function setup() {
  folder = await installOnce()
  process.env['E2E_INSTALLATION'] = folder
}

export const teardown = () => rmSync(folder, { recursive: true, force: true })
