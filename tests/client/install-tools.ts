/** Installs what tests/client/package-lock.json names, unless it is there. The tools need a compiler of their own and are large. */
import { createRequire } from 'node:module'

interface Installer {
  install(root: string): Promise<void>
}

/** To be awaited before any of the tools is imported. */
export async function installTools(): Promise<void> {
  const { install } = createRequire(import.meta.url)('../../scripts/install.cjs') as Installer
  await install(import.meta.dirname)
}
