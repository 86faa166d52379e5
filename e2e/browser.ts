import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const DEBIAN_CHROMIUM = '/usr/bin/chromium'
const LAUNCH_TIMEOUT_MS = 60_000

/**
 * Chromium hears only the last of such switches, so that what Playwright turns off stands here again, before what is
 * ours: pages within the browser's own window and processes kept in reserve, which cost every context of a test as
 * much as a page of the console does.
 */
const FEATURES_OFF = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
  'PreloadTopChromeWebUI',
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxFullPopup',
  'SpareRendererForSitePerProcess',
]

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
    `--disable-features=${FEATURES_OFF.join(',')}`,
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
