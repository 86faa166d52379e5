import { install } from './install.mjs'
import { exitCodeOf, launch, startNode } from './processes.mjs'

await launch(() =>
  exitCodeOf(startNode(install(), ['server/src/reset-root-main.ts', ...process.argv.slice(2)])),
)
