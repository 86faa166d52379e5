import { cp, mkdtemp } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { memoryFolder } from '../server/testing/harness/memory-folder.ts'
import { startServer } from '../server/testing/harness/start-server.ts'

export const ROOT_PASSWORD = 'a root password 1'
export const ACCESS_TOKEN = 'Root0AccessToken0Of0The0Browser0Tests'

/** The built server, which starts in a third of the time of its sources. */
export const BUILT_SERVER = fileURLToPath(new URL('../server/dist/main.js', import.meta.url))

export const FIRST_START = {
  INITIAL_ROOT_PASSWORD: ROOT_PASSWORD,
  INITIAL_ROOT_ACCESS_TOKEN: ACCESS_TOKEN,
}

const OPTIONS = {
  // All users of a test share one address.
  GlobalApiRateLimit: '0',
  // Models of tests have no price.
  DefaultModelRatio: '30',
}

const newFolder = () => mkdtemp(path.join(memoryFolder(), 'tollgate-e2e-'))

/** Sets the options that all worlds have. */
export async function setOptions(url: string) {
  for (const [key, value] of Object.entries(OPTIONS)) {
    const answer = await fetch(`${url}/api/option/`, {
      method: 'PUT',
      headers: { authorization: ACCESS_TOKEN, 'content-type': 'application/json' },
      body: JSON.stringify({ key, value }),
    })
    const text = await answer.text()
    if (!text.includes('"success":true')) throw new Error(`${key} was not set: ${text}`)
  }
}

/** The data folder of a server that has started once, with the options set, and has stopped. */
export async function installOnce(): Promise<string> {
  const folder = await newFolder()
  const server = await startServer({ DATA_DIR: folder, ...FIRST_START }, BUILT_SERVER)
  await setOptions(server.url)
  await server.stop()
  return folder
}

/**
 * A data folder for a server with these variables, and whether it is a copy of an installation.
 * Creating the tables and the first user takes a third of a start.
 */
export async function newDataFolder(variables: Readonly<Record<string, string>>) {
  const folder = await newFolder()
  // An environment variable, because the command that takes pictures runs without Vitest.
  const { E2E_INSTALLATION: installation } = process.env
  const isCopy =
    installation !== undefined && Object.keys(FIRST_START).every((name) => !(name in variables))
  if (isCopy) await cp(installation, folder, { recursive: true })
  return { folder, isCopy }
}
