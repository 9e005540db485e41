/** A Chromium for the tests: the system's own, else the one that npm brings. */
import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const systemBrowsers = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
]

/** Every host name leads to this machine, so that a page can have any origin and none is reached by mistake. */
export async function launchChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: systemBrowsers.find(file => existsSync(file)) ?? (await chromiumFromNpm()),
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--host-resolver-rules=MAP * 127.0.0.1',
    ],
    // Playwright turns it off, and it is one of the things to be tried.
    ignoreDefaultArgs: ['--disable-back-forward-cache'],
  })
}

async function chromiumFromNpm(): Promise<string> {
  const { default: packaged } = await import('@sparticuz/chromium')
  return packaged.executablePath()
}
