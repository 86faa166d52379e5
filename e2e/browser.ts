import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

/** Debian's. The headless shell takes a sixth less CPU time than the whole browser. */
const CHROMIUM = ['/usr/lib/chromium/chromium-headless-shell', '/usr/bin/chromium'].find(existsSync)
const LAUNCH_TIMEOUT_MS = 60_000

/**
 * Chromium uses only the last --disable-features switch. The list therefore repeats Playwright's
 * list and then adds WebUI pages and spare renderers, which cost every browser context as much as a
 * page of the console.
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

/** Room for what a page allocates while it loads saves CPU time, too. */
const V8_FLAGS = [
  '--single-threaded',
  '--no-opt',
  '--no-maglev',
  '--min-semi-space-size=16',
  '--max-semi-space-size=32',
]

/**
 * Without background network access, which fails on a closed machine. With the GPU process inside
 * the browser's and V8 without helper threads, a page takes a sixth less CPU time. Without V8's
 * optimizing compilers it takes another sixth less: a page ends before they pay off. Without the
 * zygote and a process per site, it takes a seventh less once more.
 */
const options = {
  timeout: LAUNCH_TIMEOUT_MS,
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--in-process-gpu',
    '--no-zygote',
    '--disable-site-isolation-trials',
    `--js-flags=${V8_FLAGS.join(',')}`,
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    `--disable-features=${FEATURES_OFF.join(',')}`,
  ],
}

export async function launchBrowser(): Promise<Browser> {
  if (CHROMIUM === undefined) {
    throw new Error('The browser tests need Chromium: install chromium-headless-shell.')
  }
  return chromium.launch({ ...options, executablePath: CHROMIUM })
}

let shared: Browser | undefined

/**
 * The browser of this worker, which ends with it. Workers share none, because the pages of a
 * browser share its clipboard.
 */
export async function sharedBrowser(): Promise<Browser> {
  if (!shared?.isConnected()) shared = await launchBrowser()
  return shared
}
