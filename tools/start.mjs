import { install } from './install.mjs'
import { exitCodeOf, isStopping, launch, pathInTools, startNode } from './processes.mjs'

// Four threads that collect garbage and compile would keep the one that answers waiting on a single core.
const NODE_FLAGS = ['--enable-source-maps', '--v8-pool-size=1']

await launch(async () => {
  const node = install()
  const built = await exitCodeOf(startNode(node, [pathInTools('build.mjs')]))
  if (built !== 0 || isStopping()) return built
  return exitCodeOf(
    startNode(node, [...NODE_FLAGS, 'server/dist/main.js', ...process.argv.slice(2)]),
  )
})
