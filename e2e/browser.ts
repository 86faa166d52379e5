import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const DEBIAN_CHROMIUM = '/usr/bin/chromium'
const LAUNCH_TIMEOUT_MS = 60_000

/** Debian's Chromium, quiet on the network: on a closed machine its own look-ups only fail. */
const options = {
  executablePath: DEBIAN_CHROMIUM,
  timeout: LAUNCH_TIMEOUT_MS,
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ],
}

function checkInstalled() {
  if (!existsSync(DEBIAN_CHROMIUM)) {
    throw new Error('The browser tests need Chromium: install the package chromium.')
  }
}

/** One for each file of tests: those of a browser share its clipboard. */
export async function launchBrowser(): Promise<Browser> {
  checkInstalled()
  return chromium.launch(options)
}
