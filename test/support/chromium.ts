// The Chromium that is installed, for what only a real browser can prove.
import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const PLACES = [
  process.env.CHROMIUM_PATH,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

/** undefined where none is installed: tests that need one then say so and are skipped. */
export const chromiumPath = PLACES.find((path) => path !== undefined && existsSync(path))

export const NO_CHROMIUM = 'skipped: no Chromium here; install one or set CHROMIUM_PATH'

export const launchChromium = (): Promise<Browser> =>
  chromium.launch({ ...(chromiumPath !== undefined && { executablePath: chromiumPath }), args: ['--no-sandbox'] })
