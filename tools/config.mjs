import { install } from './launcher/install.mjs'
import { exitCodeOf, launch, startNode } from './launcher/processes.mjs'

await launch(() =>
  exitCodeOf(startNode(install(), ['server/src/commands/config.ts', ...process.argv.slice(2)])),
)
