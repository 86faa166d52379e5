import { install } from './install.mjs'
import { exitCodeOf, isStopping, launch, pathInTools, startNode } from './processes.mjs'

await launch(async () => {
  const node = install()
  const built = await exitCodeOf(startNode(node, [pathInTools('build.mjs')]))
  if (built !== 0 || isStopping()) return built
  return exitCodeOf(
    startNode(node, ['--enable-source-maps', 'server/dist/main.js', ...process.argv.slice(2)]),
  )
})
